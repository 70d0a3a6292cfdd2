// What `run` and `check` have in common: the scenario file and what the command line changes in it.
#pragma once
#include <string>

#include "cli/options.hpp"
#include "spec/scenario.hpp"

namespace ridgepoint::cli {

/// Adds --set and --seed, and the scenario file as the positional argument.
void add_scenario_options(OptionSet& set);
Scenario load_scenario_from(const po::variables_map& values);

}  // namespace ridgepoint::cli

#include "cli/scenario_options.hpp"

#include "scenario/load.hpp"

namespace ridgepoint::cli {

void add_scenario_options(OptionSet& set) {
  set.positional.emplace_back("SCENARIO.yaml");
  set.options.add_options()("set",
                            po::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
                            "change one key, e.g. deployments.0.replicas=2; may be repeated")(
      "seed", po::value<std::string>()->value_name("N"), "short for --set seed=N");
}

Scenario load_scenario_from(const po::variables_map& values) {
  LoadOptions options;
  if (values.count("set") > 0) options.set = values["set"].as<std::vector<std::string>>();
  if (values.count("seed") > 0) options.set.push_back("seed=" + values["seed"].as<std::string>());
  return load_scenario(values["SCENARIO.yaml"].as<std::string>(), options);
}

}  // namespace ridgepoint::cli

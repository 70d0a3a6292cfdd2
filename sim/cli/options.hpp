// Options of a subcommand, parsed by Boost.Program_options; mistakes become a ConfigError with the nearest
// valid name.
#pragma once
#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace ridgepoint::cli {

namespace po = boost::program_options;

struct OptionSet {
  std::string_view command;                    ///< "run"
  std::string_view details;                    ///< paragraph of the help text under the usage line
  std::vector<std::string> positional;         ///< names, in order; all required
  po::options_description options{"options"};  ///< without --help, which every command has
};

/// Empty when --help was asked for: it has been printed. Throws ConfigError.
std::optional<po::variables_map> parse_options(OptionSet& set, const Arguments& arguments);

}  // namespace ridgepoint::cli

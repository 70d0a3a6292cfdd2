// ridgepoint schema: the JSON Schema of the scenario file.
#include <fmt/format.h>

#include "cli/options.hpp"
#include "scenario/load.hpp"

namespace ridgepoint::cli {

int schema_command(const Arguments& arguments) {
  OptionSet set;
  set.command = "schema";
  set.details =
      "Prints the JSON Schema (draft 2020-12) of the scenario file, made from the table that parses it. "
      "Editors\n"
      "that speak YAML complete and check keys with it: write it beside the scenarios\n"
      "  ridgepoint schema > scenario.schema.json\n"
      "and put this line first in each\n"
      "  # yaml-language-server: $schema=scenario.schema.json";
  const auto values = parse_options(set, arguments);
  if (values) fmt::print("{}\n", scenario_schema());
  return 0;
}

}  // namespace ridgepoint::cli

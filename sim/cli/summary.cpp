// ridgepoint summary: what `run` printed, again, from the file.
#include "analysis/summary.hpp"

#include <fmt/format.h>

#include "cli/options.hpp"

namespace ridgepoint::cli {

int summary_command(const Arguments& arguments) {
  OptionSet set;
  set.command = "summary";
  set.details = "Prints the summary of a result file, computed anew from its columns.";
  set.positional = {"FILE.h5"};
  set.options.add_options()("json", "print it as JSON");
  const auto values = parse_options(set, arguments);
  if (!values) return 0;
  const analysis::Summary summary = analysis::summarize((*values)["FILE.h5"].as<std::string>());
  if (values->count("json") > 0)
    fmt::print("{}\n", analysis::to_json(summary));
  else
    fmt::print("{}", analysis::to_text(summary));
  return 0;
}

}  // namespace ridgepoint::cli

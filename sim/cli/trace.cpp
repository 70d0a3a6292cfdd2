// ridgepoint trace convert: any readable trace as the project's own CSV.
#include <fmt/format.h>

#include "base/errors.hpp"
#include "cli/options.hpp"
#include "cli/output_guard.hpp"
#include "workload/trace_convert.hpp"
#include "workload/trace_format.hpp"

namespace ridgepoint::cli {
namespace {

std::string details() {
  std::string text =
      "Reads IN (plain or compressed) and writes the project's own CSV, rows in order of arrival; an output "
      "named\n"
      "*.gz or *.zst is compressed. Says how many rows were read, accepted and dropped, and why.\n\nformats:";
  for (const TraceFormatName& f : trace_format_names())
    text += fmt::format("\n  {:<16} {}", f.name, f.summary);
  return text;
}

TraceFormat format_from(const std::string& given) {
  if (const auto format = parse_trace_format(given)) return *format;
  std::vector<std::string> names;
  for (const TraceFormatName& f : trace_format_names()) names.emplace_back(f.name);
  const std::string nearest = nearest_name(given, names);
  throw ConfigError(fmt::format("unknown trace format '{}'", given),
                    nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean '{}'?", nearest));
}

std::string required(const po::variables_map& values, const char* option) {
  if (values.count(option) == 0)
    throw ConfigError(fmt::format("ridgepoint trace convert: --{} is missing", option),
                      "see 'ridgepoint trace --help'");
  return values[option].as<std::string>();
}

int convert(const po::variables_map& values) {
  const TraceFormat format = format_from(required(values, "format"));
  const std::string output = required(values, "output");
  ConvertOptions options;
  options.sort = values.count("sort") > 0;
  options.limit = values["limit"].as<std::int64_t>();
  if (options.limit < 0) throw ConfigError("--limit is negative", "0 reads all rows");
  if (values.count("keep-failed") > 0) options.failed = Trace::Failed::keep;
  hold_interrupts();  // before a reader starts a thread, and until the output's temporary name is known
  options.on_begin = [](const std::filesystem::path& temporary) { remove_when_interrupted({temporary}); };
  const TraceCount count = convert_trace(values["IN"].as<std::string>(), format, output, options);
  keep_when_interrupted();
  fmt::print("{}: {} rows read, {} accepted", output, count.read, count.accepted);
  for (const auto& [reason, rows] : count.dropped) fmt::print(", {} dropped ({})", rows, reason);
  fmt::print("\n");
  return 0;
}

}  // namespace

int trace_command(const Arguments& arguments) {
  if (!arguments.empty() && !arguments.front().starts_with("-") && arguments.front() != "convert")
    throw ConfigError(fmt::format("ridgepoint trace: unknown action '{}'", arguments.front()),
                      "the only one is 'convert'");
  const std::string help = details();
  OptionSet set;
  set.command = "trace";
  set.details = help;
  set.positional = {"convert", "IN"};
  set.options.add_options()("format", po::value<std::string>()->value_name("FORMAT"), "format of IN")(
      "output,o", po::value<std::string>()->value_name("OUT"), "file to write")(
      "sort", "sort rows by arrival, however far they are out of order")(
      "keep-failed", "keep rows of requests that failed in the original")(
      "limit", po::value<std::int64_t>()->default_value(0)->value_name("N"), "read the first N rows only");
  const auto values = parse_options(set, arguments);
  if (!values) return 0;
  return convert(*values);
}

}  // namespace ridgepoint::cli

// ridgepoint run: a scenario in, a result file and its summary out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "analysis/summary.hpp"
#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "cli/output_guard.hpp"
#include "cli/progress.hpp"
#include "cli/scenario_options.hpp"
#include "cluster/run.hpp"
#include "record/recorder.hpp"

namespace ridgepoint::cli {
namespace {

std::filesystem::path output_path(const po::variables_map& values, const Scenario& scenario) {
  if (values.count("output") > 0) return values["output"].as<std::string>();
  if (!scenario.output.empty()) return scenario.output;
  const auto bad = [](char c) { return c == '/' || static_cast<unsigned char>(c) < ' '; };
  if (scenario.name.empty() || std::any_of(scenario.name.begin(), scenario.name.end(), bad))
    throw ConfigError(fmt::format("name: '{}' cannot be the name of the result file", scenario.name),
                      "name the file with -o or the key output");
  return std::filesystem::path("results") / (scenario.name + ".h5");
}

/// What the run reads stays as it is, and so does any file that no earlier run can have written: a base
/// scenario, a model's config.json.
void check_replaced(const std::filesystem::path& output, const std::string& file, const Scenario& scenario) {
  const auto lengths = [&output](const Distribution& d) {
    if (!d.file.empty()) refuse_to_replace(d.file, output);
  };
  refuse_to_replace(file, output);
  for (const PrefixGroup& group : scenario.workload.prefix_groups) lengths(group.length);
  for (const Stream& stream : scenario.workload.streams) {
    if (stream.trace) refuse_to_replace(stream.trace->path, output);
    lengths(stream.input);
    lengths(stream.output);
    if (!stream.session) continue;
    lengths(stream.session->turns);
    lengths(stream.session->think_time);
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(output, ignored)) return;
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  std::string head(kSignature.size(), '\0');
  std::ifstream in(output, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (in.gcount() > 0 && head != kSignature)
    throw ConfigError(fmt::format("output: {} is there and is no result file", output.string()),
                      "name another file, or remove this one first");
}

void simulate(const Scenario& scenario, Recorder& recorder, bool check) {
  ProgressBar bar;
  RunHooks hooks;
  hooks.check_invariants = check;
  if (bar.wanted()) hooks.on_progress = [&bar](const RunProgress& progress) { bar.show(progress); };
  recorder.finish(run_cluster(scenario, recorder, hooks).result);
}

}  // namespace

int run_command(const Arguments& arguments) {
  OptionSet set;
  set.command = "run";
  set.details =
      "Simulates the scenario and writes one HDF5 file, which appears under its name only when it is "
      "complete.\n"
      "The file is the same, byte for byte, whenever scenario, seed and program are.";
  add_scenario_options(set);
  set.options.add_options()("output,o", po::value<std::string>()->value_name("OUT.h5"),
                            "result file; default: the scenario's output, else results/NAME.h5")(
      "check", "verify at the end that KV blocks, requests and time are all accounted for")(
      "json", "print the summary as JSON");
  const auto values = parse_options(set, arguments);
  if (!values) return 0;

  const Scenario scenario = load_scenario_from(*values);
  const std::filesystem::path path = output_path(*values, scenario);
  check_replaced(path, (*values)["SCENARIO.yaml"].as<std::string>(), scenario);
  OutputFolder folder(path);
  std::vector<std::filesystem::path> leftovers = folder.made();
  hold_interrupts();
  Recorder recorder(scenario, path.string());
  leftovers.insert(leftovers.begin(), recorder.temporary_path());
  remove_when_interrupted(leftovers);
  simulate(scenario, recorder, values->count("check") > 0);

  const analysis::Summary summary = analysis::summarize(recorder.temporary_path());
  analysis::store_summary(recorder.temporary_path(), summary);
  recorder.publish();
  folder.keep();
  keep_when_interrupted();
  if (values->count("check") > 0)
    fmt::print(stderr, "check: KV blocks, requests and time are all accounted for\n");
  if (values->count("json") > 0)
    fmt::print("{}\n", analysis::to_json(summary));
  else
    fmt::print("{}\nResults: {}\n", analysis::to_text(summary), path.string());
  return 0;
}

}  // namespace ridgepoint::cli

// ridgepoint run: a scenario in, a result file and its summary out.
#include <fmt/format.h>

#include <filesystem>

#include "analysis/summary.hpp"
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
  return std::filesystem::path("results") / (scenario.name + ".h5");
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
  OutputFolder folder(path);
  Recorder recorder(scenario, path.string());
  remove_when_interrupted(recorder.temporary_path(), folder.made());
  simulate(scenario, recorder, values->count("check") > 0);

  const analysis::Summary summary = analysis::summarize(recorder.temporary_path());
  analysis::store_summary(recorder.temporary_path(), summary);
  recorder.publish();
  folder.keep();
  keep_when_interrupted();
  if (values->count("json") > 0)
    fmt::print("{}\n", analysis::to_json(summary));
  else
    fmt::print("{}\nResults: {}\n", analysis::to_text(summary), path.string());
  return 0;
}

}  // namespace ridgepoint::cli

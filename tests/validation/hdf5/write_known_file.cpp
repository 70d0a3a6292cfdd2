// Writes the result file that results_test.py opens: a run written by hand, so that every value is known.
#include <cstdio>

#include "analysis/summary.hpp"
#include "support/recorded_run.hpp"

int main(int argc, char** argv) {
  using namespace ridgepoint;
  using namespace ridgepoint::test;
  if (argc != 2) return std::fprintf(stderr, "usage: write_known_file OUT.h5\n"), 2;
  Scenario scenario = recorded_scenario();
  scenario.run.record.steps = true;
  Recorder recorder(scenario, argv[1]);
  RequestRecord refused;
  refused.id = 2;
  refused.arrival = refused.finish = 3s;
  refused.status = RequestStatus::refused;
  refused.stream = 1;
  recorder.request(recorded_request(1, 2s, 0ms, 300ms, 20ms, 1));
  recorder.request(recorded_request(0, 1s, 20ms, 100ms, 10ms, 5));
  recorder.request(refused);
  const std::vector<ReplicaSample> first{recorded_sample(3, 1, 50, 100), recorded_sample(0, 0, 0, 0)};
  const std::vector<ReplicaSample> second{recorded_sample(2, 0, 25, 130), recorded_sample(1, 0, 10, 5)};
  recorder.sample(1s, first);
  recorder.sample(2s, second);
  StepRecord step;
  step.start = 1s;
  step.end = 1s + 20ms;
  step.tokens = 3;
  step.cost.memory = 0.015;
  recorder.step(step);
  RunResult result = recorded_result(4s);
  result.traces = {{"chat", "a.csv", 10, 7, {{"failed", 2}, {"no output", 1}}}};
  recorder.finish(result);
  analysis::store_summary(recorder.temporary_path(), analysis::summarize(recorder.temporary_path()));
  recorder.publish();
}

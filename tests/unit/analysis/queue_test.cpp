// Queue growth and the limit that keeps requests waiting, from time series made by hand.
#include "analysis/queue.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "base/random.hpp"
#include "support/recorded_run.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using analysis::Summary;
using Catch::Matchers::Contains;

namespace {

/// 60 s with an arrival each second; load(t) is the first replica's sample at second t, the second is idle.
Summary run(const std::function<ReplicaSample(int)>& load, const std::function<Nanos(int)>& queued,
            bool series = true) {
  const TemporaryFolder folder;
  Scenario scenario = recorded_scenario();
  scenario.run.record.timeseries = series;
  Recorder recorder(scenario, folder / "a.h5");
  for (int t = 1; t <= 60; ++t) {
    recorder.request(recorded_request(t - 1, Nanos{1s} * t, queued(t), queued(t) + 100ms, 10ms, 5));
    const std::vector<ReplicaSample> samples{load(t), recorded_sample(0, 0, 0, 0)};
    recorder.sample(Nanos{1s} * t, samples);
  }
  recorder.finish(recorded_result(61s));
  recorder.publish();
  return analysis::summarize(folder / "a.h5");
}
Nanos nothing(int) { return 0ns; }

}  // namespace

TEST_CASE("queue: one that grows all through the run is warned of") {
  const Summary s = run([](int t) { return recorded_sample(4, t, 10, 0); }, nothing);
  REQUIRE(s.warnings.size() == 1);
  CHECK_THAT(s.warnings[0], Contains("the queue grew all through the run") && Contains("requests waiting"));
}

TEST_CASE("queue: one that is steady, empties, or stays short beside the batch is not") {
  RandomStream random = RandomRoot(1).stream("queue");
  CHECK(run([&](int) { return recorded_sample(4, static_cast<int>(random.below(20)), 10, 0); }, nothing)
            .warnings.empty());
  CHECK(run([](int t) { return recorded_sample(4, 60 - t, 10, 0); }, nothing).warnings.empty());
  CHECK(run([](int t) { return recorded_sample(4, t < 40 ? t : 0, 10, 0); }, nothing).warnings.empty());
  CHECK(run([](int t) { return recorded_sample(400, t / 4, 10, 0); }, nothing).warnings.empty());
}

TEST_CASE("queue: without a time series the requests' own waiting times tell") {
  const auto idle = [](int) { return recorded_sample(0, 0, 0, 0); };
  const Summary grew = run(
      idle, [](int t) { return Nanos{100ms} * t; }, false);
  REQUIRE(grew.warnings.size() == 1);
  CHECK_THAT(grew.warnings[0], Contains("s queued"));
  CHECK(run(
            idle, [](int) { return Nanos{100ms}; }, false)
            .warnings.empty());
}

TEST_CASE("bottleneck: the batch limit or the KV pool is named where requests wait for it most of the time") {
  // max_num_seqs is 4 in the scenario, the pool has 100 blocks
  CHECK(run([](int) { return recorded_sample(4, 3, 50, 0); }, nothing).binds ==
        "max_num_seqs (requests wait for it), steps: memory bandwidth");
  CHECK(run([](int) { return recorded_sample(3, 3, 97, 0); }, nothing).binds ==
        "KV capacity (requests wait for it), steps: memory bandwidth");
  // two requests hold 70 blocks: a third does not fit
  CHECK(run([](int) { return recorded_sample(2, 3, 70, 0); }, nothing).binds ==
        "KV capacity (requests wait for it), steps: memory bandwidth");
  CHECK(run([](int) { return recorded_sample(2, 3, 30, 0); }, nothing).binds ==
        "idle: arrivals, steps: memory bandwidth");
  CHECK(run([](int t) { return recorded_sample(4, t % 4 == 0 ? 1 : 0, 97, 0); }, nothing).binds ==
        "idle: arrivals, steps: memory bandwidth");
}

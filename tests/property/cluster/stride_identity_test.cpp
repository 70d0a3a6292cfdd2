// Fast-forwarding and SimGrid change nothing: the bytes are those of stepping one at a time.
#include <catch2/catch.hpp>

#include "property/cluster/random_scenario.hpp"
#include "property/cluster/replay.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

constexpr std::uint64_t kSeeds = 40;

Scenario stepping(Scenario scenario) {
  scenario.run.max_stride = 1;
  return scenario;
}

bool same(const RequestRecord& a, const RequestRecord& b) {
  return a.id == b.id && a.arrival == b.arrival && a.first_token == b.first_token && a.finish == b.finish &&
         a.output_tokens == b.output_tokens && a.cached_tokens == b.cached_tokens &&
         a.preemptions == b.preemptions && a.replica == b.replica && a.status == b.status &&
         a.queued == b.queued && a.prefill == b.prefill && a.decode == b.decode &&
         a.preempted == b.preempted && a.transfer == b.transfer && a.other == b.other;
}

}  // namespace

TEST_CASE("strides: a run that fast-forwards writes the same bytes as one that steps") {
  const ScratchFolder folder;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Scenario scenario = random_scenario(seed);
    INFO("seed " << seed);
    const std::string a = run_on_simgrid(scenario, folder / "strides.h5");
    const std::string b = run_on_simgrid(stepping(scenario), folder / "steps.h5");
    REQUIRE(a == b);
    if (!a.empty()) continue;
    const std::string bytes = bytes_of(folder / "strides.h5");
    REQUIRE(bytes.size() > 1000);
    REQUIRE(bytes == bytes_of(folder / "steps.h5"));
  }
}

TEST_CASE("strides: the random scenarios reach long strides, cut strides, preemptions and prefix hits") {
  std::int64_t longest = 0, cut = 0, preempted_sync = 0, preempted_async = 0, hits = 0, errors = 0,
               censored = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Scenario scenario = random_scenario(seed);
    const Replay strides = replay(scenario), steps = replay(stepping(scenario));
    INFO("seed " << seed << ' ' << strides.error);
    REQUIRE(strides.error == steps.error);
    REQUIRE(strides.records.size() == steps.records.size());
    for (std::size_t i = 0; i < strides.records.size(); ++i) {
      REQUIRE(same(strides.records[i], steps.records[i]));
      if (strides.records[i].status == RequestStatus::unfinished) ++censored;
    }
    errors += strides.error.empty() ? 0 : 1;
    std::size_t index = 0;
    for (const Deployment& d : scenario.deployments)
      for (int r = 0; r < d.replicas; ++r, ++index) {
        const ReplicaTotals& t = strides.totals[index];
        longest = std::max(longest, t.longest_stride);
        cut += t.cut_strides;
        (d.engine.async_scheduling ? preempted_async : preempted_sync) += t.preemptions;
        hits += t.cached_tokens;
        CHECK(steps.totals[index].longest_stride <= 1);
      }
  }
  CHECK(longest > 5);
  CHECK(cut > 20);
  CHECK(preempted_sync > 20);
  CHECK(preempted_async > 20);
  CHECK(hits > 100);
  CHECK(censored > 0);
  CHECK(errors < static_cast<std::int64_t>(kSeeds) / 4);  // real engines' stalls are legal, not the rule
}

TEST_CASE("timeline: how often it is settled changes no record") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Scenario scenario = random_scenario(seed);
    const Replay whole = replay(scenario), hops = replay(scenario, Nanos{7'777'777});
    INFO("seed " << seed);
    REQUIRE(whole.error == hops.error);
    REQUIRE(whole.end == hops.end);
    REQUIRE(whole.records.size() == hops.records.size());
    for (std::size_t i = 0; i < whole.records.size(); ++i) REQUIRE(same(whole.records[i], hops.records[i]));
  }
}

TEST_CASE("determinism: the same scenario twice is the same bytes, another seed is not") {
  const ScratchFolder folder;
  Scenario scenario = random_scenario(5);
  REQUIRE(run_on_simgrid(scenario, folder / "a.h5").empty());
  REQUIRE(run_on_simgrid(scenario, folder / "b.h5").empty());
  scenario.seed = 6;
  REQUIRE(run_on_simgrid(scenario, folder / "c.h5").empty());
  CHECK(bytes_of(folder / "a.h5") == bytes_of(folder / "b.h5"));
  CHECK(bytes_of(folder / "a.h5") != bytes_of(folder / "c.h5"));
}

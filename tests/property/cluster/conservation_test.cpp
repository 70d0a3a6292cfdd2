// Laws that hold in every run: nothing is lost, nothing counts twice, time adds up.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "property/cluster/random_scenario.hpp"
#include "property/cluster/replay.hpp"
#include "record/ledger.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

constexpr std::uint64_t kSeeds = 60;

/// Every random scenario that ends by itself or by its set length.
template <class Check>
void for_each_run(Check check) {
  int runs = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Scenario scenario = random_scenario(seed);
    scenario.run.record.steps = true;
    const Replay run = replay(scenario);
    if (!run.error.empty()) continue;
    INFO("seed " << seed);
    check(scenario, run);
    ++runs;
  }
  CHECK(runs > 40);
}

template <class Field>
std::int64_t total(const Replay& run, Field field) {
  std::int64_t sum = 0;
  for (const ReplicaTotals& t : run.totals) sum += t.*field;
  return sum;
}

}  // namespace

TEST_CASE("conservation: every request that arrived is recorded once") {
  for_each_run([](const Scenario&, const Replay& run) {
    std::vector<std::int64_t> ids;
    for (const RequestRecord& r : run.records) ids.push_back(r.id);
    std::sort(ids.begin(), ids.end());
    std::vector<std::int64_t> expected(static_cast<std::size_t>(run.arrived));
    std::iota(expected.begin(), expected.end(), std::int64_t{0});
    REQUIRE(ids == expected);
    const auto completed = std::count_if(run.records.begin(), run.records.end(), [](const RequestRecord& r) {
      return r.status == RequestStatus::completed;
    });
    CHECK(completed ==
          std::accumulate(run.requests_by_replica.begin(), run.requests_by_replica.end(), std::int64_t{0}));
  });
}

TEST_CASE("conservation: a request's parts sum to its time, in whole nanoseconds") {
  for_each_run([](const Scenario&, const Replay& run) {
    for (const RequestRecord& r : run.records) {
      INFO("request " << r.id);
      const Nanos parts = r.queued + r.prefill + r.decode + r.preempted + r.transfer + r.other;
      if (r.status == RequestStatus::unfinished) {
        REQUIRE(parts == run.end - r.arrival);
      } else {
        REQUIRE(parts == r.finish - r.arrival);
      }
      REQUIRE(std::min({r.queued, r.prefill, r.decode, r.preempted, r.transfer, r.other}) >= Nanos{0});
      if (r.status != RequestStatus::completed) continue;
      REQUIRE(r.first_token > r.arrival);
      REQUIRE(r.finish >= r.first_token);
      REQUIRE(r.output_tokens >= 1);
      REQUIRE(r.cached_tokens < r.prompt_tokens);
      // One token: prefill and nothing after it.
      if (r.output_tokens == 1) REQUIRE(r.finish == r.first_token);
    }
  });
}

TEST_CASE("conservation: a replica's parts sum to the run") {
  for_each_run([](const Scenario&, const Replay& run) {
    for (const ReplicaTotals& t : run.totals) {
      const TimeLedger ledger = split_time(t, run.end);
      REQUIRE(ledger.total() == run.end);
      // Each step was rounded once, by at most half a nanosecond.
      const double parts = t.compute + t.memory + t.interconnect + t.overhead;
      CHECK(parts == Approx(to_seconds(t.busy).v).margin(1e-9 * static_cast<double>(t.steps + 1)));
    }
  });
}

TEST_CASE("conservation: tokens that were emitted are tokens that were received") {
  for_each_run([](const Scenario&, const Replay& run) {
    std::int64_t received = 0, prompts = 0, cached = 0;
    bool drained = true;
    for (const RequestRecord& r : run.records) {
      received += r.output_tokens;
      drained = drained && r.status != RequestStatus::unfinished;
      if (r.status == RequestStatus::refused) continue;
      prompts += r.prompt_tokens;
      cached += r.cached_tokens;
    }
    CHECK(total(run, &ReplicaTotals::output_tokens) == received);
    if (drained && total(run, &ReplicaTotals::preemptions) == 0)
      CHECK(total(run, &ReplicaTotals::prompt_tokens) == prompts - cached);
    std::int64_t preemptions = 0;
    for (const RequestRecord& r : run.records) preemptions += r.preemptions;
    CHECK(total(run, &ReplicaTotals::preemptions) == preemptions);
  });
}

TEST_CASE("conservation: Little's law holds exactly: requests inside, summed over time, are their stays") {
  for_each_run([](const Scenario& scenario, const Replay& run) {
    const Nanos delay = to_nanos(scenario.nodes[0].calibration.frontend);
    Int128 stays = 0;
    for (const RequestRecord& r : run.records) {
      if (r.replica < 0) continue;
      const Nanos end = r.status == RequestStatus::unfinished ? run.end : r.finish;
      stays += (end - r.arrival - delay).count();
    }
    CHECK(static_cast<double>(run.request_ns) == static_cast<double>(stays));
    CHECK(run.request_ns == stays);
  });
}

TEST_CASE("conservation: recorded steps account for all work and never overlap on a synchronous engine") {
  for_each_run([](const Scenario& scenario, const Replay& run) {
    std::size_t index = 0;
    for (const Deployment& d : scenario.deployments)
      for (int r = 0; r < d.replicas; ++r, ++index) {
        Nanos last{0};
        std::int64_t steps = 0, tokens = 0;
        for (const StepRecord& s : run.steps) {
          if (s.replica != static_cast<std::int32_t>(index)) continue;
          REQUIRE(s.start >= last);
          REQUIRE(s.end > s.start);
          REQUIRE(s.sequences <= d.engine.max_num_seqs);
          REQUIRE(s.tokens <= d.engine.max_num_batched_tokens);
          if (d.engine.num_gpu_blocks_override) REQUIRE(s.kv_blocks_used < *d.engine.num_gpu_blocks_override);
          last = s.end;
          ++steps;
          tokens += s.tokens;
        }
        CHECK(steps == run.totals[index].steps);
        CHECK(tokens >= run.totals[index].prompt_tokens);
      }
  });
}

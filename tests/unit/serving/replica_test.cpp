// The replica as a timed automaton: timing by hand, and strides against single steps.
#include "serving/replica.hpp"

#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "support/engine_desk.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

Request request(std::int64_t id, Nanos arrival, int prompt, int output) {
  Request r;
  r.id = id;
  r.arrival = arrival;
  r.prompt_tokens = prompt;
  r.output_tokens = r.max_tokens = output;
  return r;
}

Engine plain_engine(bool async) {
  Engine e;
  e.max_model_len = 4096;
  e.async_scheduling = async;
  e.max_num_seqs = 64;
  return e;
}

void drain(Replica& r) {
  while (r.next_due() != kNever) {
    const Nanos t = r.next_due();
    r.advance(t);
    r.close(t);
  }
}

Nanos parts(const RequestRecord& r) {
  return r.queued + r.prefill + r.decode + r.preempted + r.transfer + r.other;
}

}  // namespace

TEST_CASE("replica: synchronous steps take host and GPU time one after the other") {
  FakeCost cost(0.0005);  // a step: 0.5 ms host + 1 ms + 10 us a token + 1 ns a context token
  NullSink sink;
  Replica r({0, plain_engine(false), 1000, {{0, 1}}, 0, false}, cost, sink);
  r.submit(request(0, Nanos{7}, 100, 1), Nanos{7});
  CHECK(r.next_due() == Nanos{7});
  drain(r);
  REQUIRE(sink.records.size() == 1);
  const RequestRecord& a = sink.records[0];
  CHECK(a.finish == Nanos{7 + 500'000 + 1'000'000 + 100 * 10'000});
  CHECK(a.first_token == a.finish);  // an output of one token has no decode
  CHECK(a.queued == Nanos{0});
  CHECK(parts(a) == a.finish - a.arrival);
  CHECK(r.totals().busy == a.finish - a.arrival);
  CHECK(r.totals().overhead == Approx(0.0015));
}

TEST_CASE("replica: async scheduling hides host time behind the step before") {
  FakeCost cost(0.0005);
  NullSink sync_sink, async_sink;
  Replica sync({0, plain_engine(false), 1000, {{0, 1}}, 0, false}, cost, sync_sink);
  Replica async({0, plain_engine(true), 1000, {{0, 1}}, 0, false}, cost, async_sink);
  for (Replica* r : {&sync, &async}) {
    r->submit(request(0, Nanos{0}, 100, 101), Nanos{0});
    drain(*r);
  }
  const Nanos saved = sync_sink.records[0].finish - async_sink.records[0].finish;
  CHECK(saved == 100 * Nanos{500'000});  // every step but the first
  CHECK(to_seconds(async_sink.records[0].finish - async_sink.records[0].first_token).v / 100 ==
        Approx(0.00101).epsilon(0.001));
}

TEST_CASE("replica: a request cannot join a batch at its arrival, only at the next step boundary") {
  FakeCost cost(0);
  NullSink sink;
  Replica r({0, plain_engine(false), 1000, {{0, 1}}, 0, false}, cost, sink);
  r.submit(request(0, Nanos{0}, 100, 2), Nanos{0});
  r.advance(Nanos{0});
  r.close(Nanos{0});
  const Nanos first_end = r.next_due();
  r.submit(request(1, Nanos{10}, 100, 1), Nanos{10});
  drain(r);
  CHECK(sink.records[1].queued == first_end - Nanos{10});
}

TEST_CASE("replica: what can never run is refused and counted apart") {
  FakeCost cost;
  NullSink sink;
  Replica r({0, plain_engine(true), 11, {{0, 1}}, 0, false}, cost, sink);
  r.submit(request(0, Nanos{5}, 4096, 1), Nanos{9});
  r.submit(request(1, Nanos{9}, 161, 1), Nanos{9});  // 11 blocks, 10 usable
  r.submit(request(2, Nanos{9}, 150, 1), Nanos{9});
  drain(r);
  REQUIRE(sink.records.size() == 3);
  CHECK(sink.records[0].status == RequestStatus::refused);
  CHECK(parts(sink.records[0]) == Nanos{4});
  CHECK(sink.records[1].status == RequestStatus::refused);
  CHECK(sink.records[2].status == RequestStatus::completed);
  CHECK(r.totals().output_tokens == 1);
}

TEST_CASE("replica: an abort frees everything, running, waiting or in flight") {
  FakeCost cost;
  NullSink sink;
  Engine e = plain_engine(true);
  e.max_num_seqs = 2;
  Replica r({0, e, 100, {{0, 1}}, 0, false}, cost, sink);
  for (int i = 0; i < 4; ++i) r.submit(request(i, Nanos{0}, 50, 500), Nanos{0});
  r.close(Nanos{0});
  r.advance(Nanos{40'000'000});
  CHECK(r.abort(0, Nanos{40'000'000}));
  CHECK(r.abort(3, Nanos{40'000'000}));
  CHECK_FALSE(r.abort(3, Nanos{40'000'000}));
  r.check_invariants();
  drain(r);
  r.check_invariants();
  CHECK(sink.records.size() == 2);
  CHECK(r.unfinished() == 0);
  CHECK(r.load().kv_blocks_used == 0);
}

// Worked case 5 in time: B is preempted at call 9 while decoding and emits again at call 14.
TEST_CASE(
    "replica: across a preemption TTFT is the first token ever and nothing counts twice [complaints 12, "
    "14]") {
  Engine e = case_engine();
  e.max_num_batched_tokens = 8;
  e.enable_prefix_caching = true;
  FakeCost cost(0);
  struct Times final : ReplicaSink {
    void on_finish(const RequestRecord& r) override { records.push_back(r); }
    void on_step(const StepRecord& s) override { steps.push_back(s); }
    std::vector<RequestRecord> records;
    std::vector<StepRecord> steps;
  } sink;
  Replica r({0, e, 9, {{0, 1}}, 1, true}, cost, sink);
  const TokenRun shared{77, 0, 4, 1};  // both begin with one block that anybody may share
  for (const auto& [id, prompt, output] : {std::array{0, 9, 12}, std::array{1, 11, 9}}) {
    Request q = request(id, Nanos{0}, prompt, output);
    q.prompt = {shared, {q.unique_content(), 0, static_cast<std::uint32_t>(prompt - 4), 1}};
    q.shared_tokens = 4;
    r.submit(std::move(q), Nanos{0});
  }
  drain(r);
  REQUIRE(sink.records.size() == 2);
  const RequestRecord& b = sink.records[1];
  REQUIRE(b.id == 1);
  REQUIRE(b.preemptions >= 1);
  std::vector<Nanos> ends;
  std::size_t evicted = 0, resumed = 0;
  for (std::size_t i = 0; i < sink.steps.size(); ++i) {
    ends.push_back(sink.steps[i].end);
    if (sink.steps[i].preempted > 0) evicted = i;
  }
  REQUIRE(evicted > 3);
  for (std::size_t i = evicted; i < sink.steps.size() && resumed == 0; ++i)
    if (sink.records[0].finish < sink.steps[i].end)
      resumed = i;              // A ended: B's first step afterwards, which emits
  CHECK(b.cached_tokens == 4);  // at its first admission; the recompute's hits are not added
  CHECK(b.first_token < sink.steps[evicted].start);
  CHECK(b.preempted == ends[resumed] - sink.steps[evicted].start);
  CHECK(b.prefill == b.first_token - sink.steps[0].end);
  CHECK(parts(b) == b.finish - b.arrival);
  CHECK(b.output_tokens == 9);
  CHECK(r.totals().cached_tokens == 4);
  CHECK(r.totals().output_tokens == 21);
}

namespace {

struct Outcome {
  std::vector<RequestRecord> records, censored;
  std::vector<ReplicaLoad> loads;
  ReplicaTotals totals;
  std::vector<StepRecord> steps;
};

struct Collect final : ReplicaSink {
  explicit Collect(Outcome& o) : out(o) {}
  void on_finish(const RequestRecord& r) override { out.records.push_back(r); }
  void on_step(const StepRecord& s) override { out.steps.push_back(s); }
  Outcome& out;
};

/// A random engine and workload; `extra` inserts advance calls that must change nothing.
Outcome play(std::uint64_t seed, std::int64_t max_stride, bool extra) {
  RandomStream random(seed);
  Engine e = plain_engine(random.below(2) == 0);
  e.block_size = random.below(2) == 0 ? 4 : 16;
  e.max_num_seqs = static_cast<int>(2 + random.below(12));
  e.max_num_batched_tokens = static_cast<int>(32 + random.below(200));
  e.enable_prefix_caching = random.below(2) == 0;
  e.scheduling_policy = std::array{"fcfs", "priority", "static", "prefill_first"}[random.below(4)];
  e.max_model_len = 400;
  const auto blocks = static_cast<std::int64_t>(1 + 400 / e.block_size + static_cast<int>(random.below(100)));
  FakeCost cost(random.below(2) == 0 ? 0.0002 : 0.004);
  Outcome out;
  Collect sink(out);
  Replica r({3, e, blocks, {{0, 1}}, max_stride, true}, cost, sink);
  RandomStream noise(seed + 1);
  Nanos t{0};
  for (int i = 0; i < 60; ++i) {
    if (random.below(4) != 0) t += Nanos{static_cast<std::int64_t>(random.exponential() * 30e6)};
    while (r.next_due() < t) {
      const Nanos due = r.next_due();
      r.advance(due);
      if (extra) r.advance(due);
      r.close(due);
      if (extra)
        r.advance(due +
                  (std::min(t, r.next_due()) - due) * static_cast<std::int64_t>(noise.below(100)) / 100);
    }
    r.advance(t);
    out.loads.push_back(r.load());
    const auto burst = 1 + random.below(3);
    for (std::uint64_t b = 0; b < burst; ++b) {
      Request q = request(static_cast<std::int64_t>(out.loads.size() * 8 + b), t,
                          static_cast<int>(1 + random.below(150)), static_cast<int>(1 + random.below(120)));
      q.priority = static_cast<std::int32_t>(random.below(3));
      if (random.below(3) == 0) q.max_tokens += static_cast<std::int32_t>(random.below(20));
      if (random.below(2) == 0) {
        q.prompt = {{1 + random.below(3), 0, static_cast<std::uint32_t>(q.prompt_tokens), 1}};
        q.shared_tokens = q.prompt_tokens;
      }
      r.submit(std::move(q), t);
    }
    r.close(t);
  }
  out.censored = r.censored(t);
  for (const RequestRecord& c : out.censored) REQUIRE(parts(c) == t - c.arrival);
  drain(r);
  r.check_invariants();
  INFO(e.scheduling_policy << " running " << r.load().running << " async " << e.async_scheduling << " stride "
                           << max_stride);
  REQUIRE(r.stuck() == "");
  REQUIRE(r.unfinished() == 0);
  REQUIRE(r.load().kv_blocks_used == 0);
  out.totals = r.totals();
  return out;
}

bool same(const RequestRecord& a, const RequestRecord& b) {
  return a.id == b.id && a.first_token == b.first_token && a.finish == b.finish &&
         a.output_tokens == b.output_tokens && a.cached_tokens == b.cached_tokens &&
         a.preemptions == b.preemptions && a.queued == b.queued && a.prefill == b.prefill &&
         a.decode == b.decode && a.preempted == b.preempted && a.status == b.status;
}

bool same(const LogHistogram& a, const LogHistogram& b) {
  if (a.bins() != b.bins()) return false;
  for (std::size_t i = 0; i < a.bins(); ++i)
    if (a.count(i) != b.count(i)) return false;
  return true;
}

void require_same(const Outcome& a, const Outcome& b) {
  REQUIRE(a.records.size() == b.records.size());
  for (std::size_t i = 0; i < a.records.size(); ++i) REQUIRE(same(a.records[i], b.records[i]));
  REQUIRE(a.censored.size() == b.censored.size());
  for (std::size_t i = 0; i < a.censored.size(); ++i) REQUIRE(same(a.censored[i], b.censored[i]));
  for (std::size_t i = 0; i < a.loads.size(); ++i) {
    REQUIRE(a.loads[i].running == b.loads[i].running);
    REQUIRE(a.loads[i].waiting == b.loads[i].waiting);
    REQUIRE(a.loads[i].kv_blocks_used == b.loads[i].kv_blocks_used);
  }
  REQUIRE(a.steps.size() == b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    REQUIRE(a.steps[i].start == b.steps[i].start);
    REQUIRE(a.steps[i].end == b.steps[i].end);
    REQUIRE(a.steps[i].sequences == b.steps[i].sequences);
    REQUIRE(a.steps[i].kv_blocks_used == b.steps[i].kv_blocks_used);
  }
  REQUIRE(a.totals.busy == b.totals.busy);
  REQUIRE(a.totals.compute == b.totals.compute);  // to the last bit
  REQUIRE(a.totals.memory == b.totals.memory);
  REQUIRE(a.totals.overhead == b.totals.overhead);
  REQUIRE(a.totals.output_tokens == b.totals.output_tokens);
  REQUIRE(a.totals.wasted_tokens == b.totals.wasted_tokens);
  REQUIRE(a.totals.cached_tokens == b.totals.cached_tokens);
  REQUIRE(same(a.totals.itl, b.totals.itl));
  REQUIRE(same(a.totals.step_time, b.totals.step_time));
  REQUIRE(same(a.totals.batch_size, b.totals.batch_size));
}

}  // namespace

TEST_CASE("replica: strides give what single steps give, to the last bit, whatever extra advances are made") {
  std::int64_t longest = 0, cut = 0, preemptions = 0, hits = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const Outcome stepped = play(seed, 1, false);
    const Outcome strided = play(seed, 0, false);
    require_same(stepped, strided);
    require_same(stepped, play(seed, 3, false));
    require_same(stepped, play(seed, 0, true));
    REQUIRE(stepped.totals.strides == 0);
    longest = std::max(longest, strided.totals.longest_stride);
    cut += strided.totals.cut_strides;
    preemptions += strided.totals.preemptions;
    hits += strided.totals.cached_tokens;
    for (const RequestRecord& r : strided.records)
      if (r.status == RequestStatus::completed) REQUIRE(parts(r) == r.finish - r.arrival);
  }
  CHECK(longest > 5);
  CHECK(cut > 100);
  CHECK(preemptions > 100);
  CHECK(hits > 1000);
}

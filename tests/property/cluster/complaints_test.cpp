// What users of such simulators have run into, on whole runs: refusals, joining a batch, host time.
#include <algorithm>
#include <catch2/catch.hpp>

#include "cluster/run.hpp"
#include "property/cluster/random_scenario.hpp"
#include "property/cluster/replay.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using namespace std::chrono_literals;

namespace {

Distribution fixed(double tokens) {
  Distribution d;
  d.type = Distribution::Type::fixed;
  d.value = tokens;
  return d;
}

Stream stream(const std::string& name, double rate, std::int64_t requests, double input, double output) {
  Stream s;
  s.name = s.tenant = name;
  s.rate = rate;
  s.arrival.process = Arrival::Process::constant;
  s.num_requests = requests;
  s.input = fixed(input);
  s.output = fixed(output);
  return s;
}

/// One replica of an 8B model on an H100.
Scenario plain() {
  Scenario s;
  s.name = "plain";
  s.nodes.push_back({"nodes", node_of(h100()), h100(), h100_calibration(), 1});
  Deployment d;
  d.name = "chat";
  d.model = llama_3_1_8b();
  d.engine = bf16_engine();
  d.placements.push_back({0, 0, 0});
  s.deployments.push_back(d);
  s.workload.streams.push_back(stream("chat", 20, 40, 200, 50));
  s.run.record.steps = true;
  return s;
}

}  // namespace

TEST_CASE("refusals: what can never run is counted apart and changes nothing for the others [complaint 13]") {
  const Scenario alone = plain();
  Scenario mixed = plain();
  mixed.workload.streams.push_back(stream("impossible", 33, 60, 5000, 10));  // max_model_len is 4096
  const Replay a = replay(alone), b = replay(mixed);
  CHECK(b.records.size() == 100);
  CHECK(b.requests_by_replica[0] == 40);
  CHECK(b.totals[0].output_tokens == a.totals[0].output_tokens);
  CHECK(b.totals[0].busy == a.totals[0].busy);
  std::vector<Nanos> finishes[2];
  for (const RequestRecord& r : a.records) finishes[0].push_back(r.finish);
  for (const RequestRecord& r : b.records) {
    if (r.stream == 0) {
      finishes[1].push_back(r.finish);
    } else {
      CHECK(r.status == RequestStatus::refused);
      CHECK(r.output_tokens == 0);
    }
  }
  CHECK(finishes[0] == finishes[1]);
}

TEST_CASE("joining: a request's first token comes from a step that began after it had come") {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Scenario scenario = random_scenario(seed);
    scenario.run.record.steps = true;
    const Replay run = replay(scenario);
    const Nanos delay = to_nanos(scenario.nodes[0].calibration.frontend);
    for (const RequestRecord& r : run.records) {
      if (r.status != RequestStatus::completed) continue;
      INFO("seed " << seed << " request " << r.id);
      const auto step = std::find_if(run.steps.begin(), run.steps.end(), [&r](const StepRecord& s) {
        return s.replica == r.replica && s.end == r.first_token;
      });
      REQUIRE(step != run.steps.end());
      REQUIRE(step->start >= r.arrival + delay);
      ++checked;
    }
  }
  CHECK(checked > 500);
}

TEST_CASE(
    "host time: eager launches and synchronous scheduling both make requests wait longer [complaint 22]") {
  Scenario scenario = plain();
  const auto end_of = [&scenario](bool eager, bool async) {
    scenario.deployments[0].engine.enforce_eager = eager;
    scenario.deployments[0].engine.async_scheduling = async;
    const Replay run = replay(scenario);
    Int128 stays = 0;
    for (const RequestRecord& r : run.records) stays += (r.finish - r.arrival).count();
    return static_cast<double>(stays);
  };
  const double best = end_of(false, true), synchronous = end_of(false, false), eager = end_of(true, true);
  CHECK(synchronous > 1.05 * best);
  CHECK(eager > 1.05 * best);
}

TEST_CASE("one token: output of length 1 and input of length 1 are whole requests") {
  Scenario scenario = plain();
  scenario.workload.streams = {stream("a", 50, 10, 1, 1), stream("b", 50, 10, 1, 3),
                               stream("c", 50, 10, 30, 1)};
  const Replay run = replay(scenario);
  REQUIRE(run.records.size() == 30);
  for (const RequestRecord& r : run.records) {
    CHECK(r.status == RequestStatus::completed);
    CHECK((r.output_tokens == 1) == (r.finish == r.first_token));
    CHECK((r.output_tokens == 1) == (r.decode == 0ns));
  }
}

TEST_CASE("progress: the number of requests expected is that of the whole run, all through it") {
  Scenario s = plain();
  s.workload.streams[0].num_requests = 300;
  ScratchFolder folder;
  Recorder recorder(s, (folder / "out.h5").string());
  RunHooks hooks;
  hooks.progress_every = 1;
  std::vector<RunProgress> seen;
  hooks.on_progress = [&](const RunProgress& p) { seen.push_back(p); };
  run_cluster(s, recorder, hooks);
  REQUIRE(seen.size() > 100);
  for (const RunProgress& p : seen) REQUIRE(p.requests_expected == 300);
  CHECK(seen.back().requests_done == 300);
}

// Decodes keep most of a small token budget; serving prompts first gives the whole of it to them.
TEST_CASE(
    "policies: decode first and prefill first differ in TTFT by several times at the same throughput "
    "[complaint 21]") {
  double ttft[2], rate[2];
  for (const bool prefill_first : {false, true}) {
    Scenario s = plain();
    Engine& e = s.deployments[0].engine;
    e.scheduling_policy = prefill_first ? "prefill_first" : "fcfs";
    e.max_num_seqs = 64;
    e.max_num_batched_tokens = 64;
    s.workload.streams[0] = stream("chat", 11, 1200, 300, 400);
    const Replay run = replay(s);
    REQUIRE(run.records.size() == 1200);
    double sum = 0;
    for (const RequestRecord& r : run.records) sum += to_seconds(r.first_token - r.arrival).v;
    ttft[prefill_first] = sum / 1200;
    rate[prefill_first] = static_cast<double>(run.totals[0].output_tokens) / to_seconds(run.end).v;
  }
  CAPTURE(ttft[0], ttft[1], rate[0], rate[1]);
  CHECK(ttft[0] > 3 * ttft[1]);
  CHECK(rate[1] == Approx(rate[0]).epsilon(0.1));
}

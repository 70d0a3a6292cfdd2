// The summary of hand-made result files against hand calculations.
#include "analysis/summary.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "support/recorded_run.hpp"
#include "support/results_file.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using analysis::GroupSummary;
using analysis::Summary;
using Catch::Matchers::Contains;

namespace {

std::vector<RequestRecord> four_requests() {
  // chat: limits TTFT 200 ms, TPOT 50 ms; nightly: a class without limits
  std::vector<RequestRecord> all{recorded_request(0, 1s, 10ms, 100ms, 10ms, 11),  // met; ends 1.2 s
                                 recorded_request(1, 2s, 20ms, 300ms, 10ms, 21),  // TTFT too long; ends 2.5 s
                                 recorded_request(2, 3s, 30ms, 100ms, 60ms, 6),   // TPOT too long; ends 3.4 s
                                 recorded_request(3, 4s, 40ms, 500ms, 20ms, 26)};  // nightly; ends 5 s
  all[3].stream = 1;
  return all;
}

Summary summary_of(const std::string& path, const Scenario& scenario,
                   const std::vector<RequestRecord>& requests,
                   const RunResult& result = recorded_result(10s)) {
  Recorder recorder(scenario, path);
  for (const RequestRecord& r : requests) recorder.request(r);
  recorder.finish(result);
  recorder.publish();
  return analysis::summarize(path);
}

}  // namespace

TEST_CASE("summary: throughputs, latencies, attainment and goodput by hand") {
  const TemporaryFolder folder;
  const Summary s = summary_of(folder / "a.h5", recorded_scenario(), four_requests());
  CHECK(s.scenario == "by hand");
  CHECK(s.duration_s == Approx(5.0));  // no warm-up: from 0 to the last completion
  CHECK(s.all.completed == 4);
  CHECK(s.all.input_tokens == 400);
  CHECK(s.all.output_tokens == 64);
  CHECK(s.all.request_throughput == Approx(0.8));
  CHECK(s.all.output_throughput == Approx(12.8));
  CHECK(s.all.total_token_throughput == Approx(92.8));
  CHECK(s.all.ttft.mean == Approx(250));  // 100, 300, 100, 500
  CHECK(s.all.ttft.median == Approx(200));
  CHECK(s.all.ttft.p90 == Approx(440));
  CHECK(s.all.ttft.p99 == Approx(494));
  CHECK(s.all.tpot.mean == Approx(25));  // 10, 10, 60, 20
  CHECK(s.all.e2el.max == Approx(1000));
  CHECK(s.all.queued.mean == Approx(25));
  // three requests have limits, one met them all
  CHECK(s.all.slo_attainment == Approx(1.0 / 3));
  CHECK(s.all.request_goodput == Approx(0.2));
  CHECK(s.warnings.empty());
}

TEST_CASE("summary: a row for each stream and SLO class") {
  const TemporaryFolder folder;
  const Summary s = summary_of(folder / "a.h5", recorded_scenario(), four_requests());
  REQUIRE(s.streams.size() == 2);
  CHECK(s.streams[0].name == "chat");
  CHECK(s.streams[0].completed == 3);
  CHECK(s.streams[0].ttft.mean == Approx(500.0 / 3));
  CHECK(s.streams[1].name == "nightly");
  CHECK(s.streams[1].ttft.mean == Approx(500));
  CHECK(s.streams[1].slo_attainment == -1);
  REQUIRE(s.slo_classes.size() == 2);
  CHECK(s.slo_classes[0].name == "interactive");
  CHECK(s.slo_classes[0].slo_attainment == Approx(1.0 / 3));
  CHECK(s.slo_classes[1].name == "batch");
  CHECK(s.slo_classes[1].request_goodput == -1);
}

TEST_CASE("summary: streams of one class are together in it, and keep the scenario's order") {
  const TemporaryFolder folder;
  Scenario scenario = recorded_scenario();
  scenario.workload.streams.resize(4);
  for (std::size_t i = 0; i < 4; ++i) {
    scenario.workload.streams[i].name = std::string(1, static_cast<char>('a' + i));
    scenario.workload.streams[i].slo_class = i % 2 == 0 ? 1 : 0;
  }
  auto requests = four_requests();
  for (std::size_t i = 0; i < 4; ++i) requests[i].stream = static_cast<std::uint16_t>(i);
  const Summary s = summary_of(folder / "a.h5", scenario, requests);
  REQUIRE(s.streams.size() == 4);
  const std::vector<double> ttft{100, 300, 100, 500};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(s.streams[i].name == std::string(1, static_cast<char>('a' + i)));
    CHECK(s.streams[i].ttft.mean == Approx(ttft[i]));
  }
  CHECK(s.slo_classes[0].ttft.mean == Approx(400));
  CHECK(s.slo_classes[1].ttft.mean == Approx(100));
  CHECK(s.all.ttft.mean == Approx(250));
}

TEST_CASE("summary: requests that arrived in the warm-up are left out of the latencies") {
  const TemporaryFolder folder;
  Scenario scenario = recorded_scenario();
  scenario.run.warmup = 2s;  // the second request arrives exactly then, and counts
  const Summary s = summary_of(folder / "a.h5", scenario, four_requests());
  CHECK(s.all.warmup == 1);
  CHECK(s.all.completed == 3);
  CHECK(s.duration_s == Approx(3.0));
  CHECK(s.all.request_throughput == Approx(1.0));
  CHECK(s.all.ttft.mean == Approx(300));
  CHECK_THAT(to_text(s), Contains("note: measured span: 2 s to 5.00 s (the last completion)"));
  CHECK_THAT(to_text(s),
             Contains("arrived in the first 2 s and left out of latencies and SLO attainment: 1"));
}

TEST_CASE("summary: throughput and cost of an overloaded replica do not depend on the warm-up") {
  const TemporaryFolder folder;
  // 400 requests arrive in 40 s and end one by one each 0.2 s: 100 tokens in, 10 out, so 550 tokens a second
  std::vector<RequestRecord> requests;
  for (std::int64_t i = 0; i < 400; ++i) {
    const Nanos arrival = Nanos{100ms} * i, first_token = Nanos{200ms} * (i + 1) - 90ms;
    requests.push_back(recorded_request(i, arrival, first_token - arrival, first_token - arrival, 10ms, 10));
  }
  Scenario scenario = recorded_scenario();
  for (const Nanos warmup : {Nanos{0}, Nanos{10s}, Nanos{20100ms}, Nanos{39s}}) {
    scenario.run.warmup = warmup;
    const Summary s = summary_of(folder / "a.h5", scenario, requests, recorded_result(80s));
    INFO(warmup.count());
    CHECK(s.all.output_throughput == Approx(50).epsilon(0.01));
    CHECK(s.all.total_token_throughput == Approx(550).epsilon(0.01));
    CHECK(s.cost_per_million_output == Approx(40).epsilon(0.01));  // 7.2 USD/h over 50 tokens/s
    CHECK(s.all.completed == std::llround(s.all.request_throughput * s.duration_s));
    CHECK(s.all.measured == 400 - s.all.warmup);
    CHECK(s.all.ttft.count == s.all.measured);
  }
}

TEST_CASE("summary: attainment of each limit alone tells which one failed") {
  const TemporaryFolder folder;
  auto requests = four_requests();
  requests[1].first_token = requests[1].arrival + 100ms;  // in time after all: only the TPOT of one is missed
  const Summary s = summary_of(folder / "a.h5", recorded_scenario(), requests);
  CHECK(s.all.slo_attainment == Approx(2.0 / 3));
  CHECK(s.all.ttft_attainment == 1);
  CHECK(s.all.tpot_attainment == Approx(2.0 / 3));
  CHECK(s.all.e2e_attainment == -1);
  const std::string text = to_text(s);
  CHECK_THAT(text, Contains("TPOT limit attained (%):                 66.67") && Contains("by TPOT"));
  CHECK_THAT(text, !Contains("E2EL limit") && !Contains("by E2EL"));
  const auto json = nlohmann::json::parse(to_json(s));
  CHECK(json["ttft_slo_attainment"] == 1);
  CHECK(!json.contains("e2el_slo_attainment"));
  CHECK(json["slo_classes"]["interactive"]["tpot_slo_attainment"].get<double>() == Approx(2.0 / 3));
}

TEST_CASE("summary: refused and unfinished requests are counted apart and never raise throughput") {
  const TemporaryFolder folder;
  const Summary without = summary_of(folder / "a.h5", recorded_scenario(), four_requests());
  auto requests = four_requests();
  RequestRecord refused;
  refused.id = 4;
  refused.arrival = refused.finish = 4500ms;
  refused.prompt_tokens = 1'000'000;
  refused.status = RequestStatus::refused;
  RequestRecord unfinished = recorded_request(5, 4600ms, 0ms, 50ms, 1ms, 1000);
  unfinished.status = RequestStatus::unfinished;
  unfinished.finish = 0ns;
  requests.push_back(refused);
  requests.push_back(unfinished);
  const Summary s = summary_of(folder / "b.h5", recorded_scenario(), requests);
  CHECK(s.all.refused == 1);
  CHECK(s.all.unfinished == 1);
  CHECK(s.all.completed == 4);
  CHECK(s.all.request_throughput == without.all.request_throughput);
  CHECK(s.all.total_token_throughput == without.all.total_token_throughput);
  CHECK(s.all.ttft.mean == without.all.ttft.mean);
  CHECK(s.all.slo_attainment == Approx(1.0 / 5));  // of what arrived
  CHECK(s.all.request_goodput == without.all.request_goodput);
  REQUIRE(s.warnings.size() == 2);
  CHECK_THAT(s.warnings[0], Contains("censored"));
  CHECK_THAT(s.warnings[1], Contains("refused") && Contains("SLO attainment counts them as misses"));
}

TEST_CASE("summary: ledger, cost, prefix cache and gaps between tokens come from the replicas") {
  const TemporaryFolder folder;
  RunResult result = recorded_result(10s);
  const Summary s = summary_of(folder / "a.h5", recorded_scenario(), four_requests(), result);
  REQUIRE(s.ledger.size() == 5);
  CHECK(s.ledger[0] == std::pair<std::string, double>{"compute", 0.0625});
  CHECK(s.ledger[1] == std::pair<std::string, double>{"memory", 0.1875});
  CHECK(s.ledger[4] == std::pair<std::string, double>{"idle", 0.75});
  CHECK(s.binds == "idle: arrivals, steps: memory bandwidth");
  CHECK(s.prefix_cache_hit_rate == 0.25);
  CHECK(s.itl.count == 9);
  CHECK(s.itl.median == Approx(20).epsilon(1.0 / 16));
  // 7.2 USD/h over 12.8 output tokens/s: 7.2 / 3600 / 12.8 * 1e6
  CHECK(s.cost_per_million_output == Approx(156.25));
  CHECK_THAT(to_text(s), Contains("idle GPUs of a node are not charged"));
  result.replicas[1].price_per_hour = 0;  // one price unknown: no cost
  CHECK(summary_of(folder / "b.h5", recorded_scenario(), four_requests(), result).cost_per_million_output ==
        -1);
}

TEST_CASE("summary: without recorded requests the replicas' totals remain") {
  const TemporaryFolder folder;
  Scenario scenario = recorded_scenario();
  scenario.run.record.requests = false;
  RunResult result = recorded_result(10s);
  result.replicas[0].totals.output_tokens = 64;
  const Summary s = summary_of(folder / "a.h5", scenario, four_requests(), result);
  CHECK(s.all.completed == 4);
  CHECK(s.all.output_throughput == Approx(6.4));
  CHECK(s.all.ttft.count == 0);
  CHECK(to_text(s).find("TTFT") == std::string::npos);
}

TEST_CASE("summary: a run without a single request says so") {
  const TemporaryFolder folder;
  const Summary s = summary_of(folder / "a.h5", recorded_scenario(), {});
  CHECK(s.all.completed == 0);
  CHECK(s.duration_s == 0);
  CHECK(s.all.request_throughput == 0);
  CHECK(s.streams.empty());
  CHECK_THAT(to_text(s), Contains("Successful requests:                     0"));
}

TEST_CASE("summary: where nothing ran the replicas were idle and nothing binds") {
  const TemporaryFolder folder;
  for (const Nanos wall : {Nanos{0}, Nanos{10s}}) {
    RunResult result = recorded_result(wall);
    result.replicas[0] = result.replicas[1];
    const Summary s = summary_of(folder / "a.h5", recorded_scenario(), {}, result);
    CHECK(s.ledger.back() == std::pair<std::string, double>{"idle", 1.0});
    CHECK_THAT(s.binds, Contains("no request ran"));
  }
}

TEST_CASE("summary: text has the rows of vLLM's benchmark, JSON its names") {
  const TemporaryFolder folder;
  const Summary s = summary_of(folder / "a.h5", recorded_scenario(), four_requests());
  const std::string text = to_text(s);
  for (const char* line :
       {"============ Serving Benchmark Result ============", "Successful requests:                     4",
        "Benchmark duration (s):                  5.00", "Request throughput (req/s):              0.80",
        "---------------Time to First Token----------------",
        "Mean TTFT (ms):                          250.00",
        "-----Time per Output Token (excl. 1st token)------",
        "P99 E2EL (ms):", "Mean ITL (ms):", "Bound by:                                idle: arrivals",
        "note: calibration some-gpu: step times within 5 %"})
    CHECK_THAT(text, Contains(line));
  const auto json = nlohmann::json::parse(to_json(s));
  CHECK(json["completed"] == 4);
  CHECK(json["mean_ttft_ms"].get<double>() == Approx(250));
  CHECK(json["p99_tpot_ms"].get<double>() == Approx(s.all.tpot.p99));
  CHECK(json["streams"]["nightly"]["completed"] == 1);
  CHECK(json["streams"]["nightly"].contains("slo_attainment") == false);
}

TEST_CASE("summary: a calibration by analogy says that its device was not measured, and assumes its band") {
  const TemporaryFolder folder;
  Scenario s = recorded_scenario();
  const auto says = [&](const std::string& note) {
    CHECK_THAT(to_text(summary_of(folder / "a.h5", s, four_requests())), Contains(note + "\n"));
  };
  Calibration& c = s.nodes[0].calibration;
  says("note: calibration some-gpu: step times within 5 % (median), 12 % (90th percentile) of nothing");
  c.by_analogy = true;
  c.band = {0.18, 0.45, "by analogy with another GPU, this device was not measured"};
  says(
      "note: calibration some-gpu: by analogy with another GPU, this device was not measured; step times "
      "assumed within 18 % (median), 45 % (90th percentile)");
  c.band = {};
  says("note: calibration some-gpu: by analogy, this device was not measured; error not known");
  c.by_analogy = false;
  says("note: calibration some-gpu: error not known");
}

TEST_CASE("summary: storing it changes neither what is computed from the file nor, twice, its bytes") {
  const TemporaryFolder folder;
  const std::string a = folder / "a.h5", b = folder / "b.h5";
  const Summary before = summary_of(a, recorded_scenario(), four_requests());
  summary_of(b, recorded_scenario(), four_requests());
  analysis::store_summary(a, before);
  analysis::store_summary(b, before);
  CHECK((read_bytes(a) == read_bytes(b)));
  CHECK(to_text(analysis::summarize(a)) == to_text(before));
  CHECK(to_json(analysis::summarize(a)) == to_json(before));
  CHECK(read_text_attribute(a, "/summary", "binds") == before.binds);
}

TEST_CASE("summary: trace rows are accounted for in a note") {
  const TemporaryFolder folder;
  RunResult result = recorded_result(10s);
  result.traces = {{"chat", "a.csv", 10, 7, {{"failed", 2}, {"no output", 1}}}};
  const Summary s = summary_of(folder / "a.h5", recorded_scenario(), four_requests(), result);
  CHECK(s.notes.back() ==
        "trace a.csv (stream chat): 10 rows read, 7 accepted, 2 dropped: failed, 1 dropped: no output");
}

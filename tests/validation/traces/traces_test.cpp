// Every supported sample of ../shared/data/traces against expected.json: what a faithful import yields.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/errors.hpp"

#include "support/shared_data.hpp"
#include "support/workload_scenario.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using nlohmann::json;

namespace {

json expected_of(const std::filesystem::path& traces) {
  std::ifstream in(traces / "expected.json");
  return json::parse(in);
}

double percentile(std::vector<double> v, double p) {
  std::sort(v.begin(), v.end());
  const double at = p / 100 * static_cast<double>(v.size() - 1);
  const auto i = static_cast<std::size_t>(at);
  return i + 1 < v.size() ? v[i] + (at - static_cast<double>(i)) * (v[i + 1] - v[i]) : v.back();
}

double mean(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

double cv(const std::vector<double>& v) {
  const double m = mean(v);
  double sum = 0;
  for (const double x : v) sum += (x - m) * (x - m);
  return std::sqrt(sum / static_cast<double>(v.size())) / m;
}

/// Compares what `have` computes under a name with what the file says under it, where it says something.
struct Comparison {
  const json& expected;
  void number(const char* key, double have, double tolerance) const {
    if (!expected.contains(key)) return;
    INFO(key);
    CHECK(have == Approx(expected[key].get<double>()).margin(tolerance));
  }
  void exact(const char* key, std::int64_t have) const {
    if (!expected.contains(key)) return;
    INFO(key);
    CHECK(have == expected[key].get<std::int64_t>());
  }
};

void compare_lengths(const Comparison& c, const std::vector<Request>& all) {
  std::vector<double> in, out;
  std::int64_t sum_in = 0, sum_out = 0;
  for (const Request& r : all) {
    in.push_back(r.prompt_tokens);
    out.push_back(r.output_tokens);
    sum_in += r.prompt_tokens;
    sum_out += r.output_tokens;
  }
  c.exact("sum_input_tokens", sum_in);
  c.exact("sum_output_tokens", sum_out);
  c.number("in_mean", mean(in), 1e-6);
  c.number("in_p50", percentile(in, 50), 1e-6);
  c.number("in_p99", percentile(in, 99), 0.0051);
  c.number("in_max", percentile(in, 100), 0);
  c.number("out_mean", mean(out), 1e-6);
  c.number("out_p50", percentile(out, 50), 1e-6);
  c.number("out_p99", percentile(out, 99), 0.0051);
  c.number("out_max", percentile(out, 100), 0);
}

void compare_times(const Comparison& c, const std::vector<Request>& all) {
  std::vector<double> gaps;
  std::set<std::int64_t> distinct;
  std::map<std::int64_t, double> bins;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) gaps.push_back(to_seconds(all[i].arrival - all[i - 1].arrival).v);
    distinct.insert(all[i].arrival.count());
    bins[all[i].arrival.count() / 1'000'000'000] += 1;
  }
  c.number("first_arrival_s", to_seconds(all.front().arrival).v, 0);
  c.number("last_arrival_s", to_seconds(all.back().arrival).v, 5.1e-7);
  c.number("cv_iat", cv(gaps), 1e-6);
  c.exact("dup_ts", static_cast<std::int64_t>(all.size() - distinct.size()));
  std::vector<double> counts;
  for (const auto& [second, n] : bins) counts.push_back(n);
  const auto seconds = static_cast<double>(all.back().arrival.count() / 1'000'000'000 + 1);
  const double m = static_cast<double>(all.size()) / seconds;
  double squares = 0;
  for (const double n : counts) squares += n * n;
  c.number("disp_1s", (squares / seconds - m * m) / m, 1e-3);
}

void check(TraceFormat format, const std::string& file) {
  const auto traces = shared_data("traces");
  RP_SKIP_WITHOUT(traces, "the trace samples");
  const json all_expected = expected_of(*traces);
  const json& expected = all_expected[file];
  REQUIRE_FALSE(expected.is_null());
  const auto source = make_request_source(replay(format, *traces / file));
  const std::vector<Request> all = drain(*source);
  const Comparison c{expected};
  c.exact("imported", static_cast<std::int64_t>(all.size()));
  compare_lengths(c, all);
  compare_times(c, all);
  const TraceCount count = source->trace_counts().at(0);
  c.exact("rows", count.read);
  std::int64_t dropped = 0;
  for (const auto& [reason, n] : count.dropped) dropped += n;
  CHECK(count.read == count.accepted + dropped);
  CHECK(count.accepted == static_cast<std::int64_t>(all.size()));
}

}  // namespace

TEST_CASE("azure 2023 conversation trace is imported faithfully") {
  check(TraceFormat::azure, "azure_2023/AzureLLMInferenceTrace_conv.csv");
}
TEST_CASE("azure 2023 code trace is imported faithfully") {
  check(TraceFormat::azure, "azure_2023/AzureLLMInferenceTrace_code_rows1-4409.csv");
}
TEST_CASE("azure 2024 traces are imported faithfully, also whole seconds without a fraction") {
  check(TraceFormat::azure, "azure_2024/azure2024_code_REAL_head5_tail5.csv");
  check(TraceFormat::azure, "azure_2024/azure2024_conv_REAL_head5_tail5.csv");
  check(TraceFormat::azure, "azure_2024/azure2024_conv_SYNTHETIC_20k.csv");
}
TEST_CASE("azure multimodal traces are imported by column name") {
  check(TraceFormat::azure, "azure_2025_mm/azure2025_mm_REAL_head5_tail5.csv");
  check(TraceFormat::azure, "azure_2025_mm/azure2025_mm_SYNTHETIC_4k.csv");
}
TEST_CASE("vidur traces with arrivals are imported faithfully") {
  check(TraceFormat::vidur, "vidur/splitwise_conv.csv");
  check(TraceFormat::vidur, "vidur/splitwise_code_rows1-4409.csv");
}
TEST_CASE("mooncake traces are imported faithfully") {
  check(TraceFormat::mooncake, "mooncake/conversation_trace_lines1-6000.jsonl");
  check(TraceFormat::mooncake, "mooncake/synthetic_trace_lines1-2000.jsonl");
  check(TraceFormat::mooncake, "mooncake/toolagent_like_SYNTHETIC_1500.jsonl");
}
TEST_CASE("llmservingsim traces are imported faithfully") {
  check(TraceFormat::llmservingsim, "llmservingsim/sharegpt-llama-3.1-8b_lengths_rows1-200.jsonl");
}

TEST_CASE("azure conv and vidur splitwise_conv are the same workload") {
  const auto traces = shared_data("traces");
  RP_SKIP_WITHOUT(traces, "the trace samples");
  const auto a = drain(replay(TraceFormat::azure, *traces / "azure_2023/AzureLLMInferenceTrace_conv.csv"));
  const auto b = drain(replay(TraceFormat::vidur, *traces / "vidur/splitwise_conv.csv"));
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    // vidur's file is rounded to microseconds, as Azure's times are whole ones
    if (a[i].arrival != b[i].arrival || a[i].prompt_tokens != b[i].prompt_tokens ||
        a[i].output_tokens != b[i].output_tokens)
      FAIL("request " << i << " differs");
  }
}

TEST_CASE("burstgpt rows that failed are dropped or kept as asked, and counted") {
  const auto traces = shared_data("traces");
  RP_SKIP_WITHOUT(traces, "the trace samples");
  const json expected = expected_of(*traces);
  for (const char* file :
       {"BurstGPT_1_REAL_rows1-250.csv", "BurstGPT_3_REAL_rows1-120.csv", "BurstGPT_1_SYNTHETIC_20k.csv"}) {
    INFO(file);
    const json& e = expected[std::string("burstgpt/") + file];
    Scenario s = replay(TraceFormat::burstgpt, *traces / "burstgpt" / file);
    const auto dropping = make_request_source(s);
    const auto good = drain(*dropping);
    CHECK(good.size() == e["imported_if_zero_output_dropped"].get<std::size_t>());
    const TraceCount count = dropping->trace_counts().at(0);
    CHECK(count.read == e["rows"].get<std::int64_t>());
    REQUIRE(count.dropped.size() == 1);
    CHECK(count.dropped[0].second == e["failed_zero_output"].get<std::int64_t>());
    std::int64_t in = 0, out = 0;
    s.workload.streams[0].trace->failed = Trace::Failed::keep;
    const auto kept = drain(s);
    CHECK(kept.size() == e["imported_if_kept"].get<std::size_t>());
    for (const Request& r : kept) {
      in += r.prompt_tokens;
      out += r.output_tokens;
    }
    // a kept row has at least one token either way
    CHECK(in == e["sum_input_tokens"].get<std::int64_t>() + e["zero_both"].get<std::int64_t>());
    CHECK(out == e["sum_output_tokens"].get<std::int64_t>() + e["failed_zero_output"].get<std::int64_t>());
    const Comparison c{e};
    c.number("last_arrival_s", to_seconds(kept.back().arrival).v, 0);
    compare_times(Comparison{json{{"cv_iat", e["cv_iat"]}, {"dup_ts", e["dup_ts"]}}}, kept);
  }
}

TEST_CASE("a trace of lengths only takes its times from the stream's own process") {
  const auto traces = shared_data("traces");
  RP_SKIP_WITHOUT(traces, "the trace samples");
  Scenario s = replay(TraceFormat::vidur, *traces / "vidur/arxiv_summarization_rows1-14000.csv");
  CHECK(message_of<ConfigError>([&] { make_request_source(s); }).find("no arrival time") !=
        std::string::npos);
  s.workload.streams[0].rate = 10.0;
  const auto all = drain(s);
  const json expected = expected_of(*traces);
  const json& e = expected["vidur/arxiv_summarization_rows1-14000.csv"];
  CHECK(all.size() == e["rows"].get<std::size_t>());
  compare_lengths(Comparison{e}, all);
  CHECK(to_seconds(all.back().arrival).v == Approx(1400).epsilon(0.05));
}

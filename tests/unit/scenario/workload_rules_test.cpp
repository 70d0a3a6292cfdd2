// Streams: one clear source of times and of lengths, names that exist, and nothing that has no effect.
#include <catch2/catch.hpp>

#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {
/// A scenario whose only stream is this one.
std::string with(const std::string& stream, const std::string& more = "") {
  return "cluster: {nodes: [{type: dgx-h100}]}\ndeployments: [{name: chat, model: llama-3.1-8b}]\n"
         "workload:\n  slo_classes: {gold: {ttft: 1 s, priority: 3}}\n"
         "  prefix_groups: {system: {count: 3, length: 100, popularity: {type: zipf, alpha: 1.1}}, plain: "
         "{length: 7}}\n"
         "  streams: [{name: s, " +
         stream + "}]\n" + more;
}
const std::string kLengths = "input: 10, output: 5";
const std::string kRest = ", num_requests: 9, " + kLengths;
const std::string kTrace = "trace: {format: azure_2023, path: x.csv}";
Stream stream(const std::string& text) { return load_text(with(text)).workload.streams[0]; }
}  // namespace

TEST_CASE("streams: exactly one of rate, concurrency and a trace's own times") {
  CHECK(stream("rate: 1 /s" + kRest).rate == 1.0);
  CHECK(stream("concurrency: 3" + kRest).concurrency == 3);
  CHECK_FALSE(stream(kTrace).rate);
  CHECK(stream(kTrace + ", rate: 1 /s").rate == 1.0);
  CHECK(has(said(with("num_requests: 9, " + kLengths)),
            "workload.streams.0.rate: nothing says when its requests come"));
  CHECK(has(said(with("rate: 1 /s, concurrency: 3" + kRest)), "keep one of rate and concurrency"));
  CHECK(has(said(with("rate: 0 /s" + kRest)), "rate: `0 /s` is out of range; give a value above 0"));
  CHECK(has(said(with("trace: {format: sharegpt, path: x.json}")), "such a file has no arrival times"));
  CHECK(has(said(with("rate: 1 /s, trace: {format: azure, path: x.csv, rate_scale: 2}")), "has no meaning"));
  CHECK(has(said(with("concurrency: 3, arrival: {process: constant}" + kRest)),
            "arrival: has no meaning without a rate"));
  CHECK(
      has(said(with("concurrency: 3, rate_profile: {type: flat}" + kRest)), "has no meaning without a rate"));
}

TEST_CASE("streams: lengths are required, and come from one place") {
  CHECK(has(said(with("rate: 1 /s, num_requests: 9, output: 5")), "input: this key is required and missing"));
  CHECK(has(said(with(kTrace + ", input: 5")), "input: the trace gives the lengths"));
  CHECK(has(said(with(kTrace + ", session: {turns: 2}")), "session: the trace gives the requests"));
  CHECK(has(said(with("rate: 1 /s, num_requests: 9, output: 5, input: 1.5")), "input: not a whole number"));
  CHECK(has(said(with("rate: 1 /s, num_requests: 9, output: 5, input: -1")), "input: `-1` is out of range"));
}

TEST_CASE("streams: something must end them") {
  CHECK(has(said(with("rate: 1 /s, " + kLengths)), "nothing says when it ends"));
  CHECK(has(said(with("concurrency: 1, " + kLengths)), "nothing says when it ends"));
  CHECK(said(with("rate: 1 /s, duration: 1 h, " + kLengths)) == "");
  CHECK(said(with("rate: 1 /s, " + kLengths, "run: {until: 1 h}\n")) == "");
  CHECK(has(said(with("rate: 1 /s" + kRest, "run: {until: 1 h, warmup: 60 min}\n")),
            "nothing is left after it"));
}

TEST_CASE("streams: what no run could carry out is refused with the bound") {
  const auto bound = [](const std::string& text) { return said(with(text)); };
  CHECK(has(bound("rate: 1.1e9 /s" + kRest),
            "rate: `1.1e9 /s` is out of range; give a value above 0 and at most"));
  CHECK(said(with("rate: 1e9 /s" + kRest)) == "");
  CHECK(has(bound("rate_profile: {type: steps, steps: [{start: 0 s, rate: 2e9 /s}]}" + kRest),
            "steps.0.rate: `2e9 /s` is out of range"));
  CHECK(has(bound("rate: 1 /s, arrival: {process: burst, burst_size: 1000001}" + kRest),
            "burst_size: `1000001` is out of range; give a value of at least 1 and at most 1000000"));
  CHECK(has(bound("concurrency: 1000001" + kRest),
            "concurrency: `1000001` is out of range; give a value of at least 1 and at most 1000000"));
  CHECK(has(bound("rate: 1 /s, num_requests: 1000000001, " + kLengths),
            "num_requests: `1000000001` is out of range; give a value of at least 0 and at most 1000000000"));
}

TEST_CASE("streams: lengths and turns that can only be 0 are refused") {
  for (const char* none :
       {"0", "{type: fixed, value: 0}", "{type: uniform, min: 0, max: 0.4}",
        "{type: normal, mean: 0, std_dev: 0}", "{type: normal, mean: 9, std_dev: 1, max: 0.5}"}) {
    INFO(none);
    const std::string value = none;
    CHECK(has(said(with("rate: 1 /s, num_requests: 9, output: 5, input: " + value)),
              "a length without tokens"));
    CHECK(has(said(with("rate: 1 /s, num_requests: 9, input: 5, output: " + value)),
              "a length without tokens"));
    CHECK(has(said(with("rate: 1 /s" + kRest), {"workload.prefix_groups.plain.length=" + value}),
              "a length without tokens"));
    CHECK(has(said(with("rate: 1 /s, session: {turns: " + value + "}" + kRest)), "a session without turns"));
  }
  CHECK(said(with("rate: 1 /s, num_requests: 9, output: 1, input: {type: uniform, min: 0, max: 1}")) == "");
  CHECK(said(with("rate: 1 /s, session: {turns: 2, think_time: 0 s}" + kRest)) == "");
}

TEST_CASE("streams: one of which nothing would come is refused") {
  CHECK(has(said(with("rate: 1e-12 /s" + kRest)),
            "rate: its first request is to be expected after more than 100"));
  const std::string hour = "run: {until: 1 h}\n";
  CHECK(has(said(with("rate: 1 /s, start: 1 h" + kRest, hour)),
            "start: the run ends before this stream begins"));
  CHECK(has(said(with("rate: 1e-4 /h" + kRest, hour)), "rate: fewer than one request in a thousand runs"));
  CHECK(said(with("rate: 1e-4 /h, arrival: {process: constant}" + kRest, hour)) ==
        "");  // the first comes at once
  const std::string late =
      "rate_profile: {type: steps, steps: [{start: 0 s, rate: 0 /s}, {start: 2 h, rate: 1 /s}]}";
  CHECK(has(said(with(late + kRest, hour)), "rate_profile: the run ends before the first step"));
}

TEST_CASE("run: more samples than 5 million are refused with a period that would do") {
  const auto samples = [](const std::string& stream, const std::string& run) {
    return said(with(stream + kRest, run));
  };
  const std::string text = samples("rate: 1 /s", "run: {until: 300 d}\n");
  CHECK(has(text, "run.sample_period: 1 s makes 25920000 samples of a run of 7200 h"));
  CHECK(has(text, "give at least 6 s"));
  CHECK(samples("rate: 1 /s", "run: {until: 300 d, sample_period: 6 s}\n") == "");
  CHECK(samples("rate: 1 /s", "run: {until: 300 d, record: {timeseries: false}}\n") == "");
  CHECK(has(samples("rate: 1 /s, start: 10 d, duration: 60 d", ""), "makes 6048000 samples"));
  CHECK(has(samples("rate: 1 /s", "run: {until: 3 h, sample_period: 1 ms}\n"), "give at least 3 ms"));
  CHECK(has(samples("rate: 1e-6 /s", ""), "makes 9000000 samples"));
}

TEST_CASE("streams: names are looked up, and the nearest is offered") {
  const Stream s = stream("rate: 1 /s, slo_class: gold, prefix: {group: system}, tenant: t" + kRest);
  CHECK(s.slo_class == 0);
  CHECK(s.prefix_group == 0);
  CHECK(s.tenant == "t");
  CHECK(has(said(with("rate: 1 /s, slo_class: gild" + kRest)),
            "there is no SLO class `gild`; did you mean `gold`?"));
  CHECK(has(said(with("rate: 1 /s, prefix: {group: sistem}" + kRest)), "did you mean `system`?"));
  CHECK(has(said(with("rate: 1 /s, deployment: chatt" + kRest)), "did you mean `chat`?"));
  CHECK(has(said(with("rate: 1 /s" + kRest + "}, {name: s, rate: 1 /s" + kRest)),
            "another stream is called `s`"));
  const Workload w = load_text(with("rate: 1 /s" + kRest)).workload;
  CHECK(w.prefix_groups[0].popularity.type == Distribution::Type::zipf);
  CHECK(w.prefix_groups[1].popularity.type == Distribution::Type::uniform);
  CHECK(w.prefix_groups[1].length.value == 7);
}

TEST_CASE("streams: arrival processes take their own keys only") {
  CHECK(stream("rate: 1 /s, arrival: {process: gamma, cv: 2}" + kRest).arrival.cv == 2);
  CHECK(stream("rate: 1 /s, arrival: {process: weibull, cv: 0.5}" + kRest).arrival.process ==
        Arrival::Process::weibull);
  CHECK(stream("rate: 1 /s, arrival: {process: burst, burst_size: 4}" + kRest).arrival.burst_size == 4);
  CHECK(stream("rate: 1 /s" + kRest).arrival.process == Arrival::Process::poisson);
  CHECK(has(said(with("rate: 1 /s, arrival: {process: poisson, cv: 2}" + kRest)),
            "arrival.cv: has no meaning with `process: poisson`"));
  CHECK(has(said(with("rate: 1 /s, arrival: {process: gamma}" + kRest)),
            "arrival.cv: missing with `process: gamma`"));
  CHECK(has(said(with("rate: 1 /s, arrival: {process: gama}" + kRest)), "did you mean `gamma`?"));
}

TEST_CASE("streams: rate profiles") {
  const Stream steps = stream(
      "rate_profile: {type: steps, steps: [{start: 0 s, rate: 2 /s}, {start: 1 min, rate: 60 "
      "/min}]}" +
      kRest);
  REQUIRE(steps.rate_profile.steps.size() == 2);
  CHECK(steps.rate_profile.steps[1].rate == 1.0);
  CHECK(steps.rate == 2.0);
  const Stream day = stream(
      "rate: 1 /s, rate_profile: {type: diurnal, period: 24 h, peak_hour: 14.5, "
      "peak_to_trough_ratio: 3}" +
      kRest);
  CHECK(day.rate_profile.peak == Nanos{52'200'000'000'000});
  CHECK(has(said(with("rate: 1 /s, rate_profile: {type: steps, steps: [{start: 0 s, rate: 2 /s}]}" + kRest)),
            "the steps of rate_profile are the rate"));
  CHECK(has(
      said(with("rate_profile: {type: steps, steps: [{start: 1 s, rate: 2 /s}, {start: 1 s, rate: 0 /s}]}" +
                kRest)),
      "steps.1.start: not after the step before it"));
  CHECK(has(
      said(with("rate: 1 /s, rate_profile: {type: diurnal, period: 1 h, peak: 1 h, peak_to_trough_ratio: 3}" +
                kRest)),
      "the peak lies outside the period"));
  CHECK(has(said(with("rate: 1 /s, rate_profile: {type: diurnal, period: 24 h, peak: 1 h, peak_hour: 1, "
                      "peak_to_trough_ratio: 3}" +
                      kRest)),
            "peak is given too"));
}

TEST_CASE("streams: sessions, and distributions of tokens and of seconds") {
  const Stream s = stream(
      "rate: 1 /s, session: {turns: {type: geometric, mean: 4}, think_time: {type: lognormal, mean: "
      "2 min, std_dev: 300 s}, context_growth: none}" +
      kRest);
  REQUIRE(s.session);
  CHECK(s.session->think_time.mean == 120);
  CHECK(s.session->context_growth == Session::Growth::none);
  CHECK(
      has(said(with("rate: 1 /s, session: {turns: 2, think_time: 5}" + kRest)), "think_time: a bare number"));
  CHECK(has(said(with("rate: 1 /s, session: {turns: 0}" + kRest)), "turns: a session without turns"));
  const auto input = [](const std::string& d) {
    return said(with("rate: 1 /s, num_requests: 9, output: 5, input: " + d));
  };
  for (const char* good :
       {"{type: fixed, value: 5}", "{type: uniform, min: 1, max: 5}", "{type: normal, mean: 5, std_dev: 1}",
        "{type: lognormal, mean: 5, std_dev: 1, min: 1, max: 9}", "{type: exponential, mean: 5}",
        "{type: geometric, mean: 5}", "{type: zipf, max: 100, alpha: 1.2}",
        "{type: empirical, file: x.csv}"}) {
    INFO(good);
    CHECK(input(good) == "");
  }
  CHECK(has(input("{type: uniform, min: 9, max: 5}"), "min is above max"));
  CHECK(has(input("{type: lognormal, mean: 0, std_dev: 1}"), "the mean is not above 0"));
  CHECK(has(input("{type: geometric, mean: 0.5}"), "counts from 1"));
  CHECK(has(input("{mean: 5}"), "input.type: this key is required and missing"));
  CHECK(has(input("{type: lognormall, mean: 5, std_dev: 1}"), "did you mean `lognormal`?"));
}

TEST_CASE("streams: trace settings, each format's own keys") {
  const Stream s = stream(
      "trace: {format: mooncake, path: x.jsonl, rate_scale: 2, limit: 50, failed: keep, overlong: "
      "truncate, reorder_window: 10, jitter: 3 s}");
  CHECK(s.trace->format == TraceFormat::mooncake);
  CHECK(s.trace->rate_scale == 2);
  CHECK(s.trace->limit == 50);
  CHECK(s.trace->failed == Trace::Failed::keep);
  CHECK(s.trace->overlong == Trace::Overlong::truncate);
  CHECK(s.trace->jitter == Nanos{3'000'000'000});
  CHECK(has(said(with("trace: {format: azure, path: x.csv, jitter: 1 s}")),
            "it belongs to `format: mooncake`"));
  CHECK(has(said(with("trace: {format: azure, path: x.csv, chars_per_token: 3}")),
            "it belongs to `format: sharegpt`"));
  CHECK(has(said(with("trace: {format: azure_2032, path: x.csv}")), "did you mean `azure_2023`?"));
}

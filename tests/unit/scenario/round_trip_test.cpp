// The resolved text of a scenario: complete, deterministic, and loading to the same scenario again.
#include <catch2/catch.hpp>

#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {
const std::string kWide = R"(name: wide
seed: 18446744073709551615
cluster:
  nodes: [{type: dgx-h100, count: 2}, {type: l40s-8, count: 1, name: small}]
  fabric: {title: "Our own: fast", link_bandwidth: 400 Gbit/s, latency: 1.7 us, rail_optimised: true}
deployments:
- {name: a, model: llama-3.1-70b, replicas: 3, engine: {tensor_parallel_size: 4, quantization: fp8, kv_cache_dtype: fp8,
   engine_version: vllm-0.20, max_model_len: 16384, scheduling_policy: priority, enforce_eager: true}}
- {name: b, model: llama-3.1-8b, nodes: small, engine: {max_model_len: 8192, num_gpu_blocks_override: 5000}}
router: {policy: power_of_two}
workload:
  slo_classes: {gold: {ttft: 333333 us, tpot: 50 ms, priority: -3}, "odd name": {e2e: 1 h}}
  prefix_groups: {system: {count: 20, length: {type: lognormal, mean: 2048.5, std_dev: 1e-3}, popularity: {type: zipf, alpha: 1.1}}}
  streams:
  - {name: chat, deployment: a, slo_class: gold, rate: 7 /min, arrival: {process: gamma, cv: 2.0}, duration: 3 h,
     rate_profile: {type: diurnal, period: 24 h, peak_hour: 14.25, peak_to_trough_ratio: 3},
     input: {type: lognormal, mean: 1155, std_dev: 1109, min: 1, max: 14050}, output: {type: empirical, file: sub/out.csv},
     prefix: {group: system}, session: {turns: {type: geometric, mean: 4}, think_time: {type: lognormal, mean: 120 s, std_dev: 300 s}}}
  - {name: steps, deployment: b, num_requests: 50, rate_profile: {type: steps, steps: [{start: 0 s, rate: 1 /s}, {start: 90 s, rate: 0 /s}]},
     input: 10, output: {type: zipf, max: 10}, output_stop: eos, start: 1 ns}
  - {name: replay, deployment: a, trace: {format: burstgpt, path: ../x.csv, rate_scale: 2.0, limit: 5000, failed: keep, overlong: truncate}}
  - {name: users, deployment: a, concurrency: 64, num_requests: 500, input: {type: fixed, value: 4000}, output: 500}
run: {until: 2 d, warmup: 60 s, sample_period: 1500 ms, max_stride: 1, record: {steps: true}}
output: out.h5
)";
}  // namespace

TEST_CASE("resolved text: loads again to the same text, and to the same values") {
  const Folder folder;
  const Scenario first = load_scenario(folder.write("s.yaml", kWide), options());
  const Scenario second = load_scenario(folder.write("again.yaml", first.resolved_yaml), options());
  CHECK(first.resolved_yaml == second.resolved_yaml);
  CHECK(second.seed == UINT64_MAX);
  CHECK(second.fabric.link_bandwidth == first.fabric.link_bandwidth);
  CHECK(second.fabric.latency == first.fabric.latency);
  CHECK(second.fabric.title == "Our own: fast");
  CHECK(second.deployments[0].model.quantization.weights == Dtype::fp8);
  CHECK(second.deployments[0].engine.gpu_memory_utilization == 0.92);
  CHECK(second.deployments[1].engine.num_gpu_blocks_override == 5000);
  for (std::size_t d = 0; d < 2; ++d)
    for (std::size_t r = 0; r < first.deployments[d].placements.size(); ++r) {
      CHECK(first.deployments[d].placements[r].node == second.deployments[d].placements[r].node);
      CHECK(first.deployments[d].placements[r].first_gpu == second.deployments[d].placements[r].first_gpu);
    }
  for (std::size_t i = 0; i < 4; ++i) {
    const Stream &a = first.workload.streams[i], &b = second.workload.streams[i];
    CHECK(a.rate == b.rate);
    CHECK(a.arrival.cv == b.arrival.cv);
    CHECK(a.rate_profile.peak == b.rate_profile.peak);
    CHECK(a.start == b.start);
    CHECK(a.output.file == b.output.file);
    CHECK(a.trace.has_value() == b.trace.has_value());
    if (a.trace) CHECK(a.trace->path == b.trace->path);
  }
  CHECK(second.workload.slo_classes[0].ttft == Nanos{333'333'000});
  CHECK(second.workload.slo_classes[1].name == "odd name");
  CHECK(second.run.until == first.run.until);
}

TEST_CASE("resolved text: says nothing about the output path or the stride, nor where the file lies") {
  const Folder folder;
  const Scenario s = load_scenario(folder.write("s.yaml", kWide), options());
  CHECK(s.output == "out.h5");
  CHECK(s.run.max_stride == 1);
  CHECK_FALSE(has(s.resolved_yaml, "\noutput:"));
  CHECK_FALSE(has(s.resolved_yaml, "stride"));
  CHECK_FALSE(has(s.resolved_yaml, folder.path().string()));
  CHECK(has(s.resolved_yaml, "path: ../x.csv"));
  CHECK(has(s.resolved_yaml, "file: sub/out.csv"));
}

TEST_CASE(
    "resolved text: the same scenario gives the same text, whatever the stride, output and folder [complaint "
    "24]") {
  const Folder one, two;
  const std::string a = load_scenario(one.write("s.yaml", kWide), options()).resolved_yaml;
  const std::string b =
      load_scenario(two.write("s.yaml", kWide), options({"run.max_stride=unlimited", "output=other.h5"}))
          .resolved_yaml;
  CHECK(a == b);
}

TEST_CASE("resolved text: every default is in it") {
  const std::string text = load_text(kSmall).resolved_yaml;
  for (const char* line :
       {"seed: 1\n", "policy: round_robin\n", "max_num_seqs: 1024\n", "max_num_batched_tokens: 8192\n",
        "async_scheduling: true\n", "gpu_memory_utilization: 0.9\n", "dtype: bfloat16\n",
        "process: poisson\n", "until: all_done\n", "sample_period: 1 s\n", "tenant: s\n"}) {
    INFO(line);
    CHECK(has(text, line));
  }
}

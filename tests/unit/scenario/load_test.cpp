// Loading a scenario: every problem at once, each with its exact place and what would be right.
#include <catch2/catch.hpp>

#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

TEST_CASE("scenario: a small file loads, with the file's name as the run's") {
  const Scenario s = load_text(kSmall);
  CHECK(s.name == "s");
  CHECK(s.seed == 1);
  REQUIRE(s.deployments.size() == 1);
  CHECK(s.deployments[0].model.layers == 32);
  CHECK(s.deployments[0].group(s).gpu.name == "h100-sxm");
  CHECK(s.router_policy == "round_robin");
  REQUIRE(s.workload.streams.size() == 1);
  CHECK(s.workload.streams[0].rate == 2.0);
  CHECK(s.workload.streams[0].tenant == "s");
  CHECK(s.workload.streams[0].input.type == Distribution::Type::fixed);
  CHECK(s.workload.streams[0].input.value == 100);
}

TEST_CASE("scenario: all problems of a file are reported at once, in order, each at its line and column") {
  const auto lines = problems_of(R"(nam: x
cluster:
  nodes: [{type: dgx-h10, count: 010}]
deployments:
- name: chat
  model: llama-3.1-8b
  replicas: 0
  engine:
    max_num_seq: 8
    async_scheduling: yes
    tensor_parallel_size: 2.5
router: {policy: least_outstandin}
workload:
  streams:
  - {name: s, rate: 5, num_requests: 10, input: {type: fixed, mean: 5}, output: 7}
run: {warmup: .inf, until: 5 GB}
)");
  const std::vector<std::string> expected = {
      "s.yaml:1:1: nam: unknown key; did you mean `name`?",
      "s.yaml:3:18: cluster.nodes.0.type: there is no node `dgx-h10` in hw/nodes; did you mean `dgx-h100`?",
      "s.yaml:3:34: cluster.nodes.0.count: `010` has a leading zero, which some readers take for octal; "
      "write 10",
      "s.yaml:7:13: deployments.0.replicas: `0` is out of range; give a value of at least 1 and at most "
      "100000",
      "s.yaml:9:5: deployments.0.engine.max_num_seq: unknown key; did you mean `max_num_seqs`?",
      "s.yaml:10:23: deployments.0.engine.async_scheduling: expected true or false, found `yes`; write true",
      "s.yaml:11:27: deployments.0.engine.tensor_parallel_size: `2.5` is not a whole number; write it "
      "without a "
      "point or an exponent",
      "s.yaml:12:18: router.policy: unknown value `least_outstandin`; did you mean `least_outstanding`? One "
      "of: "
      "round_robin, random, least_outstanding, power_of_two",
      "s.yaml:15:21: workload.streams.0.rate: a bare number, `5`, where a unit is due; give a rate of "
      "requests with "
      "its unit, such as `12 /s` (/s, /min, /h)",
      "s.yaml:15:49: workload.streams.0.input.value: missing with `type: fixed`; give value",
      "s.yaml:15:63: workload.streams.0.input.mean: has no meaning with `type: fixed`; its own keys are: "
      "value",
      "s.yaml:16:15: run.warmup: `.inf` is not a finite number; give a duration with its unit, such as `30 "
      "s` (d, h, "
      "min, s, ms, us, ns)",
      "s.yaml:16:28: run.until: `5 GB` is an amount of memory; give a duration with its unit, such as `30 s` "
      "(d, h, "
      "min, s, ms, us, ns)",
  };
  REQUIRE(lines.size() == expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(lines[i] == expected[i]);
}

TEST_CASE("scenario: what is missing is named at the map that lacks it") {
  CHECK(has(said("name: x\n"), "s.yaml:1:1: cluster: this key is required and missing"));
  CHECK(has(said("name: x\n"), "s.yaml:1:1: workload: this key is required and missing"));
  CHECK(has(said(kSmall, {"workload.streams=[]"}), "--set: workload.streams: the list is empty"));
  CHECK(has(said(kSmall, {"workload.streams.0.input="}), "--set: workload.streams.0.input"));
}

TEST_CASE("scenario: wrong kinds of values say what was expected") {
  CHECK(has(said(kSmall, {"seed=[1]"}), "--set: seed: expected a whole number, found a list"));
  CHECK(has(said(kSmall, {"seed=\"1\""}), "--set: seed: expected a whole number, found text in quotes"));
  CHECK(has(said(kSmall, {"seed=-1"}), "seed: `-1` is not a whole number from 0 on"));
  CHECK(has(said(kSmall, {"seed=1e400"}), "seed: "));
  CHECK(
      has(said(kSmall, {"run=5"}), "--set: run: expected a map of keys, found `5`; keys are: until, warmup"));
  CHECK(has(said(kSmall, {"deployments={}"}), "deployments: expected a list, found a map"));
  CHECK(has(said(kSmall, {"run.warmup=-5 s"}),
            "run.warmup: `-5 s` is out of range; give a value of at least 0 s"));
  CHECK(has(said(kSmall, {"deployments.0.engine.kv_cache_memory_bytes=-1 GB"}),
            "is out of range; give a value above 0"));
  CHECK(has(said(kSmall, {"deployments.0.engine.gpu_memory_utilization=1.5"}), "above 0 and at most 1"));
  CHECK(has(said(kSmall, {"deployments.0.engine.gpu_memory_utilization=.nan"}), "`.nan` is not a number"));
  CHECK(has(said(kSmall, {"deployments.0.engine.max_num_seqs=99999999999999999999"}), "is out of range"));
  CHECK(has(said(kSmall, {"name=\"a\\nb\""}), "name: the text has control characters in it"));
}

TEST_CASE("scenario: samples and replicas stay within what a run can carry out") {
  CHECK(has(said(kSmall, {"run.sample_period=1 ns"}),
            "run.sample_period: `1 ns` is out of range; give a value of at least 1 ms"));
  CHECK(has(said(kSmall, {"run.sample_period=999999 ns"}), "at least 1 ms"));
  CHECK(said(kSmall, {"run.sample_period=1 ms"}) == "");
  CHECK(has(said(kSmall, {"deployments.0.replicas=100001"}), "at least 1 and at most 100000"));
}

TEST_CASE("scenario: a memory for the KV cache that is not there is refused with what is") {
  CHECK(has(said(kSmall, {"deployments.0.engine.kv_cache_memory_bytes=1e200 GB"}),
            "deployments.0.engine.kv_cache_memory_bytes: "));
  const std::string text = said(kSmall, {"deployments.0.engine.kv_cache_memory_bytes=80 GB"});
  CHECK(has(text, "80.00 GB for the KV cache, and 6"));
  CHECK(has(text, "; give kv_cache_memory_bytes at most 6"));
  CHECK(has(said(kSmall, {"deployments.0.engine.num_gpu_blocks_override=1000000"}),
            "deployments.0.engine.num_gpu_blocks_override: "));
  CHECK(said(kSmall, {"deployments.0.engine.kv_cache_memory_bytes=60 GB"}) == "");
}

TEST_CASE("scenario: keys of later work are refused, not silently accepted; neutral values are") {
  for (const char* neutral :
       {"pipeline_parallel_size=1", "data_parallel_size=1", "enable_expert_parallel=false",
        "kv_offloading_size=0 GiB", "speculative_config=null", "num_gpu_blocks_override=null"})
    CHECK(said(kSmall, {std::string("deployments.0.engine.") + neutral}) == "");
  CHECK(said(kSmall, {"deployments.0.role=unified", "power=null", "disaggregation="}) == "");
  for (const char* later :
       {"deployments.0.engine.pipeline_parallel_size=2", "deployments.0.engine.data_parallel_size=2",
        "deployments.0.engine.enable_expert_parallel=true", "deployments.0.engine.kv_offloading_size=4 GiB",
        "deployments.0.engine.speculative_config={method: ngram}", "deployments.0.role=prefill",
        "power.gpu_limit=500 W", "disaggregation={prefill: a, decode: b}", "router.policy=prefix_affinity",
        "deployments.0.engine.scheduling_policy=sjf"}) {
    INFO(later);
    CHECK(has(said(kSmall, {later}), "not simulated yet"));
  }
}

TEST_CASE("scenario: a file that is missing, empty or no text is one clear problem") {
  CHECK_THROWS_WITH(load_scenario("nowhere/s.yaml", options()),
                    "nowhere/s.yaml: there is no such file; give the path of a YAML file");
  CHECK_THROWS_WITH(load_scenario("/", options()), Catch::Contains("this is a folder"));
  CHECK(said("") == "s.yaml: the file is empty; give `key: value` lines\n");
  CHECK(has(said(std::string("\x89HDF\r\n\x1a\n", 8)), "s.yaml:1:1: not a text file"));
}

TEST_CASE("scenario: a config.json can be named by its path, relative to the scenario") {
  const Folder folder;
  std::filesystem::copy_file(
      std::filesystem::path(RIDGEPOINT_SOURCE_DIR) / "workloads/models/llama-3.1-8b.json",
      folder.path() / "config.json");
  std::string text = kSmall;
  text.replace(text.find("llama-3.1-8b"), 12, "./config.json");
  const Scenario s = load_scenario(folder.write("s.yaml", text), options());
  CHECK(s.deployments[0].model.layers == 32);
  folder.write("config.json", "{\"architectures\": [\"MysteryModel\"]}");
  CHECK_THROWS_WITH(load_scenario(folder.path() / "s.yaml", options()),
                    Catch::Contains("config.json") && Catch::Contains("MysteryModel"));
}

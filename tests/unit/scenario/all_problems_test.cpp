// No problem hides another: what is wrong in one place is no reason to be silent about the next.
#include <catch2/catch.hpp>

#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {
const std::string kTwo = R"(cluster:
  nodes: [{type: dgx-h100}]
deployments:
- {name: a, model: llama-3.1-8b, engine: {max_model_len: 8192}}
- {name: b, model: llama-3.1-8b, engine: {max_model_len: 8192}}
workload:
  slo_classes: {gold: {ttft: 1 s}}
  prefix_groups: {system: {length: 100}}
  streams:
  - {name: s, deployment: a, rate: 2 /s, num_requests: 10, input: 100, output: 20}
)";
const std::string kTooFewTokens = "deployments.1.engine={max_num_seqs: 64, max_num_batched_tokens: 32}";
const char* const kSaysTooFew =
    "deployments.1.engine.max_num_batched_tokens: 32 is less than max_num_seqs, 64";
const std::string kWrongNames =
    "workload.streams.0={name: s, deployment: aa, slo_class: gild, prefix: {group: sistem}, rate: 2 /s, "
    "num_requests: 10, input: 100, output: 20}";
/// How the report of a `--set key=value` begins.
std::string complaint_of(const std::string& set) { return "--set: " + set.substr(0, set.find('=')) + ": "; }
void says_wrong_names(const std::string& text) {
  CHECK(has(text, "workload.streams.0.deployment: there is no deployment `aa`; did you mean `a`?"));
  CHECK(has(text, "workload.streams.0.slo_class: there is no SLO class `gild`; did you mean `gold`?"));
  CHECK(has(text, "workload.streams.0.prefix.group: there is no prefix group `sistem`; did you mean"));
}
}  // namespace

TEST_CASE("all problems: duplicate and merge keys are reported with everything else of the file") {
  const auto lines = problems_of(R"(name: x
name: y
cluster:
  nodes: [{type: dgx-h10}]
deployments:
- &base {name: chat, name: talk, model: llama-3.1-8b, replicas: 0}
- {<<: *base, name: b, modl: x}
workload:
  streams:
  - {name: s, deployment: chatt, rate: 5, num_requests: 10, input: 100, output: 7}
deployments: 5
)");
  const std::vector<std::string> expected = {
      "s.yaml:2:1: name: the key stands here a second time",
      "s.yaml:4:18: cluster.nodes.0.type: there is no node `dgx-h10`",
      "s.yaml:6:22: deployments.0.name: the key stands here a second time",
      "s.yaml:6:65: deployments.0.replicas: `0` is out of range",
      "s.yaml:6:65: deployments.1.replicas: `0` is out of range",
      "s.yaml:7:4: deployments.1: merge keys (`<<`) are not supported",
      "s.yaml:7:24: deployments.1.modl: unknown key; did you mean `model`?",
      "s.yaml:10:27: workload.streams.0.deployment: there is no deployment `chatt`; did you mean `chat`?",
      "s.yaml:10:40: workload.streams.0.rate: a bare number",
      "s.yaml:11:1: deployments: the key stands here a second time",
  };
  REQUIRE(lines.size() == expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(lines[i]);
    CHECK(has(lines[i], expected[i]));
  }
}

TEST_CASE("all problems: of a duplicate key the first is read on") {
  CHECK(problems_of(kTwo + "seed: 1\nseed: wrong\n").size() == 1);
  CHECK(problems_of(kTwo + "seed: wrong\nseed: 1\n").size() == 2);
}

TEST_CASE("all problems: a duplicate key in a file of the catalog comes with that file's others") {
  const Folder root;
  root.write("hw/gpus/mine.yaml", "title: a\ntitle: b\nvendr: c\n");
  try {
    load_gpu(root.path(), "mine");
    FAIL("it loaded");
  } catch (const ConfigError& e) {
    CHECK(has(e.what(), "title: the key stands here a second time"));
    CHECK(has(e.what(), "vendr: unknown key"));
  }
}

TEST_CASE("all problems: names are compared with those in the file, whatever else is wrong there") {
  for (const char* wrong :
       {"deployments.0.model=llama-9", "deployments.0.replicas=0", "deployments.1.name=a",
        "deployments.1.engine.max_num_seq=4", "deployments.1.engine.max_model_len=10000000",
        "deployments.0.engine.tensor_parallel_size=3", "workload.slo_classes.gold.ttft=0 s",
        "workload.prefix_groups.system.count=0", "cluster.nodes.0.type=dgx-h10"}) {
    INFO(wrong);
    const std::string text = said(kTwo, {wrong, kWrongNames});
    says_wrong_names(text);
    CHECK(has(text, complaint_of(wrong)));
  }
}

TEST_CASE("all problems: a name that may be the unreadable one is not called unknown") {
  CHECK_FALSE(has(said(kTwo, {"deployments.0.name=[1]"}), "there is no deployment"));
  CHECK_FALSE(has(said(kTwo, {"deployments=5"}), "there is no deployment"));
  CHECK_FALSE(
      has(said(kTwo, {"workload.slo_classes=5", "workload.streams.0.slo_class=gold"}), "no SLO class"));
  CHECK_FALSE(has(said(kTwo, {"cluster.nodes.0.name=[1]", "deployments.0.nodes=x"}), "no node group"));
}

TEST_CASE("all problems: a deployment's settings are checked, whatever else is wrong with it") {
  for (const char* wrong : {"deployments.1.name=a", "deployments.1.model=llama-9", "deployments.1.replicas=0",
                            "deployments.1.replicas=99", "deployments.1.nodes=nowhere",
                            "deployments.1.role=x", "deployments.1.engine.max_num_seq=4",
                            "cluster.nodes.0.type=dgx-h10", "deployments.1.engine.tensor_parallel_size=3"}) {
    INFO(wrong);
    const std::string text = said(kTwo, {kTooFewTokens, wrong});
    CHECK(has(text, kSaysTooFew));
    CHECK(has(text, complaint_of(wrong)));
  }
  const std::string text = said(kTwo, {"deployments.1.engine.max_model_len=10000000",
                                       "cluster.nodes.0.type=x", "deployments.1.engine.quantization=awq"});
  CHECK(has(text, "deployments.1.engine.max_model_len: llama-3.1-8b takes at most 131072 tokens"));
  CHECK(has(text, "deployments.1.engine.quantization: the checkpoint of llama-3.1-8b is not published in"));
}

TEST_CASE("all problems: a stream's and a cluster's problems do not hide one another") {
  const std::string stream = said(kTwo, {"workload.streams.0={name: s, deployment: a}"});
  CHECK(has(stream, "nothing says when its requests come"));
  CHECK(has(stream, "nothing says when it ends"));
  CHECK(has(stream, "workload.streams.0.input: this key is required and missing"));
  CHECK(has(stream, "workload.streams.0.output: this key is required and missing"));
  const std::string cluster =
      said(kTwo, {"cluster.nodes=[{type: dgx-h10, count: 2}, {type: dgx-h100, cout: 2}, "
                  "{type: dgx-h100}]",
                  "deployments.0.nodes=smal", "run={until: 1 s, warmup: 2 s, sample_period: 0 s}"});
  CHECK(has(cluster, "there is no node `dgx-h10`"));
  CHECK(has(cluster, "cluster.nodes.1.cout: unknown key"));
  CHECK(has(cluster, "another node group is called `dgx-h100`"));
  CHECK(has(cluster, "deployments.0.nodes: there is no node group `smal`"));
  CHECK(has(cluster, "run.warmup: nothing is left after it"));
}

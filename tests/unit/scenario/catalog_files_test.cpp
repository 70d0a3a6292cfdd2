// The files of hw/ and workloads/models: all load, and a broken one says what is wrong with it.
#include <catch2/catch.hpp>

#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {
const std::filesystem::path kRoot = RIDGEPOINT_SOURCE_DIR;
}

TEST_CASE("catalog: every file loads, and what it refers to exists") {
  for (const std::string& n : catalog_names(kRoot, "gpus")) {
    INFO(n);
    const Gpu g = load_gpu(kRoot, n);
    CHECK(g.name == n);
    CHECK_NOTHROW(load_calibration(kRoot, g.calibration));
  }
  for (const std::string& n : catalog_names(kRoot, "nodes")) {
    INFO(n);
    CHECK_NOTHROW(load_gpu(kRoot, load_node(kRoot, n).gpu));
  }
  for (const std::string& n : catalog_names(kRoot, "fabrics")) CHECK(load_fabric(kRoot, n).name == n);
  for (const std::string& n : catalog_names(kRoot, "calibrations"))
    CHECK(load_calibration(kRoot, n).name == n);
  for (const std::string& n : catalog_names(kRoot, "models")) CHECK(load_model(kRoot, n).name == n);
  CHECK(catalog_names(kRoot, "gpus").size() >= 15);
  CHECK(catalog_names(kRoot, "models").size() >= 15);
}

TEST_CASE("catalog: an unknown name offers the nearest, and cannot leave the folder") {
  CHECK_THROWS_WITH(load_gpu(kRoot, "h100-sx"), Catch::Contains("did you mean `h100-sxm`?"));
  CHECK_THROWS_WITH(load_gpu(kRoot, "../nodes/dgx-h100"), Catch::Contains("there is no such file"));
  CHECK_THROWS_WITH(load_model(kRoot, "lama-3.1-8b"), Catch::Contains("did you mean `llama-3.1-8b`?"));
  CHECK_THROWS_WITH(catalog_names(kRoot, "gpu"), Catch::Contains("gpus, nodes"));
}

TEST_CASE("catalog: hardware of one's own is named by paths, each relative to the file that names it") {
  const Folder folder;
  folder.write("parts/gpus/my-gpu.yaml",
               "peak: {bf16: 100 TFLOP/s}\nhbm_capacity: 80 GB\nhbm_bandwidth: 2 TB/s\nsm_count: 100\n"
               "pcie_bandwidth: 32 GB/s\ncalibration: ../h100.yaml\n");
  folder.write("parts/my-node.yaml", "gpu: gpus/my-gpu.yaml\ngpus: 2\n");
  std::ifstream fit(std::string(RIDGEPOINT_SOURCE_DIR) + "/hw/calibrations/h100.yaml");
  folder.write("parts/h100.yaml", std::string(std::istreambuf_iterator<char>(fit), {}));
  folder.write("parts/my-fabric.yaml", "link_bandwidth: 400 Gbit/s\nlatency: 2 us\n");
  const auto file = folder.write(
      "scenarios/s.yaml",
      "cluster: {nodes: [{type: ../parts/my-node.yaml, count: 2}], fabric: ../parts/my-fabric.yaml}\n"
      "deployments: [{name: chat, model: llama-3.1-8b}]\nworkload:\n  streams:\n"
      "  - {name: s, rate: 2 /s, num_requests: 10, input: 100, output: 20}\n");
  const Scenario s = load_scenario(file, options());
  CHECK(s.nodes[0].name == "my-node");
  CHECK(s.nodes[0].gpu.name == "my-gpu");
  CHECK(s.nodes[0].calibration.name == "h100");
  CHECK(s.fabric.name == "my-fabric");
  const Scenario again = load_scenario(folder.write("scenarios/again.yaml", s.resolved_yaml), options());
  CHECK(again.nodes[0].gpu.name == "my-gpu");
  CHECK(has(said(kSmall, {"cluster.nodes.0.type=./gone.yaml"}), "gone.yaml: there is no such file"));
}

TEST_CASE("catalog: a GPU file is as strict as a scenario") {
  const Folder folder;
  folder.write(
      "hw/gpus/x.yaml",
      "name: y\npeak: {int8: 5 TOP/s, bf17: 1 FLOP/s}\nhbm_capacity: 80\nhbm_bandwidth: 3 GB\nsm_count: 010\n"
      "boost_clock: 1 GHz\nmin_clock: 2 GHz\nsource: [a, b]\nnotes: text\ntdp: 7 W\n");
  try {
    load_gpu(folder.path(), "x");
    FAIL("loads");
  } catch (const ConfigError& e) {
    const std::string text = e.what();
    CHECK(has(text, "x.yaml:1:7: name: differs from the file's name, `x`"));
    CHECK(has(text, "x.yaml:2:23: peak.bf17: unknown key; keys are number formats"));
    CHECK(has(text, "x.yaml:3:15: hbm_capacity: a bare number"));
    CHECK(has(text, "x.yaml:4:16: hbm_bandwidth: `3 GB` is an amount of memory"));
    CHECK(has(text, "x.yaml:5:11: sm_count: `010`"));
    CHECK(has(text, "x.yaml:10:1: tdp: unknown key"));
    CHECK(has(text, "calibration: this key is required and missing"));
  }
  folder.write("hw/gpus/z.yaml",
               "peak: {int8: 5 TOP/s}\nhbm_capacity: 80 GB\nhbm_bandwidth: 3 TB/s\nboost_clock: 1 GHz\n"
               "min_clock: 2 GHz\ncalibration: c\n");
  CHECK_THROWS_WITH(load_gpu(folder.path(), "z"),
                    Catch::Contains("z.yaml:2:1: peak: none of bf16, fp16 and fp32") ||
                        Catch::Contains("peak: none of bf16, fp16 and fp32"));
}

TEST_CASE("catalog: problems of a file that a scenario names are reported together with the scenario's own") {
  const Folder folder;
  folder.write("hw/nodes/n.yaml", "gpu: g\ngpus: 0\n");
  const auto file = folder.write("s.yaml",
                                 "cluster: {nodes: [{type: n}]}\n"
                                 "deployments: [{name: d, model: m, replicas: 0}]\n"
                                 "workload: {streams: [{name: s, concurrency: 1, num_requests: 1, input: 1, "
                                 "output: 1}]}\n");
  try {
    load_scenario(file, {{}, folder.path()});
    FAIL("loads");
  } catch (const ConfigError& e) {
    const std::string text = e.what();
    CHECK(has(text, "n.yaml:2:7: gpus: `0` is out of range"));
    CHECK(has(text, "s.yaml:1:26: cluster.nodes.0.type: the file it names has problems"));
    CHECK(has(text, "s.yaml:2:32: deployments.0.model: there is no model `m`"));
    CHECK(has(text, "s.yaml:2:45: deployments.0.replicas: `0` is out of range"));
  }
}

TEST_CASE("catalog: the data folder is found from the environment or from the source tree") {
  unsetenv("RIDGEPOINT_HOME");
  CHECK(std::filesystem::is_directory(find_data_root() / "hw"));
  setenv("RIDGEPOINT_HOME", "/nonexistent", 1);
  CHECK_THROWS_WITH(find_data_root(), Catch::Contains("RIDGEPOINT_HOME"));
  setenv("RIDGEPOINT_HOME", RIDGEPOINT_SOURCE_DIR, 1);
  CHECK(find_data_root() == RIDGEPOINT_SOURCE_DIR);
}

// The catalog's hardware as the loaders read it: plausible, consistent, and naming only what exists.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include "scenario/load.hpp"

using namespace ridgepoint;

namespace {

const std::filesystem::path kRoot = RIDGEPOINT_SOURCE_DIR;

double peak(const Gpu& gpu, Dtype d) { return gpu.peak.at(d).v; }

/// FLOP a multiprocessor does in one clock at the stated peak.
double flops_per_clock(const Gpu& gpu, Dtype d) { return peak(gpu, d) / (gpu.sm_count * gpu.boost_clock.v); }

}  // namespace

TEST_CASE("hardware catalog: every accelerator loads with plausible figures") {
  for (const std::string& name : catalog_names(kRoot, "gpus")) {
    INFO(name);
    const Gpu gpu = load_gpu(kRoot, name);
    CHECK(gpu.name == name);
    CHECK(gpu.peak.count(Dtype::bf16) == 1);
    for (const auto& [dtype, rate] : gpu.peak) CHECK(rate.v > 1e12);
    CHECK(gpu.hbm_capacity.v > 15e9);
    CHECK(gpu.hbm_capacity.v < 600e9);
    CHECK(gpu.min_clock <= gpu.boost_clock);
    CHECK(gpu.idle_power.v > 0);
    CHECK(gpu.idle_power < gpu.power_limit);
    CHECK(gpu.pcie_bandwidth.v <= 225e9);  // a link to the host is not an NVLink, let alone 12.5 TB/s
    CHECK_FALSE(gpu.calibration.empty());
  }
}

TEST_CASE("hardware catalog: ridge points are those of the data sheets") {
  const auto ridge = [](const std::string& name) {
    const Gpu gpu = load_gpu(kRoot, name);
    return peak(gpu, Dtype::bf16) / gpu.hbm_bandwidth.v;
  };
  CHECK(ridge("h100-sxm") == Approx(989.4e12 / 3.35e12));  // 295 FLOP/B
  CHECK(ridge("a100-80gb-sxm") == Approx(153).margin(1));
  CHECK(ridge("b200") == Approx(281).margin(1));
  CHECK(ridge("l4") == Approx(403).margin(1));
  CHECK(ridge("rtx-4090") == Approx(164).margin(1));
  for (const std::string& name : catalog_names(kRoot, "gpus")) {
    INFO(name);
    CHECK(ridge(name) > 100);
    CHECK(ridge(name) < 800);
  }
}

TEST_CASE("hardware catalog: peaks are dense, so each is a whole number of operations a clock") {
  // Tensor units do a power of two of FLOP a clock: 512 and 1024 an SM (Ampere and Ada cards), 1024 and 2048
  // (data centre Ampere), 4096 (Hopper), 8192 (Blackwell). A peak with sparsity, or at another clock, would
  // be off by two or by some percent. The CPU's cores and the MI300X's units count likewise; a TPU has no
  // such cores.
  for (const std::string& name : catalog_names(kRoot, "gpus")) {
    const Gpu gpu = load_gpu(kRoot, name);
    if (gpu.vendor == "Google") continue;
    INFO(name << ": " << flops_per_clock(gpu, Dtype::bf16) << " FLOP a clock and unit");
    const double exponent = std::log2(flops_per_clock(gpu, Dtype::bf16));
    CHECK(exponent == Approx(std::round(exponent)).margin(0.02));
  }
  CHECK(flops_per_clock(load_gpu(kRoot, "h100-sxm"), Dtype::bf16) == Approx(4096).epsilon(0.01));
  CHECK(flops_per_clock(load_gpu(kRoot, "b200"), Dtype::bf16) == Approx(8192).epsilon(0.01));
  CHECK(flops_per_clock(load_gpu(kRoot, "rtx-4090"), Dtype::bf16) == Approx(512).epsilon(0.01));
}

TEST_CASE("hardware catalog: a calibration that claims measured errors belongs to one device") {
  std::map<std::string, int> users;
  for (const std::string& name : catalog_names(kRoot, "gpus")) ++users[load_gpu(kRoot, name).calibration];
  for (const auto& [name, count] : users) {
    INFO(name);
    const Calibration c = load_calibration(kRoot, name);
    if (!c.by_analogy) CHECK(count == 1);
    CHECK(c.by_analogy == (c.band.basis.find("this device was not measured") != std::string::npos));
  }
  CHECK(load_calibration(kRoot, load_gpu(kRoot, "h100-pcie").calibration).by_analogy);
  CHECK(load_calibration(kRoot, load_gpu(kRoot, "a100-40gb-sxm").calibration).by_analogy);
}

TEST_CASE("hardware catalog: narrower formats are never slower") {
  for (const std::string& name : catalog_names(kRoot, "gpus")) {
    INFO(name);
    const Gpu gpu = load_gpu(kRoot, name);
    const Dtype order[] = {Dtype::fp32, Dtype::tf32, Dtype::bf16, Dtype::fp8, Dtype::nvfp4};
    double slowest = 0;
    for (const Dtype d : order)
      if (const auto it = gpu.peak.find(d); it != gpu.peak.end()) {
        CHECK(it->second.v >= slowest);
        slowest = it->second.v;
      }
    if (gpu.peak.count(Dtype::fp16) == 1) CHECK(peak(gpu, Dtype::fp16) == peak(gpu, Dtype::bf16));
    if (gpu.peak.count(Dtype::mxfp4) == 1) CHECK(peak(gpu, Dtype::mxfp4) == peak(gpu, Dtype::nvfp4));
  }
}

TEST_CASE("hardware catalog: capacity is the driver's figure") {
  CHECK(load_gpu(kRoot, "rtx-4090").hbm_capacity.v == 25250627584.0);
  CHECK(load_gpu(kRoot, "h100-sxm").hbm_capacity.v == Approx(85.0e9).epsilon(0.001));
}

TEST_CASE("hardware catalog: every node loads, names an accelerator, and can reach its neighbours") {
  for (const std::string& name : catalog_names(kRoot, "nodes")) {
    INFO(name);
    const Node node = load_node(kRoot, name);
    CHECK(node.name == name);
    const Gpu gpu = load_gpu(kRoot, node.gpu);
    CHECK(node.gpus >= 1);
    CHECK(node.nics >= 1);
    CHECK(node.nic_bandwidth.v >= 1.25e9);
    CHECK(node.host_power.v > 0);
    CHECK((node.scale_up == ScaleUp::pcie) == (gpu.scale_up_bandwidth.v == 0));
    CHECK(gpu.pcie_bandwidth.v > 0);
  }
}

TEST_CASE("hardware catalog: every accelerator stands in a node") {
  std::vector<std::string> used;
  for (const std::string& name : catalog_names(kRoot, "nodes")) used.push_back(load_node(kRoot, name).gpu);
  for (const std::string& name : catalog_names(kRoot, "gpus")) {
    INFO(name);
    CHECK(std::count(used.begin(), used.end(), name) >= 1);
  }
}

TEST_CASE("hardware catalog: every fabric loads with plausible figures") {
  for (const std::string& name : catalog_names(kRoot, "fabrics")) {
    INFO(name);
    const Fabric fabric = load_fabric(kRoot, name);
    CHECK(fabric.name == name);
    CHECK(fabric.link_bandwidth.v >= 12.5e9);
    CHECK(fabric.latency.v > 0.5e-6);
    CHECK(fabric.latency.v < 100e-6);
    CHECK(fabric.oversubscription >= 1);
    CHECK(fabric.nodes_per_leaf >= 1);
  }
  CHECK(load_fabric(kRoot, "ib-ndr-rail").rail_optimised);
}

TEST_CASE("model catalog: the loader finds a model by name and by path") {
  for (const std::string& name : catalog_names(kRoot, "models")) CHECK(load_model(kRoot, name).name == name);
  const std::filesystem::path file = kRoot / "workloads" / "models" / "qwen3-8b.json";
  CHECK(load_model(kRoot, file.string()).layers == 36);
}

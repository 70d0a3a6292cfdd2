// The calibrations that ship: complete, within physical bounds, and what they admit to.
#include <catch2/catch.hpp>
#include <filesystem>

#include "support/calibration_file.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

std::vector<std::string> calibration_names() {
  std::vector<std::string> names;
  for (const auto& f : std::filesystem::directory_iterator(RIDGEPOINT_SOURCE_DIR "/hw/calibrations"))
    if (f.path().extension() == ".yaml") names.push_back(f.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

void check_fit(const OperatorFit& f) {
  CHECK(f.constant.v >= 0);
  CHECK(f.constant.v < 1e-4);
  CHECK(f.memory_efficiency > 0);
  CHECK(f.memory_efficiency <= 1);
  CHECK(f.compute_efficiency > 0);
  CHECK(f.compute_efficiency <= 1);
  CHECK(f.softmax_p >= 1);
  CHECK(f.wave_exponent >= 0);
  CHECK(f.wave_exponent <= 1);
}

bool same(const OperatorFit& a, const OperatorFit& b) {
  return a.constant.v == Approx(b.constant.v) && a.memory_latency.v == Approx(b.memory_latency.v) &&
         a.memory_efficiency == b.memory_efficiency && a.compute_efficiency == b.compute_efficiency &&
         a.softmax_p == b.softmax_p && a.wave_exponent == b.wave_exponent && a.half_length == b.half_length;
}

}  // namespace

TEST_CASE("calibration files: every one is within physical bounds and states its provenance and error") {
  const auto names = calibration_names();
  REQUIRE(names.size() >= 14);
  for (const std::string& name : names) {
    INFO(name);
    const Calibration c = calibration_file(name);
    CHECK(c.name == name);
    CHECK(c.provenance.size() > 40);
    REQUIRE(c.gemm.count(Dtype::bf16) == 1);
    for (const auto& [dtype, fit] : c.gemm) check_fit(fit);
    for (const auto& [dtype, fit] : c.experts) check_fit(fit);
    check_fit(c.attention_prefill);
    check_fit(c.attention_decode);
    check_fit(c.elementwise);
    CHECK(c.mixed_decode >= 1);
    CHECK(c.band.median > 0);
    CHECK(c.band.p90 > c.band.median);
    CHECK_FALSE(c.band.basis.empty());
    for (const auto& [n, rate] : c.all_reduce.busbw) CHECK(rate.v < c.all_reduce.link.v);
  }
}

TEST_CASE("calibration files: an analogy claims a wider error than any measured device") {
  double measured = 0, analogy = 1;
  for (const std::string& name : calibration_names()) {
    const Calibration c = calibration_file(name);
    if (c.by_analogy)
      analogy = std::min(analogy, c.band.median);
    else
      measured = std::max(measured, c.band.median);
  }
  CHECK(analogy >= measured);
}

TEST_CASE("calibration files: the H100 written out for tests is the one that ships") {
  const Calibration a = calibration_file("h100"), b = h100_calibration();
  REQUIRE(a.gemm.size() == b.gemm.size());
  for (const auto& [dtype, fit] : a.gemm) CHECK(same(fit, b.gemm.at(dtype)));
  REQUIRE(a.experts.size() == b.experts.size());
  for (const auto& [dtype, fit] : a.experts) CHECK(same(fit, b.experts.at(dtype)));
  CHECK(same(a.attention_prefill, b.attention_prefill));
  CHECK(same(a.attention_decode, b.attention_decode));
  CHECK(same(a.elementwise, b.elementwise));
  CHECK(a.step_overhead.v == Approx(b.step_overhead.v));
  CHECK(a.host.v == Approx(b.host.v));
  CHECK(a.host_per_sequence.v == Approx(b.host_per_sequence.v));
  CHECK(a.kernel_launch.v == Approx(b.kernel_launch.v));
  CHECK(a.frontend.v == Approx(b.frontend.v));
  for (int n : {2, 4, 8}) {
    CHECK(a.all_reduce.latency.at(n).v == Approx(b.all_reduce.latency.at(n).v));
    CHECK(a.all_reduce.busbw.at(n).v == Approx(b.all_reduce.busbw.at(n).v));
    CHECK(a.all_reduce.half_size.at(n).v == Approx(b.all_reduce.half_size.at(n).v));
  }
}

// Pricing one operator: the soft maximum, its split, tiles and waves, and which peak a format gets.
#include <catch2/catch.hpp>
#include <cmath>

#include "cost/cost_model.hpp"
#include "cost/roofline.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using cost::Operator;
using cost::OperatorKind;
using cost::OperatorTime;
using cost::Roofline;

namespace {

Calibration ideal(double p) {
  Calibration c;
  c.gemm[Dtype::bf16].softmax_p = p;
  return c;
}

Operator gemm(double flops, double bytes) {
  Operator op;
  op.kind = OperatorKind::gemm;
  op.flops = flops;
  op.bytes = bytes;
  return op;
}

}  // namespace

TEST_CASE("roofline: equal limits combine to the p-th root of two and share the time equally") {
  const Gpu g = h100();
  const Roofline r(g, node_of(g), ideal(2), 1);
  const OperatorTime t = r.time(gemm(989.4e12 * 1e-3, 3.35e12 * 1e-3));  // a millisecond each
  CHECK(t.compute + t.memory == Approx(std::sqrt(2.0) * 1e-3));
  CHECK(t.compute == Approx(t.memory));
}

TEST_CASE("roofline: shares are the elasticities of the total") {
  const Gpu g = h100();
  const Roofline r(g, node_of(g), ideal(1.5), 1);
  const double flops = 6e11, bytes = 1.5e9, h = 1e-4;
  const auto total = [&](double f, double b) {
    const OperatorTime t = r.time(gemm(f, b));
    return t.compute + t.memory;
  };
  const OperatorTime t = r.time(gemm(flops, bytes));
  const double by_flops = (total(flops * (1 + h), bytes) - total(flops, bytes)) / (total(flops, bytes) * h);
  CHECK(t.compute / (t.compute + t.memory) == Approx(by_flops).epsilon(1e-3));
}

TEST_CASE("roofline: whole waves cost whole waves") {
  const Gpu g = h100();
  Calibration c = ideal(2);
  c.gemm[Dtype::bf16].wave_exponent = 1;
  const Roofline r(g, node_of(g), c, 1);
  Operator op = gemm(1e12, 1);
  op.tiles = op.whole_tiles = 132;
  const double one = r.time(op).compute;
  op.flops *= 133.0 / 132;
  op.tiles = op.whole_tiles = 133;
  CHECK(r.time(op).compute == Approx(2 * one));
}

TEST_CASE("roofline: formats run at the peak of what the device multiplies") {
  const auto h = h100().peak, a = a100().peak;
  CHECK(cost::multiply_peak(h, Dtype::fp8) == 1978.9e12);
  CHECK(cost::multiply_peak(a, Dtype::fp8) == 312e12);      // no fp8 units: as bf16
  CHECK(cost::multiply_peak(h, Dtype::nvfp4) == 989.4e12);  // no fp4 units: as bf16
  CHECK(cost::multiply_peak(h, Dtype::int4) == 989.4e12);   // dequantised
  CHECK(cost::multiply_peak(h, Dtype::fp32) == 67e12);
  CHECK(cost::multiply_peak({{Dtype::fp16, FlopsPerSecond{1e14}}}, Dtype::bf16) == 1e14);
}

TEST_CASE("roofline: the ridge point is peak over bandwidth") {
  // 989.4 TFLOP/s over 3.35 TB/s
  CHECK(ridge_point(h100(), Dtype::bf16).v == Approx(295.3).epsilon(0.001));
  CHECK(ridge_point(a100(), Dtype::bf16).v == Approx(153.0).epsilon(0.001));
}

TEST_CASE("roofline: a decode step's intensity is about the batch until the cache outweighs the weights") {
  const Engine e = bf16_engine();
  // Two FLOPs a parameter and sequence over two bytes a parameter; context 1 hardly reads a cache.
  CHECK(decode_intensity(llama_3_1_8b(), e, 1, 1).v == Approx(0.93).epsilon(0.08));
  CHECK(decode_intensity(llama_3_1_8b(), e, 64, 1).v > 50);
  CHECK(decode_intensity(llama_3_1_8b(), e, 64, 32768).v < 10);
  CHECK(decode_intensity(llama_3_1_8b(), e, 64, 1).v < ridge_point(h100(), Dtype::bf16).v);
}

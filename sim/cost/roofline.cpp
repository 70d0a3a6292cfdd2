// The roofline provider: soft maximum of memory and compute time, tile and wave quantisation, launch
// constants.
#include "cost/roofline.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace ridgepoint::cost {
namespace {

/// Soft maximum of both, shared between them by their p-th powers, which are the elasticities of the total.
OperatorTime combine(const OperatorFit& f, double memory, double compute) {
  OperatorTime t;
  t.overhead = f.constant.v;
  const double larger = std::max(memory, compute);
  if (larger <= 0) return t;
  if (memory <= 0 || compute <= 0) {
    t.memory = memory;
    t.compute = compute;
    return t;
  }
  // Scaled by the larger one: powers of nanoseconds would lose precision.
  const double m = std::pow(memory / larger, f.softmax_p), c = std::pow(compute / larger, f.softmax_p);
  const double both = larger * std::pow(m + c, 1.0 / f.softmax_p);
  t.compute = both * (c / (m + c));
  t.memory = both - t.compute;
  return t;
}

/// Whole waves of tiles over the work they hold, to the fitted power. Never falls faster than the work grows.
double wave_factor(const Operator& op, const OperatorFit& f, double sm_count) {
  if (f.wave_exponent <= 0 || op.tiles <= 0) return 1;
  const double waves = std::max(1.0, std::ceil(op.whole_tiles / sm_count));
  return std::pow(waves * sm_count / op.tiles, f.wave_exponent);
}

/// FLOPs that prefill attention keeps the device busy for: rows rounded up to whole tiles, and at least a
/// tile of the longest sequence on every SM, for no tile is split between two.
double occupied_flops(const Operator& op, const OperatorFit& f, double sm_count) {
  const double whole = op.whole_flops + f.half_length * op.whole_length_flops;
  const double tile = op.longest_tile_flops + f.half_length * op.tile_length_flops;
  return std::max(whole, sm_count * tile);
}

}  // namespace

double multiply_peak(const std::map<Dtype, FlopsPerSecond>& peaks, Dtype dtype) {
  if (const auto native = peaks.find(dtype); native != peaks.end()) return native->second.v;
  if (dtype == Dtype::fp32) {  // no fp32 units listed: products of operands split in three
    if (const auto it = peaks.find(Dtype::bf16); it != peaks.end()) return it->second.v / 3;
  }
  // Dequantised in the kernel, as vLLM's Marlin kernels do.
  for (Dtype d : {Dtype::bf16, Dtype::fp16, Dtype::tf32, Dtype::fp32})
    if (const auto it = peaks.find(d); it != peaks.end()) return it->second.v;
  throw ConfigError(
      "the GPU lists no peak for " + std::string(name(dtype)) + " or any format it could run as",
      "give it a peak for bf16, fp16 or fp32");
}

Roofline::Roofline(const Gpu& gpu, const Node& node, const Calibration& calibration, int ranks)
    : bandwidth_(gpu.hbm_bandwidth.v),
      sm_count_(std::max(1, gpu.sm_count)),
      peaks_(gpu.peak),
      calibration_(calibration),
      collectives_(gpu, node, calibration.all_reduce, ranks) {}

const OperatorFit& Roofline::fit(const Operator& op) const {
  static const OperatorFit kIdeal;
  // Weight-only kernels pay for dequantisation: theirs is the fit of the stored format.
  const Dtype stored = op.format.weights;
  const Dtype own = stored == Dtype::int4 || stored == Dtype::mxfp4 ? stored : op.format.multiply;
  const auto find = [&](const std::map<Dtype, OperatorFit>& fits) -> const OperatorFit* {
    for (Dtype d : {own, op.format.multiply, Dtype::bf16})
      if (const auto it = fits.find(d); it != fits.end()) return &it->second;
    return nullptr;
  };
  switch (op.kind) {
    case OperatorKind::experts:
      if (const OperatorFit* f = find(calibration_.experts)) return *f;
      [[fallthrough]];
    case OperatorKind::gemm:
      if (const OperatorFit* f = find(calibration_.gemm)) return *f;
      return kIdeal;
    case OperatorKind::attention_prefill:
      return calibration_.attention_prefill;
    case OperatorKind::attention_decode:
      return calibration_.attention_decode;
    default:
      return calibration_.elementwise;
  }
}

OperatorTime Roofline::time(const Operator& op) const {
  const OperatorFit& f = fit(op);
  const double memory = f.memory_latency.v + op.bytes / (f.memory_efficiency * bandwidth_);
  if (op.kind == OperatorKind::elementwise) return combine(f, memory, 0);
  const double flops = op.flops + f.half_length * op.length_flops;
  const double rate = f.compute_efficiency * multiply_peak(peaks_, op.format.multiply);
  if (op.kind == OperatorKind::attention_prefill) {
    const double idle = std::pow(occupied_flops(op, f, sm_count_) / flops, f.wave_exponent);
    return combine(f, memory, flops / rate * idle);
  }
  return combine(f, memory, flops / rate * wave_factor(op, f, sm_count_));
}

OperatorTime Roofline::decode_time(const OperatorList& list, std::int32_t batch, double context) const {
  const OperatorFit& f = calibration_.attention_decode;
  // A kernel works through whole tiles of keys: sequences shorter than half_length cost as much as that.
  const double attended = std::max(context, batch * f.half_length);
  const double bytes = list.kv_bytes_per_token() * attended + list.decode_bytes_per_sequence() * batch;
  const double memory = f.memory_latency.v + bytes / (f.memory_efficiency * bandwidth_);
  const double peak = multiply_peak(peaks_, list.engine().dtype);
  return combine(f, memory, list.decode_flops_per_token() * attended / (f.compute_efficiency * peak));
}

void add_time(StepCost& sum, const OperatorTime& t, int count) {
  sum.compute += count * t.compute;
  sum.memory += count * t.memory;
  sum.overhead += count * t.overhead;
}

StepCost Roofline::cost(const Operator& op, bool eager) const {
  StepCost c;
  if (op.kind == OperatorKind::all_reduce || op.kind == OperatorKind::gather) {
    const CollectiveTime t = op.kind == OperatorKind::all_reduce ? collectives_.all_reduce(op.message, eager)
                                                                 : collectives_.gather(op.message, eager);
    c.interconnect = op.count * t.seconds;
    c.link_bytes = op.count * std::llround(t.sent);
    c.hbm_bytes = op.count * std::llround(2 * op.message);
    return c;
  }
  add_time(c, time(op), op.count);
  c.flops = op.count * std::llround(op.flops);
  c.hbm_bytes = op.count * std::llround(op.bytes);
  return c;
}

}  // namespace ridgepoint::cost

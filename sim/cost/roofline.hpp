// One operator -> seconds: t = c + (t_mem^p + t_cmp^p)^(1/p) with a device's calibrated efficiencies.
#pragma once
#include "cost/collectives.hpp"
#include "cost/operators.hpp"
#include "cost/step.hpp"
#include "spec/calibration.hpp"
#include "spec/hardware.hpp"

namespace ridgepoint::cost {

/// Seconds of one run of one operator.
struct OperatorTime {
  double compute = 0, memory = 0, overhead = 0;
};

class Roofline {
 public:
  Roofline(const Gpu& gpu, const Node& node, const Calibration& calibration, int ranks);

  /// GEMMs, expert layers, prefill attention, element-wise kernels.
  OperatorTime time(const Operator& op) const;
  /// Decode attention: `context` tokens attended by `batch` sequences in all.
  OperatorTime decode_time(const OperatorList& list, std::int32_t batch, double context) const;
  /// Any operator but decode attention with its count; eager: launched outside a graph.
  StepCost cost(const Operator& op, bool eager) const;

 private:
  double bandwidth_, sm_count_;
  std::map<Dtype, FlopsPerSecond> peaks_;
  Calibration calibration_;
  Collectives collectives_;
  const OperatorFit& fit(const Operator& op) const;
};

/// Dense peak at which operands of this format are multiplied: natively, or dequantised to the widest of
/// bf16, fp16, tf32, fp32 that the device has.
double multiply_peak(const std::map<Dtype, FlopsPerSecond>& peaks, Dtype dtype);

/// Adds the seconds of `count` runs of an operator.
void add_time(StepCost& sum, const OperatorTime& t, int count);

}  // namespace ridgepoint::cost

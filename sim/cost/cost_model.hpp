// Step shape -> seconds, bytes, FLOPs. One object per (model, engine, device, calibration), immutable after
// construction but for its caches; not thread-safe.
#pragma once
#include <cstdint>
#include <memory>

#include "cost/step.hpp"
#include "spec/calibration.hpp"
#include "spec/engine.hpp"
#include "spec/hardware.hpp"
#include "spec/model.hpp"

namespace ridgepoint {

/// Pure-decode steps of one batch: everything but attention is constant, attention is piecewise linear in the
/// context. `step()` uses the same arithmetic, so that stepping and striding agree to the last bit.
class DecodeCurve {
 public:
  virtual ~DecodeCurve() = default;
  /// Cost when the batch's attended tokens sum to `context` and the longest has `max_context`. Amortised
  /// O(1), tens of nanoseconds when called with growing contexts.
  virtual StepCost at(std::int64_t context, std::int32_t max_context) const = 0;
};

class CostModel {
 public:
  virtual ~CostModel() = default;
  virtual StepCost step(const StepShape& shape) const = 0;
  /// Valid until the cost model is destroyed. Only for models without sliding windows.
  virtual const DecodeCurve& decode_curve(std::int32_t batch, std::int32_t padded_tokens,
                                          GraphMode graph) const = 0;
  /// Host seconds of a step with this many scheduled sequences: hidden when scheduling is async, else added.
  virtual double host_seconds(std::int32_t sequences) const = 0;
  /// Seconds a request spends in the front end before the scheduler sees it.
  virtual double frontend_seconds() const = 0;
};

/// The operator-by-operator model on one device; tensor parallelism inside a node.
std::unique_ptr<CostModel> make_cost_model(const Model& model, const Engine& engine, const Gpu& gpu,
                                           const Node& node, const Calibration& calibration);

/// One operator of a step, for `check` and `explain`.
struct OperatorCost {
  const char* name = "";
  const char* bound = "";  ///< compute, memory, interconnect, overhead
  int count = 0;           ///< times it runs in the step
  double seconds = 0;      ///< of all of them
  StepCost cost;           ///< of all of them
};
/// The step's operators in order; their costs sum to step() but for the knots' interpolation (below 0.5 %).
std::vector<OperatorCost> explain_step(const Model& model, const Engine& engine, const Gpu& gpu,
                                       const Node& node, const Calibration& calibration,
                                       const StepShape& shape);

/// Operations per byte at which the device stops waiting for memory, for a dtype it multiplies.
FlopsPerByte ridge_point(const Gpu& gpu, Dtype dtype);
/// FLOPs per HBM byte of a decode step of `batch` sequences at `context` tokens each.
FlopsPerByte decode_intensity(const Model& model, const Engine& engine, int batch, int context);

}  // namespace ridgepoint

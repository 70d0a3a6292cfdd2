// The operator model: operator list x roofline, everything but attention cached by its row counts.
// Immutable but for its caches.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "cost/cost_model.hpp"
#include "cost/decode_curve.hpp"

namespace ridgepoint::cost {

/// Part of a step that does not depend on contexts, and how many kernels it launches.
struct FixedPart {
  StepCost cost;
  int kernels = 0;
  bool known = false;
};

class OperatorCostModel final : public CostModel {
 public:
  OperatorCostModel(const Model& model, const Engine& engine, const Gpu& gpu, const Node& node,
                    const Calibration& calibration);

  StepCost step(const StepShape& shape) const override;
  const DecodeCurve& decode_curve(std::int32_t batch, std::int32_t padded_tokens,
                                  GraphMode graph) const override;
  double host_seconds(std::int32_t sequences) const override;
  double frontend_seconds() const override { return calibration_.frontend.v; }

 private:
  class Curve;
  OperatorList list_;
  Calibration calibration_;
  Roofline roofline_;
  int full_layers_, windowed_layers_, window_;
  bool skewed_;
  // Caches: body by graph mode and padded tokens, head by graph mode and sampled rows, attention by batch.
  mutable std::vector<FixedPart> bodies_[3], heads_[3];
  mutable std::vector<std::unique_ptr<AttentionCurve>> attention_;
  mutable std::unordered_map<std::uint64_t, std::unique_ptr<Curve>> curves_;

  const FixedPart& body(std::int32_t padded_tokens, GraphMode graph) const;
  const FixedPart& head(std::int32_t sampled, GraphMode graph) const;
  FixedPart fixed(std::int32_t padded_tokens, std::int32_t sampled, GraphMode graph) const;
  const AttentionCurve& attention(std::int32_t batch) const;
  void add_decode(StepCost& sum, const AttentionCurve& curve, std::int32_t batch, std::int64_t context,
                  std::int32_t max_context, int layers, double stretch) const;
  double launch_seconds(int kernels, GraphMode graph) const;
};

/// Holds a step up until the host has launched it: what is missing is overhead.
inline void hold_until(StepCost& cost, double launched) {
  const double total = cost.total();
  if (launched > total) cost.overhead += launched - total;
}

}  // namespace ridgepoint::cost

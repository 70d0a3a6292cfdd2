// Puts a step together: cached fixed part, decode attention from knots, prefill attention in closed form.
#include "cost/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "cost/launch.hpp"
#include "cost/operator_model.hpp"

namespace ridgepoint {
namespace cost {
namespace {

void add(StepCost& sum, const StepCost& c) {
  sum.compute += c.compute;
  sum.memory += c.memory;
  sum.interconnect += c.interconnect;
  sum.overhead += c.overhead;
  sum.flops += c.flops;
  sum.hbm_bytes += c.hbm_bytes;
  sum.link_bytes += c.link_bytes;
}

FixedPart price(const Roofline& roofline, const std::vector<Operator>& list, GraphMode graph) {
  FixedPart part;
  part.known = true;
  for (const Operator& op : list) {
    add(part.cost, roofline.cost(op, graph == GraphMode::eager));
    part.kernels += op.count;
  }
  return part;
}

/// Slot of a cache that grows on demand.
template <class T>
T& slot(std::vector<T>& cache, std::int32_t index) {
  const auto i = static_cast<std::size_t>(std::max(index, 0));
  if (i >= cache.size()) cache.resize(std::max(i + 1, cache.size() * 2));
  return cache[i];
}

}  // namespace

/// Pure decode at one batch: the fixed part once, attention by look-up.
class OperatorCostModel::Curve final : public DecodeCurve {
 public:
  Curve(const OperatorCostModel& model, std::int32_t batch, const FixedPart& part, double launched)
      : model_(model), attention_(model.attention(batch)), batch_(batch), part_(part), launched_(launched) {}
  StepCost at(std::int64_t context, std::int32_t max_context) const override {
    StepCost cost = part_.cost;
    model_.add_decode(cost, attention_, batch_, context, max_context, model_.full_layers_, 1.0);
    hold_until(cost, launched_);
    return cost;
  }

 private:
  const OperatorCostModel& model_;
  const AttentionCurve& attention_;
  std::int32_t batch_;
  FixedPart part_;
  double launched_;
};

OperatorCostModel::OperatorCostModel(const Model& model, const Engine& engine, const Gpu& gpu,
                                     const Node& node, const Calibration& calibration)
    : list_(model, engine),
      calibration_(calibration),
      roofline_(gpu, node, calibration, engine.tensor_parallel_size),
      full_layers_(model.full_layers()),
      windowed_layers_(model.windowed_layers()),
      window_(model.window_size()),
      skewed_(calibration.decode_skew > 0) {
  if (engine.pipeline_parallel_size != 1)
    throw ConfigError(
        "pipeline_parallel_size " + std::to_string(engine.pipeline_parallel_size) + " has no cost model",
        "use 1");
}

const FixedPart& OperatorCostModel::body(std::int32_t padded_tokens, GraphMode graph) const {
  FixedPart& part = slot(bodies_[static_cast<int>(graph)], padded_tokens);
  if (!part.known) {
    part = price(roofline_, list_.body(padded_tokens), graph);
    part.cost.overhead += calibration_.step_overhead.v;
  }
  return part;
}

const FixedPart& OperatorCostModel::head(std::int32_t sampled, GraphMode graph) const {
  FixedPart& part = slot(heads_[static_cast<int>(graph)], sampled);
  if (!part.known) part = price(roofline_, list_.head(sampled), graph);
  return part;
}

FixedPart OperatorCostModel::fixed(std::int32_t padded_tokens, std::int32_t sampled, GraphMode graph) const {
  FixedPart part = body(padded_tokens, graph);
  const FixedPart& h = head(sampled, graph);
  add(part.cost, h.cost);
  part.kernels += h.kernels;
  return part;
}

const AttentionCurve& OperatorCostModel::attention(std::int32_t batch) const {
  auto& curve = slot(attention_, batch);
  if (!curve) curve = std::make_unique<AttentionCurve>(roofline_, list_, batch);
  return *curve;
}

void OperatorCostModel::add_decode(StepCost& sum, const AttentionCurve& curve, std::int32_t batch,
                                   std::int64_t context, std::int32_t max_context, int layers,
                                   double stretch) const {
  OperatorTime t = curve.at(context);
  const std::int64_t longest = static_cast<std::int64_t>(batch) * max_context;
  if (skewed_ && longest > context) {
    // The longest sequences finish last: a share of what the batch would cost were all as long.
    const OperatorTime m = curve.at(longest);
    t.compute += calibration_.decode_skew * (m.compute - t.compute);
    t.memory += calibration_.decode_skew * (m.memory - t.memory);
  }
  t.compute *= stretch;
  t.memory *= stretch;
  add_time(sum, t, layers);
  const auto tokens = static_cast<double>(context);
  sum.flops += layers * static_cast<std::int64_t>(list_.decode_flops_per_token() * tokens);
  sum.hbm_bytes += layers * static_cast<std::int64_t>(list_.kv_bytes_per_token() * tokens +
                                                      list_.decode_bytes_per_sequence() * batch);
}

double OperatorCostModel::launch_seconds(int kernels, GraphMode graph) const {
  return launch_bound(list_.engine(), list_.model().layers, kernels, graph, calibration_.kernel_launch.v);
}

StepCost OperatorCostModel::step(const StepShape& s) const {
  FixedPart part = fixed(s.padded_tokens, s.sampled, s.graph);
  StepCost& cost = part.cost;
  if (s.decode_sequences > 0) {
    const AttentionCurve& curve = attention(s.decode_sequences);
    const double stretch = s.prefill.empty() ? 1.0 : calibration_.mixed_decode;
    if (full_layers_ > 0)
      add_decode(cost, curve, s.decode_sequences, s.decode_context, s.decode_max_context, full_layers_,
                 stretch);
    if (windowed_layers_ > 0)
      add_decode(cost, curve, s.decode_sequences, s.decode_window_context,
                 std::min(s.decode_max_context, window_), windowed_layers_, stretch);
    part.kernels += full_layers_ + windowed_layers_;
  }
  if (!s.prefill.empty()) {
    if (full_layers_ > 0) add(cost, roofline_.cost(list_.prefill(s.prefill, 0, full_layers_), false));
    if (windowed_layers_ > 0)
      add(cost, roofline_.cost(list_.prefill(s.prefill, window_, windowed_layers_), false));
    const Operator expansion = list_.expansion(s.prefill, full_layers_);
    if (expansion.count > 0) add(cost, roofline_.cost(expansion, false));
    part.kernels += full_layers_ + windowed_layers_ + expansion.count;
  }
  hold_until(cost, launch_seconds(part.kernels, s.graph));
  return cost;
}

const DecodeCurve& OperatorCostModel::decode_curve(std::int32_t batch, std::int32_t padded_tokens,
                                                   GraphMode graph) const {
  if (windowed_layers_ > 0)
    throw SimulationError("a decode curve of a model with sliding windows: its context is not one number");
  const std::uint64_t key = static_cast<std::uint64_t>(batch) << 34 |
                            static_cast<std::uint64_t>(padded_tokens) << 2 |
                            static_cast<std::uint64_t>(graph);
  auto& curve = curves_[key];
  if (!curve) {
    const FixedPart part = fixed(padded_tokens, batch, graph);
    curve = std::make_unique<Curve>(*this, batch, part, launch_seconds(part.kernels + full_layers_, graph));
  }
  return *curve;
}

double OperatorCostModel::host_seconds(std::int32_t sequences) const {
  return calibration_.host.v + calibration_.host_per_sequence.v * sequences;
}

}  // namespace cost

std::unique_ptr<CostModel> make_cost_model(const Model& model, const Engine& engine, const Gpu& gpu,
                                           const Node& node, const Calibration& calibration) {
  return std::make_unique<cost::OperatorCostModel>(model, engine, gpu, node, calibration);
}

}  // namespace ridgepoint

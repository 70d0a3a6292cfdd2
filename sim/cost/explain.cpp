// The operators of one step with what bounds each, for people who ask why a step takes as long as it does.
#include <algorithm>

#include "cost/cost_model.hpp"
#include "cost/launch.hpp"
#include "cost/operator_model.hpp"

namespace ridgepoint {
namespace {

using namespace cost;

const char* bound_of(const StepCost& c) {
  const double largest = std::max({c.compute, c.memory, c.interconnect, c.overhead});
  if (largest == c.interconnect && largest > 0) return "interconnect";
  if (largest == c.memory) return "memory";
  if (largest == c.compute) return "compute";
  return "overhead";
}

/// Decode attention of the layers of one kind.
struct DecodePart {
  const char* label;
  int layers;
  std::int32_t batch;
  std::int64_t context;  ///< of all sequences
  std::int64_t longest;  ///< the same, were all as long as the longest
  double stretch;
};

class Explanation {
 public:
  Explanation(const Roofline& roofline, bool eager) : roofline_(roofline), eager_(eager) {}

  void add(const Operator& op) { push(op.name, op.count, roofline_.cost(op, eager_)); }

  void add_decode(const OperatorList& list, const Calibration& calibration, const DecodePart& part) {
    if (part.layers == 0) return;
    const auto context = static_cast<double>(part.context);
    const Operator op = list.decode(part.batch, context, part.layers);
    OperatorTime t = roofline_.decode_time(list, part.batch, context);
    if (part.longest > part.context && calibration.decode_skew > 0) {
      const OperatorTime m = roofline_.decode_time(list, part.batch, static_cast<double>(part.longest));
      t.compute += calibration.decode_skew * (m.compute - t.compute);
      t.memory += calibration.decode_skew * (m.memory - t.memory);
    }
    t.compute *= part.stretch;
    t.memory *= part.stretch;
    StepCost c;
    add_time(c, t, part.layers);
    c.flops = part.layers * static_cast<std::int64_t>(op.flops);
    c.hbm_bytes = part.layers * static_cast<std::int64_t>(op.bytes);
    push(part.label, part.layers, c);
  }

  /// Time that no operator accounts for.
  void add_overhead(const char* label, double seconds) {
    StepCost c;
    c.overhead = seconds;
    push(label, 1, c);
  }

  double seconds() const {
    double sum = 0;
    for (const OperatorCost& o : operators) sum += o.seconds;
    return sum;
  }
  int kernels() const {
    int sum = 0;
    for (const OperatorCost& o : operators) sum += o.count;
    return sum;
  }

  std::vector<OperatorCost> operators;

 private:
  const Roofline& roofline_;
  bool eager_;
  void push(const char* label, int count, const StepCost& c) {
    operators.push_back({label, bound_of(c), count, c.total(), c});
  }
};

}  // namespace

std::vector<OperatorCost> explain_step(const Model& model, const Engine& engine, const Gpu& gpu,
                                       const Node& node, const Calibration& calibration, const StepShape& s) {
  const OperatorList list(model, engine);
  const Roofline roofline(gpu, node, calibration, engine.tensor_parallel_size);
  Explanation e(roofline, s.graph == GraphMode::eager);
  for (const Operator& op : list.body(s.padded_tokens)) e.add(op);
  const int full = model.full_layers(), windowed = model.windowed_layers(), window = model.window_size();
  const std::int64_t batch = s.decode_sequences;
  if (batch > 0) {
    const double stretch = s.prefill.empty() ? 1.0 : calibration.mixed_decode;
    e.add_decode(list, calibration,
                 {"decode attention", full, s.decode_sequences, s.decode_context,
                  batch * s.decode_max_context, stretch});
    e.add_decode(list, calibration,
                 {"decode attention, windowed", windowed, s.decode_sequences, s.decode_window_context,
                  batch * std::min(s.decode_max_context, window), stretch});
  }
  if (!s.prefill.empty()) {
    if (const Operator op = list.expansion(s.prefill, full); op.count > 0) e.add(op);
    if (full > 0) e.add(list.prefill(s.prefill, 0, full));
    if (windowed > 0) e.add(list.prefill(s.prefill, window, windowed));
  }
  for (const Operator& op : list.head(s.sampled)) e.add(op);
  const int kernels = e.kernels();
  e.add_overhead("step overhead", calibration.step_overhead.v);
  const double launched = launch_bound(engine, model.layers, kernels, s.graph, calibration.kernel_launch.v);
  if (launched > e.seconds()) e.add_overhead("waiting for kernel launches", launched - e.seconds());
  return e.operators;
}

}  // namespace ridgepoint

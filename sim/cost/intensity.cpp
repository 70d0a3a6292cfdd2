// Arithmetic intensity: where a device's ridge point lies, and on which side of it a decode step works.
#include "cost/cost_model.hpp"
#include "cost/operators.hpp"
#include "cost/roofline.hpp"

namespace ridgepoint {

FlopsPerByte ridge_point(const Gpu& gpu, Dtype dtype) {
  return FlopsPerSecond{cost::multiply_peak(gpu.peak, dtype)} / gpu.hbm_bandwidth;
}

FlopsPerByte decode_intensity(const Model& model, const Engine& engine, int batch, int context) {
  const cost::OperatorList list(model, engine);
  double flops = 0, bytes = 0;
  const auto count = [&](const cost::Operator& op) {
    flops += op.count * op.flops;
    bytes += op.count * op.bytes;
  };
  for (const cost::Operator& op : list.body(batch)) count(op);
  for (const cost::Operator& op : list.head(batch)) count(op);
  const double attended = static_cast<double>(batch) * context;
  const int window = model.window_size();
  const double windowed = static_cast<double>(batch) * (window > 0 && window < context ? window : context);
  count(list.decode(batch, attended, model.full_layers()));
  count(list.decode(batch, windowed, model.windowed_layers()));
  return Flops{flops} / Bytes{bytes};
}

}  // namespace ridgepoint

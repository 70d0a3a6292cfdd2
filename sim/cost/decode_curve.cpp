// Lazily computed knots of decode attention.
#include "cost/decode_curve.hpp"

#include <algorithm>

namespace ridgepoint::cost {

void AttentionCurve::grow(std::size_t last) const { knots_.resize(std::max(last + 1, knots_.size() * 2)); }

void AttentionCurve::compute(std::size_t i) const {
  Knot& k = knots_[i];
  k.context = context_of(i);
  if (i > 0) k.inverse_width = 1.0 / static_cast<double>(k.context - context_of(i - 1));
  k.time = roofline_.decode_time(list_, batch_, static_cast<double>(k.context));
}

}  // namespace ridgepoint::cost

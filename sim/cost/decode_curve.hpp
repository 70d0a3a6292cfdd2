// Decode attention of one batch over its total context: time knots, 16 an octave, linear between them.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "cost/roofline.hpp"

namespace ridgepoint::cost {

/// Knots of one batch size, one layer; computed when first needed. Every look-up in the simulator, of a
/// single step or of a stride, goes through `at`, so that both see the same bits.
class AttentionCurve {
 public:
  AttentionCurve(const Roofline& roofline, const OperatorList& list, std::int32_t batch)
      : roofline_(roofline), list_(list), batch_(batch) {}

  /// One layer at a total context. `compute` and `memory` are interpolated, `overhead` is constant.
  OperatorTime at(std::int64_t context) const {
    const std::size_t i = index(context);
    if (i + 1 >= knots_.size()) grow(i + 1);
    const Knot &low = knot(i), &high = knot(i + 1);
    const double part = static_cast<double>(context - low.context) * high.inverse_width;
    return {low.time.compute + part * (high.time.compute - low.time.compute),
            low.time.memory + part * (high.time.memory - low.time.memory), low.time.overhead};
  }

  /// Knot at or below a context: whole numbers to 32, then 16 equal parts of each octave.
  static std::size_t index(std::int64_t context) {
    const auto c = static_cast<std::uint64_t>(context);
    const int shift = static_cast<int>(std::bit_width(c | 16)) - 5;
    return static_cast<std::size_t>(shift) * 16 + static_cast<std::size_t>(c >> shift);
  }
  static std::int64_t context_of(std::size_t index) {
    if (index < 32) return static_cast<std::int64_t>(index);
    const std::size_t shift = index / 16 - 1;
    return static_cast<std::int64_t>(index - shift * 16) << shift;
  }

 private:
  struct Knot {
    std::int64_t context = -1;  ///< -1: not yet computed
    double inverse_width = 0;   ///< of the interval below
    OperatorTime time;
  };
  const Roofline& roofline_;
  const OperatorList& list_;
  std::int32_t batch_;
  mutable std::vector<Knot> knots_;

  const Knot& knot(std::size_t i) const {
    if (knots_[i].context < 0) compute(i);
    return knots_[i];
  }
  void grow(std::size_t last) const;
  void compute(std::size_t i) const;
};

}  // namespace ridgepoint::cost

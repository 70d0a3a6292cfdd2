// A cost model with round numbers, for tests of decisions and timing: 1 ms a step + 10 us a token + 1 us a
// context token.
#pragma once
#include <map>
#include <memory>

#include "cost/cost_model.hpp"

namespace ridgepoint::test {

class FakeCost final : public CostModel {
 public:
  explicit FakeCost(double host = 0.0005) : host_(host) {}
  StepCost step(const StepShape& s) const override {
    if (s.prefill.empty())
      return decode_curve(s.decode_sequences, s.padded_tokens, s.graph)
          .at(s.decode_context, s.decode_max_context);
    StepCost c;
    c.compute = 10e-6 * s.tokens;
    c.memory = 1e-9 * static_cast<double>(s.decode_context);
    c.overhead = 1e-3;
    c.flops = s.tokens;
    c.hbm_bytes = s.decode_context;
    return c;
  }
  const DecodeCurve& decode_curve(std::int32_t batch, std::int32_t, GraphMode) const override {
    auto& curve = curves_[batch];
    if (!curve) curve = std::make_unique<Curve>(batch);
    return *curve;
  }
  double host_seconds(std::int32_t) const override { return host_; }
  double frontend_seconds() const override { return 0; }

 private:
  struct Curve final : DecodeCurve {
    explicit Curve(std::int32_t n) : batch(n) {}
    StepCost at(std::int64_t context, std::int32_t longest) const override {
      StepCost c;
      c.compute = 10e-6 * batch;
      c.memory = 1e-9 * static_cast<double>(context + longest);
      c.overhead = 1e-3;
      c.flops = batch;
      c.hbm_bytes = context;
      return c;
    }
    std::int32_t batch;
  };
  double host_;
  mutable std::map<std::int32_t, std::unique_ptr<Curve>> curves_;
};

}  // namespace ridgepoint::test

// Stepping and striding see the same bits; knots stay close to what they sample.
#include <catch2/catch.hpp>
#include <cstring>

#include "cost/decode_curve.hpp"
#include "property/cost/random_shapes.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

bool same_bits(const StepCost& a, const StepCost& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE(
    "decode curve: a pure-decode step equals the curve to the last bit, in whatever order they are asked") {
  Draw draw(1);
  for (const Model& m : {llama_3_1_8b(), llama_3_1_70b(), qwen3_30b_a3b(), deepseek_v3()}) {
    Engine e = bf16_engine(m.mla() ? 8 : draw.in(0, 1) * 3 + 1);
    e.enforce_eager = draw.in(0, 1) == 1;
    Calibration c = h100_calibration();
    c.decode_skew = draw.in(0, 1) * 0.1;
    const auto stepped = make_cost_model(m, e, h100(), node_of(h100()), c);
    const auto strided = make_cost_model(m, e, h100(), node_of(h100()), c);
    for (int i = 0; i < 3000; ++i) {
      const int batch = draw.in(1, 300), padded = batch + draw.in(0, 8), longest = draw.in(1, 40000);
      const std::int64_t context = std::max<std::int64_t>(batch, draw.in(1, longest) * std::int64_t{batch});
      const auto graph = static_cast<GraphMode>(draw.in(0, 2));
      const StepCost one = stepped->step(decode_shape(batch, context, longest, padded, graph));
      const StepCost other = strided->decode_curve(batch, padded, graph).at(context, longest);
      REQUIRE(same_bits(one, other));
    }
  }
}

TEST_CASE("decode curve: a curve stays valid while others are made, and asking twice changes nothing") {
  const auto cost =
      make_cost_model(llama_3_1_8b(), bf16_engine(), h100(), node_of(h100()), h100_calibration());
  const DecodeCurve& curve = cost->decode_curve(16, 16, GraphMode::full);
  const StepCost first = curve.at(16 * 1000, 1200);
  for (int batch = 1; batch < 400; ++batch)
    cost->decode_curve(batch, batch, GraphMode::full).at(batch * 100, 100);
  CHECK(same_bits(first, curve.at(16 * 1000, 1200)));
  CHECK(&curve == &cost->decode_curve(16, 16, GraphMode::full));
}

TEST_CASE("decode curve: knots ascend, cover every context and lie 16 an octave") {
  using cost::AttentionCurve;
  for (std::size_t i = 0; i < 600; ++i) {
    const std::int64_t at = AttentionCurve::context_of(i);
    REQUIRE(AttentionCurve::index(at) == i);
    REQUIRE(AttentionCurve::context_of(i + 1) > at);
    REQUIRE(AttentionCurve::index(AttentionCurve::context_of(i + 1) - 1) == i);
  }
  CHECK(AttentionCurve::index(1 << 20) - AttentionCurve::index(1 << 19) == 16);
}

TEST_CASE("decode curve: interpolation stays within half a percent of the step") {
  Draw draw(2);
  const Engine e = bf16_engine();
  const auto cost = make_cost_model(llama_3_1_8b(), e, h100(), node_of(h100()), h100_calibration());
  for (int i = 0; i < 200; ++i) {
    const int batch = draw.in(1, 256), context = draw.in(1, 8000);
    const StepShape s = decode_shape(batch, std::int64_t{batch} * context, context, batch, GraphMode::full);
    double direct = 0;
    for (const OperatorCost& o :
         explain_step(llama_3_1_8b(), e, h100(), node_of(h100()), h100_calibration(), s))
      direct += o.seconds;
    CHECK(cost->step(s).total() == Approx(direct).epsilon(0.005));
  }
}

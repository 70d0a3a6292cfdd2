// Better hardware is never slower, more work never faster, and no rounding to tiles or waves breaks that.
#include <catch2/catch.hpp>

#include "property/cost/random_shapes.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

constexpr double kSlack = 1 + 1e-12;  // rounding of the last bits

Engine engine_for(const Model& m) { return bf16_engine(m.mla() ? 8 : 2); }

/// Seconds of random steps on one device, always the same steps.
std::vector<double> seconds(const Model& m, const Engine& e, const Gpu& g) {
  const auto cost = make_cost_model(m, e, g, node_of(g), h100_calibration());
  Draw draw(3);
  std::vector<PrefillPiece> pieces;
  std::vector<double> all;
  for (int i = 0; i < 150; ++i) all.push_back(cost->step(random_step(draw, m, pieces)).total());
  return all;
}

void never_slower(const std::vector<double>& better, const std::vector<double>& base) {
  for (std::size_t i = 0; i < base.size(); ++i) REQUIRE(better[i] <= base[i] * kSlack);
}

}  // namespace

TEST_CASE("monotonic: more bandwidth, peak or link rate is never slower") {
  for (const Model& m : all_models()) {
    const std::vector<double> base = seconds(m, engine_for(m), h100());
    Gpu g = h100();
    g.hbm_bandwidth = g.hbm_bandwidth * 1.3;
    never_slower(seconds(m, engine_for(m), g), base);
    g = h100();
    for (auto& [dtype, peak] : g.peak) peak = peak * 1.3;
    never_slower(seconds(m, engine_for(m), g), base);
    g = h100();
    g.scale_up_bandwidth = g.scale_up_bandwidth * 1.3;
    never_slower(seconds(m, engine_for(m), g), base);
  }
}

TEST_CASE("monotonic: a narrower KV cache is never slower") {
  for (const Model& m : all_models()) {
    Engine narrow = engine_for(m);
    narrow.kv_cache_dtype = Dtype::fp8;
    never_slower(seconds(m, narrow, h100()), seconds(m, engine_for(m), h100()));
  }
}

TEST_CASE("monotonic: one more token of padding, prefill, cache or context is never faster") {
  for (const Model& m : all_models()) {
    const auto cost = make_cost_model(m, engine_for(m), h100(), node_of(h100()), h100_calibration());
    Draw draw(4);
    std::vector<PrefillPiece> pieces;
    for (int i = 0; i < 300; ++i) {
      StepShape s = random_step(draw, m, pieces);
      const double base = cost->step(s).total();
      StepShape more = s;
      more.padded_tokens += draw.in(1, 200);
      REQUIRE(cost->step(more).total() * kSlack >= base);
      more = s;
      ++more.sampled;
      REQUIRE(cost->step(more).total() * kSlack >= base);
      if (s.decode_sequences > 0) {
        more = s;
        const int by = draw.in(1, 5000);
        more.decode_context += by;
        more.decode_max_context += by;
        REQUIRE(cost->step(more).total() * kSlack >= base);
      }
      if (!pieces.empty()) {
        pieces[0].cached += draw.in(1, 3000);
        REQUIRE(cost->step(s).total() * kSlack >= base);
        pieces[0].tokens += draw.in(1, 300);
        REQUIRE(cost->step(s).total() * kSlack >= base);
      }
    }
  }
}

TEST_CASE("monotonic: every batch size costs at least as much as the one below") {
  for (const Model& m : all_models()) {
    const auto cost = make_cost_model(m, engine_for(m), h100(), node_of(h100()), h100_calibration());
    double last = 0;
    for (int batch = 1; batch <= 700; ++batch) {
      StepShape s = decode_shape(batch, batch * std::int64_t{500}, 500, batch, GraphMode::full);
      s.decode_window_context = batch * std::int64_t{128};
      const double now = cost->step(s).total();
      REQUIRE(now * kSlack >= last);
      last = now;
    }
  }
}

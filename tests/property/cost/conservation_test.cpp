// Parts add up, FLOPs follow the closed form, and a TP degree moves weights, KV and collectives together.
#include <catch2/catch.hpp>

#include "cost/memory.hpp"
#include "property/cost/random_shapes.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

TEST_CASE("conservation: the four parts of a step are non-negative and sum to its seconds") {
  for (const Model& m : all_models()) {
    const Engine e = bf16_engine(m.mla() ? 8 : 4);
    const auto cost = make_cost_model(m, e, h100(), node_of(h100()), h100_calibration());
    Draw draw(5);
    std::vector<PrefillPiece> pieces;
    for (int i = 0; i < 300; ++i) {
      const StepCost c = cost->step(random_step(draw, m, pieces));
      REQUIRE(c.compute >= 0);
      REQUIRE(c.memory >= 0);
      REQUIRE(c.interconnect > 0);
      REQUIRE(c.overhead > 0);
      REQUIRE(c.total() == c.compute + c.memory + c.interconnect + c.overhead);
      REQUIRE(c.flops > 0);
      REQUIRE(c.hbm_bytes > 0);
      REQUIRE(c.link_bytes > 0);
    }
  }
}

TEST_CASE(
    "conservation: FLOPs of a prefill are those of its parameters and of attention, on all ranks together") {
  Draw draw(6);
  for (const Model& m : {llama_3_1_8b(), llama_3_1_70b(), llama_2_7b()})
    for (int tp : {1, 2, 4, 8}) {
      const auto cost = make_cost_model(m, bf16_engine(tp), h100(), node_of(h100()), h100_calibration());
      const std::int64_t n = draw.in(2, 4000), c = draw.in(0, 8000);
      const PrefillPiece piece{static_cast<std::int32_t>(n), static_cast<std::int32_t>(c)};
      StepShape s;
      s.tokens = s.padded_tokens = static_cast<std::int32_t>(n);
      s.sequences = s.sampled = 1;
      s.prefill = {&piece, 1};
      const ParameterCount p = count_parameters(m);
      const std::int64_t attention =
          std::int64_t{4} * m.heads * m.head_dim * m.layers * (n * c + n * (n + 1) / 2);
      CHECK(cost->step(s).flops * tp == 2 * n * (p.attention + p.dense_mlp) + 2 * p.lm_head + attention);
    }
}

TEST_CASE("conservation: prefilling in chunks takes the FLOPs of prefilling at once") {
  const auto cost =
      make_cost_model(llama_3_1_8b(), bf16_engine(), h100(), node_of(h100()), h100_calibration());
  const auto prefill = [&](std::int32_t tokens, std::int32_t cached) {
    const PrefillPiece piece{tokens, cached};
    StepShape s;
    s.tokens = s.padded_tokens = tokens;
    s.sequences = 1;
    s.prefill = {&piece, 1};
    return cost->step(s);
  };
  const StepCost whole = prefill(4096, 0), first = prefill(1024, 0), rest = prefill(3072, 1024);
  CHECK(whole.flops == first.flops + rest.flops);
  CHECK(whole.total() < first.total() + rest.total());
}

TEST_CASE("conservation: a TP degree changes weights, KV and collective time together [complaint 25]") {
  const Model m = llama_3_1_70b();
  double weights = 1e18, memory = 1e18;
  std::int64_t block = std::int64_t{1} << 60, link = 0;
  for (int tp : {2, 4, 8}) {
    const Engine e = bf16_engine(tp);
    const MemoryPlan p = plan_memory(m, e, h100());
    const auto cost = make_cost_model(m, e, h100(), node_of(h100()), h100_calibration());
    const StepCost c = cost->step(decode_shape(32, 32 * 2000, 2000, 32, GraphMode::full));
    CHECK(p.weights.v < weights);
    CHECK(p.block_bytes * 2 == (tp == 2 ? p.block_bytes * 2 : block));
    CHECK(c.memory < memory);
    CHECK(c.link_bytes > link);
    weights = p.weights.v;
    block = p.block_bytes;
    memory = c.memory;
    link = c.link_bytes;
  }
}

TEST_CASE("conservation: KV bytes that a decode step reads are those the pool holds") {
  for (const Model& m : {llama_3_1_8b(), deepseek_v3()}) {
    const Engine e = bf16_engine(8);
    const auto cost = make_cost_model(m, e, h100(), node_of(h100()), h100_calibration());
    const std::int64_t before = cost->step(decode_shape(4, 4000, 1000, 4, GraphMode::full)).hbm_bytes;
    const std::int64_t after = cost->step(decode_shape(4, 8000, 2000, 4, GraphMode::full)).hbm_bytes;
    Gpu large = b200();
    CHECK((after - before) * 16 == 4000 * plan_memory(m, e, large).block_bytes);
  }
}

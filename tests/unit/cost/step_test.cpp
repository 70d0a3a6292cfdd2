// Whole steps against hand calculation and published decode times; overheads, graphs and windows.
#include <catch2/catch.hpp>
#include <numeric>

#include "base/errors.hpp"
#include "cost/cost_model.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

StepShape decode_step(int batch, int context, GraphMode graph = GraphMode::full) {
  StepShape s;
  s.tokens = s.padded_tokens = s.sequences = s.sampled = s.decode_sequences = batch;
  s.decode_context = s.decode_window_context = static_cast<std::int64_t>(batch) * context;
  s.decode_max_context = context;
  s.graph = graph;
  return s;
}

std::unique_ptr<CostModel> on_h100(const Model& m, const Engine& e) {
  return make_cost_model(m, e, h100(), node_of(h100()), h100_calibration());
}

}  // namespace

TEST_CASE("step: decode of Llama-3.1-8B on one H100 at batch 8 takes 7.3 ms") {
  // source: ML.ENERGY Benchmark v3, vLLM, full graphs, async scheduling: median ITL 7.32 ms. By hand: 16.06
  // GB of weights less the embedding over 0.86 x 3.35 TB/s are 5.2 ms; 32 layers of some 38 us of launch and
  // element-wise kernels 1.2 ms; attention 0.2 ms; 0.6 ms of step overhead.
  const auto cost = on_h100(llama_3_1_8b(), bf16_engine());
  for (int context : {500, 750, 1000})
    CHECK(cost->step(decode_step(8, context)).total() == Approx(7.3e-3).epsilon(0.10));
}

TEST_CASE("step: decode of Llama-3.1-70B on four H100 at batch 8 takes 16.6 ms") {
  // source: ML.ENERGY Benchmark v3: median ITL 16.57 ms
  const auto cost = on_h100(llama_3_1_70b(), bf16_engine(4));
  for (int context : {500, 750, 1000})
    CHECK(cost->step(decode_step(8, context)).total() == Approx(16.6e-3).epsilon(0.10));
}

TEST_CASE("step: a small decode batch is bound by memory, a long prefill by compute") {
  const auto cost = on_h100(llama_3_1_8b(), bf16_engine());
  const StepCost decode = cost->step(decode_step(8, 500));
  CHECK(decode.memory > 0.7 * decode.total());
  const PrefillPiece piece{8192, 0};
  StepShape s;
  s.tokens = s.padded_tokens = 8192;
  s.sequences = s.sampled = 1;
  s.graph = GraphMode::eager;
  s.prefill = {&piece, 1};
  const StepCost prefill = cost->step(s);
  CHECK(prefill.compute > 0.7 * prefill.total());
  // 2 x 7.5e9 x 8192 + attention 4 x 4096 x 8192^2/2 x 32 FLOPs = 141 TFLOP at 0.6 to 0.8 of 989 TFLOP/s
  CHECK(prefill.total() > 0.178);
  CHECK(prefill.total() < 0.24);
}

TEST_CASE("step: eager engines wait for their kernel launches whatever the tensor-parallel degree") {
  // source: Splitwise (ISCA 2024), llama2-70b on DGX-H100, eager: 28 to 30 ms a decode step at TP 4 and 8
  for (int tp : {4, 8}) {
    Engine e = bf16_engine(tp);
    e.enforce_eager = true;
    const StepCost c = on_h100(llama_2_70b(), e)->step(decode_step(1, 600, GraphMode::eager));
    CHECK(c.total() == Approx(29e-3).epsilon(0.07));
    CHECK(c.overhead > 0.4 * c.total());
  }
}

TEST_CASE("step: graphs are never slower than pieces of them, pieces never than eager execution") {
  Engine eager = bf16_engine();
  eager.enforce_eager = true;
  const auto compiled = on_h100(llama_3_1_8b(), bf16_engine()), plain = on_h100(llama_3_1_8b(), eager);
  const double full = compiled->step(decode_step(8, 500)).total();
  const double piecewise = compiled->step(decode_step(8, 500, GraphMode::piecewise)).total();
  CHECK(full <= piecewise);
  CHECK(piecewise <= plain->step(decode_step(8, 500, GraphMode::eager)).total());
}

TEST_CASE("step: padding costs what its rows cost, attention sees real ones") {
  const auto cost = on_h100(llama_3_1_8b(), bf16_engine());
  StepShape s = decode_step(250, 500);
  const StepCost exact = cost->step(s);
  s.padded_tokens = 256;
  const StepCost padded = cost->step(s);
  CHECK(padded.total() >= exact.total());
  const ParameterCount p = count_parameters(llama_3_1_8b());
  CHECK(padded.flops - exact.flops == 2 * 6 * (p.attention + p.dense_mlp));
}

TEST_CASE("step: windowed layers stop growing at the window, full ones do not") {
  const auto cost = on_h100(gpt_oss_20b(), bf16_engine());
  const auto at = [&](int context) {
    StepShape s = decode_step(32, context);
    s.decode_window_context = 32 * std::min(context, 128);
    return cost->step(s);
  };
  const std::int64_t token = 2 * 8 * 64 * 2;
  CHECK(at(4096).hbm_bytes - at(2048).hbm_bytes == 12 * 32 * 2048 * token);
  CHECK(at(128).hbm_bytes - at(64).hbm_bytes == 24 * 32 * 64 * token);
  CHECK_THROWS_AS(cost->decode_curve(8, 8, GraphMode::full), SimulationError);
}

TEST_CASE("step: unequal contexts cost more than equal ones by the skew") {
  const auto cost = on_h100(llama_3_1_8b(), bf16_engine());
  StepShape s = decode_step(128, 2000);
  const double equal = cost->step(s).total();
  const double longest = cost->step(decode_step(128, 8000)).total();
  s.decode_max_context = 8000;
  CHECK(cost->step(s).total() == Approx(equal + 0.1 * (longest - equal)).epsilon(1e-9));
}

TEST_CASE("step: decodes beside a prefill are stretched where one kernel serves both") {
  Calibration c = h100_calibration();
  const PrefillPiece piece{256, 0};
  StepShape s = decode_step(64, 4000, GraphMode::piecewise);
  s.tokens = s.padded_tokens = 64 + 256;
  s.prefill = {&piece, 1};
  const auto total = [&] {
    return make_cost_model(llama_3_1_8b(), bf16_engine(), h100(), node_of(h100()), c)->step(s).total();
  };
  const double apart = total();
  c.mixed_decode = 1.8;
  const double mixed = total();
  // 64 x 4000 x 131,072 bytes over 0.89 x 3.35 TB/s are 11.3 ms
  CHECK(mixed - apart == Approx(0.8 * 11.3e-3).epsilon(0.05));
}

TEST_CASE("step: host and front-end seconds come from the calibration") {
  const auto cost = on_h100(llama_3_1_8b(), bf16_engine());
  CHECK(cost->host_seconds(0) == Approx(1e-3));
  CHECK(cost->host_seconds(100) == Approx(2e-3));
  CHECK(cost->frontend_seconds() == Approx(8e-3));
}

TEST_CASE("step: pipelines and groups larger than a node have no cost model and are refused") {
  Engine e = bf16_engine();
  e.pipeline_parallel_size = 2;
  CHECK_THROWS_AS(on_h100(llama_3_1_8b(), e), ConfigError);
  CHECK_THROWS_AS(on_h100(llama_3_1_70b(), bf16_engine(16)), ConfigError);
}

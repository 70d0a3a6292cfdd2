// The operator-by-operator account of a step against the step itself.
#include <catch2/catch.hpp>

#include "cost/cost_model.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

TEST_CASE("explain: operators sum to the step, but for half a percent of interpolation") {
  const PrefillPiece pieces[] = {{200, 100}, {50, 0}};
  for (const Model& m : {llama_3_1_8b(), gpt_oss_20b(), qwen3_30b_a3b()})
    for (GraphMode graph : {GraphMode::full, GraphMode::piecewise, GraphMode::eager})
      for (bool mixed : {false, true}) {
        StepShape s;
        s.decode_sequences = 37;
        s.decode_context = 37 * 777;
        s.decode_window_context = 37 * 128;
        s.decode_max_context = 1500;
        s.sequences = s.sampled = mixed ? 39 : 37;
        s.tokens = s.padded_tokens = mixed ? 287 : 37;
        s.graph = graph;
        if (mixed) s.prefill = pieces;
        const Engine e = bf16_engine(2);
        const auto cost = make_cost_model(m, e, h100(), node_of(h100()), h100_calibration());
        double seconds = 0;
        std::int64_t flops = 0, bytes = 0;
        for (const OperatorCost& o : explain_step(m, e, h100(), node_of(h100()), h100_calibration(), s)) {
          CHECK(o.seconds == o.cost.total());
          seconds += o.seconds;
          flops += o.cost.flops;
          bytes += o.cost.hbm_bytes;
        }
        const StepCost step = cost->step(s);
        CHECK(seconds == Approx(step.total()).epsilon(0.005));
        CHECK(flops == step.flops);
        CHECK(static_cast<double>(bytes) == Approx(static_cast<double>(step.hbm_bytes)).epsilon(1e-6));
      }
}

TEST_CASE("explain: a decode step's GEMMs are bound by memory, its all-reduces by the interconnect") {
  StepShape s;
  s.tokens = s.padded_tokens = s.sequences = s.sampled = s.decode_sequences = 8;
  s.decode_context = 8 * 500;
  s.decode_max_context = 500;
  int seen = 0;
  for (const OperatorCost& o :
       explain_step(llama_3_1_70b(), bf16_engine(4), h100(), node_of(h100()), h100_calibration(), s)) {
    const std::string name = o.name;
    if (name == "gate and up" || name == "down") {
      CHECK(std::string(o.bound) == "memory");
      CHECK(o.count == 80);
      ++seen;
    }
    if (name == "all-reduce") {
      CHECK(std::string(o.bound) == "interconnect");
      CHECK(o.count == 160);
      ++seen;
    }
  }
  CHECK(seen == 3);
}

#include "serving/cuda_graphs.hpp"

#include <catch2/catch.hpp>

using namespace ridgepoint;

namespace {
Engine engine_with(int seqs, int tokens) {
  Engine e;
  e.max_num_seqs = seqs;
  e.max_num_batched_tokens = tokens;
  return e;
}
}  // namespace

TEST_CASE("cuda graphs: sizes are 1, 2, 4, by 8 to 248, then by 16 to the cap") {
  const CudaGraphs g(engine_with(256, 8192));
  CHECK(g.sizes().front() == 1);
  CHECK(g.sizes()[3] == 8);
  CHECK(g.sizes().back() == 512);
  CHECK(std::count(g.sizes().begin(), g.sizes().end(), 256) == 1);
  CHECK(std::count(g.sizes().begin(), g.sizes().end(), 264) == 0);
  CHECK(CudaGraphs(engine_with(8, 8192)).sizes().back() == 16);  // 2 R
}

TEST_CASE(
    "cuda graphs: a decode is padded to the next size, beyond the largest a step runs eagerly and unpadded") {
  const CudaGraphs g(engine_with(256, 8192));
  CHECK(g.pick(5, 5, 1).padded_tokens == 8);
  CHECK(g.pick(5, 5, 1).mode == GraphMode::full);
  CHECK(g.pick(100, 3, 90).padded_tokens == 104);
  CHECK(g.pick(100, 3, 90).mode == GraphMode::piecewise);
  CHECK(g.pick(513, 2, 512).padded_tokens == 513);
  CHECK(g.pick(513, 2, 512).mode == GraphMode::eager);
}

TEST_CASE("cuda graphs: R = 100, 98 decodes pad to 104 > 100 and run piecewise") {
  const CudaGraphs g(engine_with(100, 8192));
  CHECK(g.pick(98, 98, 1).padded_tokens == 104);
  CHECK(g.pick(98, 98, 1).mode == GraphMode::piecewise);
  CHECK(g.pick(96, 96, 1).mode == GraphMode::full);
}

TEST_CASE("cuda graphs: with drafts sizes are whole decodes; eager engines have none") {
  Engine e = engine_with(64, 8192);
  e.num_speculative_tokens = 2;
  const CudaGraphs g(e);
  for (const int s : g.sizes()) CHECK(s % 3 == 0);
  CHECK(g.pick(9, 3, 3).mode == GraphMode::full);
  e.enforce_eager = true;
  CHECK(CudaGraphs(e).pick(9, 3, 3).mode == GraphMode::eager);
}

TEST_CASE("cuda graphs: versions differ in sizes, cap and full decode graphs") {
  Engine e = engine_with(256, 8192);
  e.version = EngineVersion::v0_11;  // by 8 throughout
  CHECK(CudaGraphs(e).pick(260, 260, 1).padded_tokens == 264);
  e.version = EngineVersion::v0_11_1;  // by 16 above 256
  CHECK(CudaGraphs(e).pick(260, 260, 1).padded_tokens == 272);
  CHECK(CudaGraphs(e).pick(8, 8, 1).mode == GraphMode::full);
  e.version = EngineVersion::v0_10_2;  // piecewise only
  CHECK(CudaGraphs(e).pick(8, 8, 1).mode == GraphMode::piecewise);
  Engine k = engine_with(32, 8192);
  k.num_speculative_tokens = 3;
  k.version = EngineVersion::v0_12;  // cap 2 R
  CHECK(CudaGraphs(k).sizes().back() == 64);
  k.version = EngineVersion::v0_13;  // cap 2 R (1 + K)
  CHECK(CudaGraphs(k).sizes().back() == 256);
}

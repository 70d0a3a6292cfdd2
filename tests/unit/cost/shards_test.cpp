// Sharding: what a rank holds against the parameter count and against the rules of tensor parallelism.
#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "cost/memory.hpp"
#include "cost/shards.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

TEST_CASE("shards: one rank in bf16 holds two bytes of every parameter") {
  for (Model m : {llama_3_1_8b(), llama_3_1_70b(), llama_2_7b(), qwen3_30b_a3b(), deepseek_v3()}) {
    m.quantization = {};
    const double expected = 2.0 * static_cast<double>(count_parameters(m).total());
    // DeepSeek's vocabulary of 129,280 is padded to a multiple of 64, as the others' are: no difference.
    CHECK(weight_bytes_per_rank(m, bf16_engine()).v == Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE(
    "shards: weights a rank shrink with the degree, norms and replicated KV heads do not [complaint 2]") {
  const Model m = llama_3_1_70b();
  double last = weight_bytes_per_rank(m, bf16_engine(1)).v;
  for (int tp : {2, 4, 8, 16}) {
    const double now = weight_bytes_per_rank(m, bf16_engine(tp)).v;
    CHECK(now < last);
    CHECK(now * tp >= weight_bytes_per_rank(m, bf16_engine(1)).v);
    last = now;
  }
  // 8 KV heads on 16 ranks: each holds one whole head, so K and V of two ranks are the same.
  const cost::Shards s = cost::shard_model(m, bf16_engine(16));
  CHECK(s.kv_width == 2 * 128);
  CHECK(s.heads == 4);
}

TEST_CASE("shards: a degree that does not divide the heads is refused with the legal ones [complaint 3]") {
  try {
    cost::shard_model(llama_3_1_70b(), bf16_engine(3));
    FAIL("accepted");
  } catch (const ConfigError& e) {
    CHECK_THAT(e.what(), Catch::Contains("3 tensor-parallel ranks") && Catch::Contains("1, 2, 4, 8"));
  }
}

TEST_CASE("shards: block scales count as bytes, and only the experts of gpt-oss are narrow") {
  cost::Matrix w{"w", 256, 256, {Dtype::fp8, Dtype::fp8, 128, 128, 4}};
  CHECK(w.bytes() == 256 * 256 + 4 * 4);
  const cost::Shards s = cost::shard_model(gpt_oss_20b(), bf16_engine());
  CHECK(s.expert.projections[0].format.weights == Dtype::bf16);
  CHECK(s.expert.expert_down.format.weights == Dtype::mxfp4);
  CHECK(s.expert.expert_down.format.multiply == Dtype::bf16);
  // source: the published checkpoint of gpt-oss-20b is 13.8 GB
  CHECK(weight_bytes_per_rank(gpt_oss_20b(), bf16_engine()).v == Approx(13.8e9).epsilon(0.01));
}

TEST_CASE("shards: MLA keeps one latent a token whatever the degree [complaint 5]") {
  for (int tp : {1, 4, 16}) CHECK(cost::shard_model(deepseek_v3(), bf16_engine(tp)).kv_width == 512 + 64);
}

// KV capacity against block counts that real engines reported, and the refusals at start-up.
#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "cost/memory.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

Engine engine(int tp, int seqs, int length, EngineVersion version) {
  Engine e = bf16_engine(tp);
  e.max_num_seqs = seqs;
  e.max_model_len = length;
  e.version = version;
  return e;
}

std::string refusal(const Model& m, const Engine& e, const Gpu& g) {
  try {
    plan_memory(m, e, g);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("memory: block counts are within 3 % of what vLLM reported [complaint 7]") {
  // source: vLLM 0.19 on RTX 4090 (LLMServingSim run), vLLM 0.15 on H100 (inference-sim/training)
  CHECK(plan_memory(llama_3_1_8b(), engine(1, 256, 32768, EngineVersion::v0_19), rtx_4090()).blocks ==
        Approx(2588).epsilon(0.03));
  CHECK(plan_memory(llama_2_7b(), engine(1, 128, 4096, EngineVersion::v0_15), h100()).blocks ==
        Approx(7462).epsilon(0.03));
  CHECK(plan_memory(llama_2_70b(), engine(4, 128, 4096, EngineVersion::v0_15), h100()).blocks ==
        Approx(31356).epsilon(0.03));
}

TEST_CASE(
    "memory: two ranks of Llama-3.1-8B hold about 62,000 blocks, each half of every token [complaint 1]") {
  const MemoryPlan p = plan_memory(llama_3_1_8b(), engine(2, 256, 4096, EngineVersion::v0_19), h100());
  CHECK(p.blocks == Approx(62000).epsilon(0.05));
  CHECK(p.block_bytes == 16 * 32 * 2 * 4 * 128 * 2);
}

TEST_CASE("memory: blocks times bytes never exceed what is available [complaint 1]") {
  for (int tp : {1, 2, 4, 8})
    for (Dtype kv : {Dtype::bf16, Dtype::fp8}) {
      Engine e = engine(tp, 256, 4096, EngineVersion::v0_19);
      e.kv_cache_dtype = kv;
      const MemoryPlan p = plan_memory(llama_3_1_8b(), e, h100());
      CHECK(static_cast<double>(p.blocks * p.block_bytes) <= p.available.v);
      CHECK(p.available.v <= 0.9 * p.hbm.v - p.weights.v);
      CHECK(static_cast<double>((p.blocks + 1) * p.block_bytes) > p.available.v);
    }
}

TEST_CASE("memory: Llama-3.1-70B at 32k tokens holds 10 GiB of KV [complaint 4]") {
  Engine e = engine(8, 256, 32768, EngineVersion::v0_19);
  const MemoryPlan p = plan_memory(llama_3_1_70b(), e, h100());
  const double all_ranks = 8.0 * static_cast<double>(p.block_bytes) * 32768 / 16;
  CHECK(all_ranks == 10.0 * 1024 * 1024 * 1024);
}

TEST_CASE("memory: MLA's latent cache is as large on every rank [complaint 5]") {
  Model m = deepseek_v3();
  Gpu g = b200();
  const MemoryPlan p8 = plan_memory(m, engine(8, 256, 4096, EngineVersion::v0_19), g);
  const MemoryPlan p16 = plan_memory(m, engine(16, 256, 4096, EngineVersion::v0_19), g);
  CHECK(p8.block_bytes == 16 * 61 * 576 * 2);
  CHECK(p16.block_bytes == p8.block_bytes);
}

TEST_CASE("memory: the fraction means total memory, and free memory only by its own setting [complaint 8]") {
  Engine e = engine(1, 256, 4096, EngineVersion::v0_19);
  const MemoryPlan total = plan_memory(llama_3_1_8b(), e, h100());
  CHECK(total.requested.v == Approx(0.9 * 85e9));
  e.gpu_memory_basis = MemoryBasis::free;
  const MemoryPlan free = plan_memory(llama_3_1_8b(), e, h100());
  CHECK(free.available.v == Approx(0.9 * (85e9 - free.weights.v - free.activations.v - free.reserve.v)));
}

TEST_CASE("memory: kv_cache_memory_bytes replaces the derived pool, num_gpu_blocks_override only lowers it") {
  Engine e = engine(1, 256, 4096, EngineVersion::v0_19);
  e.kv_cache_memory_bytes = Bytes{1e10};
  CHECK(plan_memory(llama_3_1_8b(), e, h100()).blocks == static_cast<std::int64_t>(1e10 / (16 * 131072)));
  e.num_gpu_blocks_override = 300;
  CHECK(plan_memory(llama_3_1_8b(), e, h100()).blocks == 300);
  e.num_gpu_blocks_override = 1'000'000;
  CHECK_THAT(refusal(llama_3_1_8b(), e, h100()), Catch::Contains("use at most 4768"));
}

TEST_CASE("memory: num_gpu_blocks_override must hold one request of max_model_len [complaint 10]") {
  Engine e = engine(1, 256, 4096, EngineVersion::v0_19);
  e.num_gpu_blocks_override = 256;
  CHECK(plan_memory(llama_3_1_8b(), e, h100()).longest == 4096);
  e.num_gpu_blocks_override = 100;
  CHECK_THAT(refusal(llama_3_1_8b(), e, h100()),
             Catch::Contains("needs 256 KV blocks") && Catch::Contains("max_model_len that fits is 1600"));
}

TEST_CASE("memory: more KV blocks than 32 bits can number are refused, unless fewer are asked for") {
  Model tiny = llama_3_1_8b();
  tiny.layers = tiny.heads = tiny.kv_heads = tiny.head_dim = 1;
  tiny.hidden = tiny.intermediate = tiny.vocab = 1;
  Engine e = engine(1, 1, 16, EngineVersion::v0_19);
  e.block_size = 1;
  CHECK_THAT(refusal(tiny, e, h100()),
             Catch::Contains("more than can be numbered") && Catch::Contains("at most 2147483647"));
  e.num_gpu_blocks_override = 1 << 20;
  CHECK(plan_memory(tiny, e, h100()).blocks == 1 << 20);
}

TEST_CASE("memory: graphs are subtracted from 0.20 on, and not when eager") {
  const double before =
      plan_memory(llama_3_1_8b(), engine(1, 256, 4096, EngineVersion::v0_19), h100()).reserve.v;
  Engine e = engine(1, 256, 4096, EngineVersion::v0_20);
  CHECK(plan_memory(llama_3_1_8b(), e, h100()).reserve.v > before + 0.1e9);
  e.enforce_eager = true;
  CHECK(plan_memory(llama_3_1_8b(), e, h100()).reserve.v == before);
}

TEST_CASE("memory: weights that do not fit are refused with the breakdown and what would fit [complaint 9]") {
  const std::string text = refusal(llama_3_1_70b(), engine(1, 256, 4096, EngineVersion::v0_19), h100());
  CHECK_THAT(text, Catch::Contains("weights 141.11 GB"));
  CHECK_THAT(text, Catch::Contains("at least 2 GPUs"));
  CHECK_THAT(text, Catch::Contains("fp8 weights"));
  // 405B-sized on a 24 GB card: no degree helps
  Model huge = llama_3_1_70b();
  huge.layers = 2000;
  CHECK_THAT(refusal(huge, engine(1, 256, 4096, EngineVersion::v0_19), rtx_4090()),
             Catch::Contains("no tensor-parallel degree"));
}

TEST_CASE(
    "memory: a max_model_len that does not fit names the longest that does, and that one starts [complaint "
    "10]") {
  Engine e = engine(1, 256, 131072, EngineVersion::v0_19);
  CHECK_THAT(refusal(llama_3_1_8b(), e, rtx_4090()), Catch::Contains("longest max_model_len that fits is"));
  e.max_model_len = 4096;
  const MemoryPlan p = plan_memory(llama_3_1_8b(), e, rtx_4090());
  CHECK(p.longest == p.blocks * 16);
  e.max_model_len = static_cast<int>(p.longest);
  CHECK(plan_memory(llama_3_1_8b(), e, rtx_4090()).concurrency == 1.0);
  ++e.max_model_len;
  CHECK(refusal(llama_3_1_8b(), e, rtx_4090()) != "");
}

TEST_CASE("memory: the derivation names every part") {
  const std::string text =
      plan_memory(llama_3_1_8b(), engine(1, 256, 4096, EngineVersion::v0_19), h100()).derivation();
  for (const char* part : {"HBM", "weights", "activations", "reserve", "KV cache", "blocks of 16 tokens"})
    CHECK_THAT(text, Catch::Contains(part));
}

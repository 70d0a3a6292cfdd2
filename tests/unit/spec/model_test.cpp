// Sizes derived from shapes, against counts worked out by hand.
#include <catch2/catch.hpp>

#include <numeric>

#include "base/errors.hpp"
#include "spec/model.hpp"

using namespace ridgepoint;

namespace {

Model llama_70b() {
  Model m;
  m.layers = 80;
  m.hidden = 8192;
  m.heads = 64;
  m.kv_heads = 8;
  m.head_dim = 128;
  m.intermediate = 28672;
  m.vocab = 128256;
  return m;
}

Model deepseek_v3() {
  Model m;
  m.layers = 61;
  m.hidden = 7168;
  m.heads = m.kv_heads = 128;
  m.head_dim = 192;
  m.intermediate = 18432;
  m.vocab = 129280;
  m.experts = 256;
  m.experts_per_token = 8;
  m.expert_intermediate = 2048;
  m.shared_expert_intermediate = 2048;
  m.first_dense_layers = 3;
  m.router_bias = true;
  m.q_lora_rank = 1536;
  m.kv_lora_rank = 512;
  m.qk_nope_dim = 128;
  m.qk_rope_dim = 64;
  m.v_head_dim = 128;
  return m;
}

}  // namespace

TEST_CASE("model: a small dense decoder's parameters are the sum of its matrices") {
  Model m;
  m.layers = 2;
  m.hidden = 8;
  m.heads = 4;
  m.kv_heads = 2;
  m.head_dim = 3;
  m.intermediate = 10;
  m.vocab = 100;
  // q 8x12, k and v 8x6 each, o 12x8; gate, up, down 8x10 each; two norms of 8.
  ParameterCount c = count_parameters(m);
  CHECK(c.attention == 2 * (96 + 2 * 48 + 96));
  CHECK(c.dense_mlp == 2 * 240);
  CHECK(c.norms == 2 * 16);
  CHECK(c.total() == 800 + 800 + 8 + 576 + 480 + 32);
  m.tied_embeddings = true;
  CHECK(count_parameters(m).lm_head == 0);
  // The tied matrix is still multiplied by each token that samples.
  CHECK(active_parameters(m) == 800 + 8 + 576 + 480 + 32);
  m.qkv_bias = m.output_bias = m.mlp_bias = m.qk_norm = m.attention_sinks = true;
  c = count_parameters(m);
  CHECK(c.attention == 576 + 2 * (12 + 12 + 8 + 4));
  CHECK(c.dense_mlp == 480 + 2 * (10 + 10 + 8));
  CHECK(c.norms == 32 + 2 * (3 + 3));
}

TEST_CASE("model: a mixture's active parameters hold only the experts a token visits") {
  Model m = llama_70b();
  m.layers = 4;
  m.experts = 8;
  m.experts_per_token = 2;
  m.expert_intermediate = 100;
  m.shared_expert_intermediate = 50;
  m.first_dense_layers = 1;
  m.router_bias = true;
  const ParameterCount c = count_parameters(m);
  CHECK(c.dense_mlp == 1LL * 3 * 8192 * 28672);
  CHECK(c.experts == 3LL * 8 * 3 * 8192 * 100);
  CHECK(c.shared_experts == 3LL * 3 * 8192 * 50);
  CHECK(c.router == 3LL * 8 * 8193);
  CHECK(active_parameters(m) == c.total() - c.embedding - c.experts * 6 / 8);
}

TEST_CASE("model: grouped-query attention of a 70B at 32k context holds 10 GiB of keys and values") {
  const Model m = llama_70b();
  CHECK(kv_bytes_per_token(m, Dtype::bf16).v == 2 * 80 * 8 * 128 * 2);
  CHECK(kv_bytes_per_token(m, Dtype::bf16).v * 32768 == 10.0 * (1LL << 30));
  CHECK(kv_bytes_per_token(m, Dtype::fp8).v == 163840);
}

TEST_CASE("model: fewer KV heads than ranks are replicated, one a rank") {
  Model m = llama_70b();
  m.kv_heads = 4;
  CHECK(kv_heads_per_rank(m, 1) == 4);
  CHECK(kv_heads_per_rank(m, 4) == 1);
  CHECK(kv_heads_per_rank(m, 8) == 1);
  CHECK(kv_bytes_per_token_layer(m, 4, Dtype::bf16).v == 512);
  CHECK(kv_bytes_per_token_layer(m, 8, Dtype::bf16).v == 512);
}

TEST_CASE("model: the latent of MLA is 576 elements a token and layer on every rank") {
  const Model m = deepseek_v3();
  CHECK(kv_bytes_per_token(m, Dtype::bf16).v == 61 * 576 * 2);
  CHECK(kv_bytes_per_token_layer(m, 1, Dtype::bf16).v == 1152);
  CHECK(kv_bytes_per_token_layer(m, 8, Dtype::bf16).v == 1152);
}

TEST_CASE("model: one layer of MLA counts the compressions, expansions and their norms") {
  const Model m = deepseek_v3();
  const std::int64_t q = 7168LL * 1536 + 1536LL * 128 * 192;
  const std::int64_t kv = 7168LL * 576 + 512LL * 128 * 256;
  CHECK(count_parameters(m).attention == 61 * (q + kv + 128LL * 128 * 7168));
  CHECK(count_parameters(m).norms == 61LL * (2 * 7168 + 1536 + 512));
  Model direct = m;  // DeepSeek-V2-Lite has no query compression
  direct.q_lora_rank = 0;
  CHECK(count_parameters(direct).attention == 61 * (7168LL * 128 * 192 + kv + 128LL * 128 * 7168));
}

TEST_CASE("model: tensor-parallel degrees divide heads, KV heads and MLP columns") {
  Model m = llama_70b();
  CHECK(valid_tensor_parallel(m) == std::vector<int>{1, 2, 4, 8, 16, 32, 64});
  m.heads = 28;  // Qwen2-7B: 7 and 14 neither divide nor are multiples of 4; 18944 / 28 leaves a remainder
  m.kv_heads = 4;
  m.intermediate = 18944;
  CHECK(valid_tensor_parallel(m) == std::vector<int>{1, 2, 4});
  CHECK(valid_tensor_parallel(deepseek_v3()) == std::vector<int>{1, 2, 4, 8, 16, 32, 64, 128});
}

TEST_CASE("model: pipeline stages take the remainder from the second-last towards the first") {
  CHECK(split_layers(61, 4) == std::vector<int>{15, 15, 16, 15});
  CHECK(split_layers(63, 4) == std::vector<int>{16, 16, 16, 15});
  CHECK(split_layers(80, 4) == std::vector<int>{20, 20, 20, 20});
  CHECK(split_layers(5, 5) == std::vector<int>{1, 1, 1, 1, 1});
  for (int layers = 1; layers <= 70; ++layers)
    for (int stages = 1; stages <= layers; ++stages) {
      const std::vector<int> s = split_layers(layers, stages);
      REQUIRE(std::accumulate(s.begin(), s.end(), 0) == layers);
    }
  CHECK_THROWS_AS(split_layers(4, 5), ConfigError);
  CHECK_THROWS_AS(split_layers(4, 0), ConfigError);
}

TEST_CASE("model: windows are counted by layer") {
  Model m = llama_70b();
  CHECK(m.full_layers() == 80);
  CHECK(m.window_size() == 0);
  m.window.assign(80, 0);
  for (std::size_t l = 0; l < 80; l += 2) m.window[l] = 128;
  CHECK(m.full_layers() == 40);
  CHECK(m.windowed_layers() == 40);
  CHECK(m.window_size() == 128);
  CHECK(m.layer_window(0) == 128);
  CHECK(m.layer_window(1) == 0);
}

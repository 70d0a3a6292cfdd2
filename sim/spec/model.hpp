// A decoder-only transformer as its config.json describes it, and what follows from that: sizes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "spec/dtype.hpp"

namespace ridgepoint {

/// How weights are stored and multiplied.
struct Quantization {
  std::string method = "none";         ///< none, fp8, mxfp4, ...
  Dtype weights = Dtype::bf16;         ///< of the linear layers it covers
  Dtype multiply = Dtype::bf16;        ///< what the tensor cores see
  int group_rows = 0, group_cols = 0;  ///< one scale for each group_rows x group_cols block; 0 = one a tensor
  double scale_bytes = 0;              ///< bytes of one scale (and zero point)
  bool experts_only = false;           ///< gpt-oss: only the expert weights
};

/// Shapes are those of the unsharded model. Every count is of one layer unless it says otherwise.
struct Model {
  std::string name;
  std::string architecture;  ///< config.json architectures[0]
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;  ///< of K (and V unless MLA)
  int intermediate =
      0;  ///< of the dense MLP (gated: gate and up are each hidden x intermediate); 0 = all MoE
  int vocab = 0;
  int max_position = 0;  ///< longest context the model accepts
  bool tied_embeddings = false;
  bool qkv_bias = false, output_bias = false, mlp_bias = false;
  bool qk_norm = false;          ///< RMS norm of q and k by head (Qwen3, Gemma 3)
  int norms_per_layer = 2;       ///< 4 in Gemma 3
  bool attention_sinks = false;  ///< gpt-oss: one learnt logit a head
  Dtype dtype = Dtype::bf16;
  Quantization quantization;  ///< of the published checkpoint

  // Mixture of experts; experts = 0 where there is none.
  int experts = 0;
  int experts_per_token = 0;
  int expert_intermediate = 0;
  int shared_expert_intermediate = 0;  ///< all shared experts together
  int first_dense_layers = 0;          ///< leading layers with a dense MLP
  bool router_bias = false;            ///< gpt-oss router bias; DeepSeek-V3 e_score_correction_bias

  // Multi-head latent attention; kv_lora_rank = 0 where there is none.
  int q_lora_rank = 0, kv_lora_rank = 0, qk_nope_dim = 0, qk_rope_dim = 0, v_head_dim = 0;

  // Sliding windows: window[l] tokens of layer l, 0 = full attention. Empty = all full.
  std::vector<int> window;

  bool moe() const { return experts > 0; }
  bool mla() const { return kv_lora_rank > 0; }
  bool moe_layer(int layer) const { return moe() && layer >= first_dense_layers; }
  int layer_window(int layer) const { return window.empty() ? 0 : window[static_cast<std::size_t>(layer)]; }
  int full_layers() const;  ///< layers with full attention
  int windowed_layers() const;
  int window_size() const;  ///< the one window in use, 0 = none
};

/// Parameters by place, of the whole model. Each is a count of elements.
struct ParameterCount {
  std::int64_t embedding = 0, lm_head = 0, final_norm = 0;
  std::int64_t attention = 0;  ///< all layers
  std::int64_t dense_mlp = 0;  ///< all layers
  std::int64_t experts = 0;    ///< all routed experts of all layers
  std::int64_t shared_experts = 0, router = 0, norms = 0;
  std::int64_t total() const;
};
ParameterCount count_parameters(const Model& m);
/// Parameters that one token passes through (experts_per_token of the experts; embedding as one row
/// excluded).
std::int64_t active_parameters(const Model& m);

/// KV heads one rank holds: at least one, so that they are replicated where there are fewer heads than ranks.
int kv_heads_per_rank(const Model& m, int tensor_parallel);
/// Bytes one token's K and V occupy in one layer on one rank. MLA: the latent, replicated over ranks.
Bytes kv_bytes_per_token_layer(const Model& m, int tensor_parallel, Dtype kv_dtype);
/// Bytes one token's K and V occupy in all layers of the whole model, each head counted once.
Bytes kv_bytes_per_token(const Model& m, Dtype kv_dtype);

/// Tensor-parallel degrees that divide heads, MLP columns and (or are a multiple of) kv heads; vocabulary is
/// padded: 64 heads -> 1,2,4,8,16,32,64.
std::vector<int> valid_tensor_parallel(const Model& m);
/// Layers of each pipeline stage as vLLM splits them: the remainder one each from the second-last stage
/// towards the first. 61 over 4 -> 15, 15, 16, 15. Throws ConfigError when stages > layers or stages < 1.
std::vector<int> split_layers(int layers, int stages);

}  // namespace ridgepoint

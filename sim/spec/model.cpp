// Sizes that follow from a model's shapes: parameters, KV bytes, and how both divide over ranks and stages.
#include "spec/model.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {

std::int64_t wide(int n) { return n; }

/// Weights (and biases) of one gated MLP: gate, up and down.
std::int64_t mlp_parameters(const Model& m, int intermediate) {
  const std::int64_t biases = m.mlp_bias ? 2 * wide(intermediate) + m.hidden : 0;
  return 3 * wide(m.hidden) * intermediate + biases;
}

/// Projections of grouped-query attention in one layer, with the sinks.
std::int64_t gqa_parameters(const Model& m) {
  const std::int64_t q = wide(m.heads) * m.head_dim;
  const std::int64_t kv = 2 * wide(m.kv_heads) * m.head_dim;
  std::int64_t n = m.hidden * (q + kv) + q * m.hidden;
  if (m.qkv_bias) n += q + kv;
  if (m.output_bias) n += m.hidden;
  if (m.attention_sinks) n += m.heads;
  return n;
}

/// Projections of multi-head latent attention in one layer: q directly or through its own low rank, the
/// joint KV compression, its expansion and the output.
std::int64_t mla_parameters(const Model& m) {
  const std::int64_t q = wide(m.heads) * (m.qk_nope_dim + m.qk_rope_dim);
  const std::int64_t query = m.q_lora_rank > 0 ? m.q_lora_rank * (m.hidden + q) : m.hidden * q;
  const std::int64_t compress = wide(m.hidden) * (m.kv_lora_rank + m.qk_rope_dim);
  const std::int64_t expand = wide(m.kv_lora_rank) * m.heads * (m.qk_nope_dim + m.v_head_dim);
  const std::int64_t output = wide(m.heads) * m.v_head_dim * m.hidden;
  std::int64_t n = query + compress + expand + output;
  if (m.qkv_bias) n += (m.q_lora_rank > 0 ? m.q_lora_rank : 0) + m.kv_lora_rank + m.qk_rope_dim;
  if (m.output_bias) n += m.hidden;
  return n;
}

std::int64_t norm_parameters(const Model& m) {
  std::int64_t n = wide(m.norms_per_layer) * m.hidden;
  if (m.qk_norm) n += 2 * wide(m.head_dim);
  if (m.mla()) n += m.q_lora_rank + m.kv_lora_rank;  // the norms after each compression
  return n;
}

std::int64_t moe_layers(const Model& m) { return m.moe() ? wide(m.layers) - m.first_dense_layers : 0; }

}  // namespace

int Model::full_layers() const { return layers - windowed_layers(); }

int Model::windowed_layers() const {
  return static_cast<int>(std::count_if(window.begin(), window.end(), [](int w) { return w > 0; }));
}

int Model::window_size() const {
  return window.empty() ? 0 : *std::max_element(window.begin(), window.end());
}

std::int64_t ParameterCount::total() const {
  return embedding + lm_head + final_norm + attention + dense_mlp + experts + shared_experts + router + norms;
}

ParameterCount count_parameters(const Model& m) {
  const std::int64_t sparse = moe_layers(m);
  const std::int64_t dense = m.layers - sparse;
  ParameterCount c;
  c.embedding = wide(m.vocab) * m.hidden;
  c.lm_head = m.tied_embeddings ? 0 : c.embedding;
  c.final_norm = m.hidden;
  c.attention = m.layers * (m.mla() ? mla_parameters(m) : gqa_parameters(m));
  c.norms = m.layers * norm_parameters(m);
  c.dense_mlp = dense * mlp_parameters(m, m.intermediate);
  if (m.moe()) {
    c.experts = sparse * m.experts * mlp_parameters(m, m.expert_intermediate);
    if (m.shared_expert_intermediate > 0)
      c.shared_experts = sparse * mlp_parameters(m, m.shared_expert_intermediate);
    c.router = sparse * m.experts * (wide(m.hidden) + (m.router_bias ? 1 : 0));
  }
  return c;
}

std::int64_t active_parameters(const Model& m) {
  const ParameterCount c = count_parameters(m);
  const std::int64_t head = m.tied_embeddings ? c.embedding : c.lm_head;  // tied: the same matrix, multiplied
  const std::int64_t experts = m.moe() ? c.experts / m.experts * m.experts_per_token : 0;
  return c.total() - c.embedding - c.lm_head + head - c.experts + experts;
}

int kv_heads_per_rank(const Model& m, int tensor_parallel) {
  return std::max(1, m.kv_heads / tensor_parallel);
}

Bytes kv_bytes_per_token_layer(const Model& m, int tensor_parallel, Dtype kv_dtype) {
  const double elements =
      m.mla() ? m.kv_lora_rank + m.qk_rope_dim : 2.0 * kv_heads_per_rank(m, tensor_parallel) * m.head_dim;
  return Bytes{elements * bytes_per_element(kv_dtype)};
}

Bytes kv_bytes_per_token(const Model& m, Dtype kv_dtype) {
  return kv_bytes_per_token_layer(m, 1, kv_dtype) * static_cast<double>(m.layers);
}

std::vector<int> valid_tensor_parallel(const Model& m) {
  const auto kv_divide = [&](int tp) {
    return m.mla() || m.kv_heads % tp == 0 || (m.kv_heads < tp && tp % m.kv_heads == 0);
  };
  // The engine slices every MLP by columns and refuses a remainder; the vocabulary it pads.
  const auto mlp_divide = [&](int tp) {
    return m.intermediate % tp == 0 && m.expert_intermediate % tp == 0 &&
           m.shared_expert_intermediate % tp == 0;
  };
  std::vector<int> degrees;
  for (int tp = 1; tp <= m.heads; ++tp)
    if (m.heads % tp == 0 && kv_divide(tp) && mlp_divide(tp)) degrees.push_back(tp);
  return degrees;
}

std::vector<int> split_layers(int layers, int stages) {
  if (stages < 1 || stages > layers)
    throw ConfigError(std::to_string(layers) + " layers cannot be split over " + std::to_string(stages) +
                          " pipeline stages",
                      "use 1 to " + std::to_string(layers) + " stages");
  std::vector<int> split(static_cast<std::size_t>(stages), layers / stages);
  // source: vLLM, get_pp_indices in vllm/distributed/utils.py: the last stage also holds the LM head, so
  // the remainder goes to the others, from the second-last towards the first.
  for (int i = 0; i < layers % stages; ++i) ++split[static_cast<std::size_t>(stages - 2 - i)];
  return split;
}

}  // namespace ridgepoint

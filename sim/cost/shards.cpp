// Slices a model over tensor-parallel ranks as vLLM does: columns, then rows; KV heads replicated when few.
#include "cost/shards.hpp"

#include <algorithm>
#include <string>

#include "base/errors.hpp"

namespace ridgepoint::cost {
namespace {

std::int64_t wide(int n) { return n; }
std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

WeightFormat plain(const Engine& engine) { return {engine.dtype, engine.dtype, 0, 0, 0}; }

WeightFormat linear_format(const Model& m, const Engine& engine, bool expert) {
  const Quantization& q = m.quantization;
  if (q.method == "none" || (q.experts_only && !expert)) return plain(engine);
  // A weight-only format multiplies in the activations' dtype.
  const bool weight_only = q.multiply == Dtype::bf16 || q.multiply == Dtype::fp16;
  return {q.weights, weight_only ? engine.dtype : q.multiply, q.group_rows, q.group_cols, q.scale_bytes};
}

void check_degree(const Model& m, int tp) {
  const std::vector<int> legal = valid_tensor_parallel(m);
  if (std::find(legal.begin(), legal.end(), tp) != legal.end()) return;
  std::string degrees;
  for (int d : legal) degrees += (degrees.empty() ? "" : ", ") + std::to_string(d);
  throw ConfigError(m.name + " cannot be sharded over " + std::to_string(tp) + " tensor-parallel ranks (" +
                        std::to_string(m.heads) + " heads, " + std::to_string(m.kv_heads) + " KV heads)",
                    "use one of " + degrees);
}

void shard_gqa(const Model& m, const Engine& e, LayerShard& layer) {
  const int tp = e.tensor_parallel_size;
  const WeightFormat f = linear_format(m, e, false);
  const std::int64_t q = wide(m.heads / tp) * m.head_dim;
  const std::int64_t kv = 2 * wide(kv_heads_per_rank(m, tp)) * m.head_dim;
  layer.projections = {{"qkv", q + kv, m.hidden, f}};
  layer.output = {"attention output", m.hidden, q, f};
  if (m.qkv_bias) layer.vectors += q + kv;
  if (m.output_bias) layer.vectors += m.hidden;
  if (m.attention_sinks) layer.vectors += m.heads / tp;
}

void shard_mla(const Model& m, const Engine& e, LayerShard& layer) {
  const WeightFormat f = linear_format(m, e, false);
  const std::int64_t heads = m.heads / e.tensor_parallel_size;
  const std::int64_t q = heads * (m.qk_nope_dim + m.qk_rope_dim);
  const std::int64_t latent = wide(m.kv_lora_rank) + m.qk_rope_dim;
  if (m.q_lora_rank > 0) {
    layer.projections.push_back({"q and kv compression", m.q_lora_rank + latent, m.hidden, f});
    layer.projections.push_back({"q expansion", q, m.q_lora_rank, f});
  } else {
    layer.projections.push_back({"q", q, m.hidden, f});
    layer.projections.push_back({"kv compression", latent, m.hidden, f});
  }
  // Absorbed into the queries and the output when decoding: the same multiplications, the same bytes.
  layer.projections.push_back({"kv expansion", heads * (m.qk_nope_dim + m.v_head_dim), m.kv_lora_rank, f});
  layer.output = {"attention output", m.hidden, heads * m.v_head_dim, f};
  layer.vectors += m.q_lora_rank + m.kv_lora_rank;
  if (m.qkv_bias) layer.vectors += m.q_lora_rank + latent;
  if (m.output_bias) layer.vectors += m.hidden;
}

LayerShard attention_shard(const Model& m, const Engine& e) {
  LayerShard layer;
  if (m.mla())
    shard_mla(m, e, layer);
  else
    shard_gqa(m, e, layer);
  layer.vectors += wide(m.norms_per_layer) * m.hidden;
  if (m.qk_norm) layer.vectors += 2 * wide(m.head_dim);
  return layer;
}

void add_mlp(const Model& m, const Engine& e, std::int64_t width, LayerShard& layer) {
  const std::int64_t slice = divide_up(width, e.tensor_parallel_size);
  const WeightFormat f = linear_format(m, e, false);
  layer.gate_up = {"gate and up", 2 * slice, m.hidden, f};
  layer.down = {"down", m.hidden, slice, f};
  if (m.mlp_bias) layer.vectors += 2 * slice + m.hidden;
}

void add_experts(const Model& m, const Engine& e, LayerShard& layer) {
  const std::int64_t slice = divide_up(m.expert_intermediate, e.tensor_parallel_size);
  const WeightFormat f = linear_format(m, e, true);
  layer.router = {"router", m.experts, m.hidden, plain(e)};
  layer.expert_gate_up = {"expert gate and up", 2 * slice, m.hidden, f};
  layer.expert_down = {"expert down", m.hidden, slice, f};
  layer.experts = m.experts;
  if (m.router_bias) layer.vectors += m.experts;
  if (m.mlp_bias) layer.vectors += m.experts * (2 * slice + m.hidden);
}

}  // namespace

double Matrix::bytes() const {
  const double elements = static_cast<double>(n) * static_cast<double>(k);
  double scales = 0;
  if (n > 0 && format.scale_bytes > 0)
    scales = format.group_rows > 0 && format.group_cols > 0
                 ? static_cast<double>(divide_up(n, format.group_rows) * divide_up(k, format.group_cols))
                 : 1.0;
  return elements * bytes_per_element(format.weights) + scales * format.scale_bytes;
}

double LayerShard::bytes(Dtype activations) const {
  double sum = output.bytes() + gate_up.bytes() + down.bytes() + router.bytes();
  for (const Matrix& p : projections) sum += p.bytes();
  sum += experts * (expert_gate_up.bytes() + expert_down.bytes());
  return sum + static_cast<double>(vectors) * bytes_per_element(activations);
}

double Shards::bytes(Dtype activations) const {
  const double final_norm = static_cast<double>(lm_head.k) * bytes_per_element(activations);
  return dense_layers * dense.bytes(activations) + expert_layers * expert.bytes(activations) +
         embedding.bytes() + (tied ? 0.0 : lm_head.bytes()) + final_norm;
}

Shards shard_model(const Model& m, const Engine& e) {
  const int tp = e.tensor_parallel_size;
  check_degree(m, tp);
  Shards s;
  s.expert_layers = m.moe() ? m.layers - m.first_dense_layers : 0;
  s.dense_layers = m.layers - s.expert_layers;
  s.dense = s.expert = attention_shard(m, e);
  if (s.dense_layers > 0) add_mlp(m, e, m.intermediate, s.dense);
  if (s.expert_layers > 0) {
    add_experts(m, e, s.expert);
    if (m.shared_expert_intermediate > 0) add_mlp(m, e, m.shared_expert_intermediate, s.expert);
  }
  // source: vLLM, VocabParallelEmbedding: padded to a multiple of 64, then sliced.
  const std::int64_t rows = divide_up(divide_up(m.vocab, 64) * 64, tp);
  s.embedding = {"embedding", rows, m.hidden, plain(e)};
  s.lm_head = {"LM head", rows, m.hidden, plain(e)};
  s.tied = m.tied_embeddings;
  s.heads = m.heads / tp;
  s.q_width = wide(s.heads) * (m.mla() ? m.qk_nope_dim + m.qk_rope_dim : m.head_dim);
  s.kv_width =
      m.mla() ? wide(m.kv_lora_rank) + m.qk_rope_dim : 2 * wide(kv_heads_per_rank(m, tp)) * m.head_dim;
  return s;
}

}  // namespace ridgepoint::cost

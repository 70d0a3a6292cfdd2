// The operator list of a decoder step on one tensor-parallel rank.
#include "cost/operators.hpp"

#include <algorithm>
#include <cmath>

namespace ridgepoint::cost {
namespace {

/// Bytes that top-p or top-k moves for each logit before vLLM 0.18, which sorts whole rows: a stable radix
/// sort by (row, key) is eight passes that read and write 12 bytes twice over, about 200, and as much again
/// for gathers, softmax, sums and scatter. From 0.18 on the thresholds are found without sorting.
constexpr double kSortBytesPerLogit = 400;
constexpr double kTile = 128;  // rows and columns of an output tile of the usual GEMM and attention kernels

double as_double(std::int64_t n) { return static_cast<double>(n); }

Operator gemm(const Matrix& w, double m, double element, int count) {
  const double n = as_double(w.n), k = as_double(w.k);
  Operator op;
  op.name = w.name;
  op.kind = OperatorKind::gemm;
  op.count = count;
  op.format = w.format;
  op.flops = 2 * m * n * k;
  op.bytes = w.bytes() + element * m * (n + k);
  op.length_flops = 2 * n * k;
  op.tiles = m * n / (kTile * kTile);
  op.whole_tiles = std::ceil(m / kTile) * std::ceil(n / kTile);
  return op;
}

/// The grouped GEMM of all experts that are hit: `rows` rows in all over `hit` experts.
Operator grouped_gemm(const Matrix& w, double rows, double hit, double element, int count) {
  const double n = as_double(w.n), k = as_double(w.k);
  Operator op = gemm(w, rows, element, count);
  op.kind = OperatorKind::experts;
  op.bytes = hit * w.bytes() + element * rows * (n + k);
  op.length_flops = hit * 2 * n * k;
  op.whole_tiles = std::ceil(hit) * std::ceil(rows / hit / kTile) * std::ceil(n / kTile);
  return op;
}

Operator elementwise(const char* name, double bytes, int count) {
  Operator op;
  op.name = name;
  op.kind = OperatorKind::elementwise;
  op.count = count;
  op.bytes = bytes;
  return op;
}

Operator collective(const char* name, OperatorKind kind, double message, int count) {
  Operator op;
  op.name = name;
  op.kind = kind;
  op.count = count;
  op.message = message;
  return op;
}

}  // namespace

double attended_pairs(std::int32_t tokens, std::int32_t cached, int window) {
  const double n = tokens, c = cached, w = window;
  const auto triangle = [](double a, double b) { return (b - a) * (a + b + 1) / 2; };  // (a+1) + ... + b
  if (window <= 0 || c + n <= w) return triangle(c, c + n);
  if (c >= w) return n * w;
  return triangle(c, w) + (c + n - w) * w;
}

double distinct_experts(int experts, int per_token, double tokens) {
  return experts * (1.0 - std::pow(1.0 - static_cast<double>(per_token) / experts, tokens));
}

OperatorList::OperatorList(const Model& model, const Engine& engine)
    : model_(model), engine_(engine), shards_(shard_model(model, engine)) {
  const int tp = engine.tensor_parallel_size;
  element_ = bytes_per_element(engine.dtype);
  kv_bytes_ = kv_bytes_per_token_layer(model, tp, engine.kv_cache_dtype).v;
  const double heads = shards_.heads;
  if (model.mla()) {
    decode_flops_ = 2 * heads * (2.0 * model.kv_lora_rank + model.qk_rope_dim);
    prefill_flops_ = 2 * heads * (model.qk_nope_dim + model.qk_rope_dim + model.v_head_dim);
    out_width_ = static_cast<std::int64_t>(shards_.heads) * model.v_head_dim;
  } else {
    decode_flops_ = prefill_flops_ = 4 * heads * model.head_dim;
    out_width_ = shards_.q_width;
  }
}

double OperatorList::decode_bytes_per_sequence() const {
  if (!model_.mla()) return element_ * as_double(shards_.q_width + out_width_);
  return element_ * shards_.heads * (2.0 * model_.kv_lora_rank + model_.qk_rope_dim);
}

void OperatorList::add_experts(std::vector<Operator>& list, const LayerShard& layer, int layers,
                               std::int32_t tokens) const {
  const double t = tokens, rows = t * model_.experts_per_token, h = model_.hidden;
  const double hit = distinct_experts(model_.experts, model_.experts_per_token, t);
  list.push_back(gemm(layer.router, t, element_, layers));
  list.push_back(elementwise("routing", t * model_.experts * 8.0, layers));
  list.push_back(elementwise("expert alignment", rows * 8.0, layers));
  list.push_back(grouped_gemm(layer.expert_gate_up, rows, hit, element_, layers));
  list.push_back(
      elementwise("expert activation", 1.5 * element_ * rows * as_double(layer.expert_gate_up.n), layers));
  list.push_back(grouped_gemm(layer.expert_down, rows, hit, element_, layers));
  list.push_back(elementwise("expert sum", element_ * (rows + t) * h, layers));
}

void OperatorList::add_linear(std::vector<Operator>& list, const Matrix& w, double tokens, int count) const {
  // Weight-and-activation formats quantise their input first: read it, write it narrower.
  if (w.format.multiply != engine_.dtype)
    list.push_back(elementwise("activation quantisation",
                               tokens * as_double(w.k) * (element_ + bytes_per_element(w.format.multiply)),
                               count));
  list.push_back(gemm(w, tokens, element_, count));
}

void OperatorList::add_layer(std::vector<Operator>& list, const LayerShard& layer, int layers,
                             std::int32_t tokens) const {
  const double t = tokens, h = model_.hidden;
  const double qk = as_double(shards_.q_width + shards_.kv_width / (model_.mla() ? 1 : 2));
  // A norm reads its input and the residual and writes both (fused addition).
  list.push_back(elementwise("norm", 4 * element_ * t * h, layers * model_.norms_per_layer));
  const auto linear = [&](const Matrix& w) { add_linear(list, w, t, layers); };
  for (const Matrix& p : layer.projections) linear(p);
  if (model_.qk_norm) list.push_back(elementwise("q and k norm", 2 * element_ * t * qk, layers));
  list.push_back(elementwise("rope", 2 * element_ * t * qk, layers));
  list.push_back(elementwise("KV write", t * (element_ * as_double(shards_.kv_width) + kv_bytes_), layers));
  linear(layer.output);
  if (layer.experts > 0) add_experts(list, layer, layers, tokens);
  if (layer.gate_up.n > 0) {
    linear(layer.gate_up);
    list.push_back(elementwise("activation", 1.5 * element_ * t * as_double(layer.gate_up.n), layers));
    linear(layer.down);
  }
  if (engine_.tensor_parallel_size > 1)
    list.push_back(collective("all-reduce", OperatorKind::all_reduce, element_ * t * h, 2 * layers));
}

std::vector<Operator> OperatorList::body(std::int32_t padded_tokens) const {
  std::vector<Operator> list;
  const double t = padded_tokens, h = model_.hidden;
  list.push_back(elementwise("embedding", 2 * element_ * t * h, 1));
  if (engine_.tensor_parallel_size > 1)
    list.push_back(collective("embedding all-reduce", OperatorKind::all_reduce, element_ * t * h, 1));
  if (shards_.dense_layers > 0) add_layer(list, shards_.dense, shards_.dense_layers, padded_tokens);
  if (shards_.expert_layers > 0) add_layer(list, shards_.expert, shards_.expert_layers, padded_tokens);
  list.push_back(elementwise("final norm", 4 * element_ * t * h, 1));
  return list;
}

std::vector<Operator> OperatorList::head(std::int32_t sampled) const {
  std::vector<Operator> list;
  if (sampled <= 0) return list;
  const double logits = static_cast<double>(sampled) * model_.vocab;
  list.push_back(gemm(shards_.lm_head, sampled, element_, 1));
  if (engine_.tensor_parallel_size > 1)
    list.push_back(collective("logits gather", OperatorKind::gather, element_ * logits, 1));
  // Logits are read, written as fp32 and read again; the sampler's many launches are in step_overhead.
  list.push_back(elementwise("sampling", logits * (element_ + 8), 1));
  if (engine_.version < EngineVersion::v0_18)
    list.push_back(elementwise("sampling sort", logits * kSortBytesPerLogit, 1));
  return list;
}

Operator OperatorList::prefill(std::span<const PrefillPiece> pieces, int window, int layers) const {
  Operator op;
  op.name = window > 0 ? "prefill attention, windowed" : "prefill attention";
  op.kind = OperatorKind::attention_prefill;
  op.count = layers;
  op.format = {engine_.dtype, engine_.dtype, 0, 0, 0};
  const double io = element_ * as_double(shards_.q_width + out_width_);
  for (const PrefillPiece& p : pieces) {
    const double n = p.tokens;
    double read = static_cast<double>(p.cached) + n;
    if (window > 0) read = std::min(read, static_cast<double>(window) + n);
    const double pairs = prefill_flops_ * attended_pairs(p.tokens, p.cached, window);
    const double padding = std::ceil(n / kTile) * kTile / n;
    op.flops += pairs;
    op.whole_flops += pairs * padding;
    op.length_flops += prefill_flops_ * n;
    op.whole_length_flops += prefill_flops_ * n * padding;
    op.longest_tile_flops = std::max(op.longest_tile_flops, pairs / n * kTile / shards_.heads);
    op.bytes += io * n + kv_bytes_ * read;
  }
  op.tile_length_flops = prefill_flops_ * kTile / shards_.heads;
  return op;
}

Operator OperatorList::expansion(std::span<const PrefillPiece> pieces, int layers) const {
  double cached = 0;
  for (const PrefillPiece& p : pieces) cached += p.cached;
  Operator op;
  op.count = 0;
  if (!model_.mla() || cached <= 0) return op;
  const Matrix& w = (shards_.dense_layers > 0 ? shards_.dense : shards_.expert).projections.back();
  op = gemm(w, cached, element_, layers);
  op.name = "expansion of cached latents";
  return op;
}

Operator OperatorList::decode(std::int32_t batch, double context, int layers) const {
  Operator op;
  op.name = "decode attention";
  op.kind = OperatorKind::attention_decode;
  op.count = layers;
  op.format = {engine_.dtype, engine_.dtype, 0, 0, 0};
  op.flops = decode_flops_ * context;
  op.bytes = kv_bytes_ * context + decode_bytes_per_sequence() * batch;
  return op;
}

}  // namespace ridgepoint::cost

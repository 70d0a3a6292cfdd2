// Derives the KV pool of the fullest rank: HBM share - weights - activation peak - engine reserve, in vLLM's
// order.
#include "cost/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "cost/kv_layout.hpp"
#include "cost/shards.hpp"

namespace ridgepoint {
namespace {

// Device memory that belongs to neither weights nor activations nor KV. Round figures between what three
// measured starts leave over once the activation peak is taken out: vLLM 0.19 on RTX 4090 (Llama-3.1-8B)
// 0.76 GB; vLLM 0.15 on H100 (Llama-2-7B, TP 1) 0.28 GB and (Llama-2-70B, TP 4) 0.75 GB a rank.
constexpr double kContextReserve = 0.70e9;  // CUDA context, cuBLAS and attention workspaces, allocator slack
constexpr double kCollectiveReserve = 0.20e9;  // NCCL channels and the custom all-reduce's buffers, TP > 1
// Captured graphs, from 0.20: private pool plus node storage, about 0.2 MB a layer and captured size.
constexpr double kGraphBytesPerLayerAndSize = 0.2e6;

constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();  // block numbers have 32 bits

double gb(Bytes b) { return b.v / 1e9; }

/// source: vLLM, gpu_model_runner.profile_run: one forward of max_num_batched_tokens tokens, then logits and
/// sampling of max_num_seqs rows; the peak is the larger of the two.
double activation_peak(const Model& m, const Engine& e) {
  const int tp = e.tensor_parallel_size;
  const double a = bytes_per_element(e.dtype), tokens = e.max_num_batched_tokens;
  const double rows = std::min(e.max_num_seqs, e.max_num_batched_tokens);
  const double streams = 2 * tokens * m.hidden * a;  // hidden state and residual
  double widest = 3.0 * m.intermediate / tp;         // gate, up and their product
  if (m.moe())
    widest = std::max(widest, m.experts_per_token * (3.0 * m.expert_intermediate / tp + m.hidden) +
                                  3.0 * m.shared_expert_intermediate / tp);
  const double attention = (m.heads + 2.0 * m.kv_heads) * m.head_dim / tp + m.hidden;
  const double forward = streams + tokens * a * std::max(widest, attention);
  // Logits, their fp32 copy, probabilities and noise; the sort of top-k and top-p before 0.18 or when small.
  const bool sorts = e.version < EngineVersion::v0_18 || rows < 8;
  const double sampling = rows * m.vocab * (a + 12 + (sorts ? 12 : 0)) + streams / 2;
  return std::max(forward, sampling);
}

double graph_bytes(const Model& m, const Engine& e) {
  if (e.enforce_eager || !rules(e.version).graph_memory_subtracted) return 0;
  // Sizes as vLLM captures them: 1, 2, 4, then by 8 below 256, by 16 up to 512 or twice max_num_seqs.
  const int cap = std::min({e.max_num_batched_tokens, 2 * e.max_num_seqs, 512});
  const int sizes = 3 + std::min(cap, 248) / 8 + std::max(0, (cap - 240) / 16);
  return kGraphBytesPerLayerAndSize * m.layers * sizes;
}

double engine_reserve(const Model& m, const Engine& e) {
  return kContextReserve + (e.tensor_parallel_size > 1 ? kCollectiveReserve : 0) + graph_bytes(m, e);
}

/// Memory before it is divided into blocks.
MemoryPlan budget(const Model& m, const Engine& e, const Gpu& gpu) {
  MemoryPlan p;
  p.hbm = gpu.hbm_capacity;
  p.weights = weight_bytes_per_rank(m, e);
  p.activations = Bytes{std::ceil(activation_peak(m, e))};
  p.reserve = Bytes{std::ceil(engine_reserve(m, e))};
  const Bytes used = p.weights + p.activations + p.reserve;
  if (e.gpu_memory_basis == MemoryBasis::total) {
    p.requested = Bytes{std::ceil(p.hbm.v * e.gpu_memory_utilization)};
    p.available = p.requested - used;
  } else {
    // Engines whose fraction means free memory (TensorRT-LLM, SGLang style) apply it to what is left once
    // weights, activations and context are in place.
    p.available = Bytes{std::floor((p.hbm - used).v * e.gpu_memory_utilization)};
    p.requested = used + p.available;
  }
  // Set by hand it may exceed the engine's share of the memory, never what there is: see check_pool.
  if (e.kv_cache_memory_bytes) p.available = std::min(*e.kv_cache_memory_bytes, p.hbm - used);
  return p;
}

void divide_into_blocks(MemoryPlan& p, const Model& m, const Engine& e, const cost::KvLayout& layout) {
  const double page =
      std::ceil(e.block_size * kv_bytes_per_token_layer(m, e.tensor_parallel_size, e.kv_cache_dtype).v);
  p.block_size = e.block_size;
  p.groups = layout.groups;
  p.block_bytes = static_cast<std::int64_t>(page) * layout.layers_per_block;
  const double pages = std::floor(std::max(0.0, p.available.v) / page);
  p.blocks = static_cast<std::int64_t>(std::floor(pages / layout.layers_per_block));
}

int request_length(const Model& m, const Engine& e) {
  return e.max_model_len > 0 ? e.max_model_len : m.max_position;
}

/// Does this engine hold its weights and one request?
bool holds(const Model& m, const Engine& e, const Gpu& gpu, const cost::KvLayout& layout) {
  MemoryPlan p = budget(m, e, gpu);
  divide_into_blocks(p, m, e, layout);
  return p.available.v > 0 && cost::blocks_for_request(layout, e, request_length(m, e)) <= p.blocks;
}

/// What would make it fit: more ranks, or narrower weights on the same ranks.
std::string remedies(const Model& m, const Engine& e, const Gpu& gpu, const cost::KvLayout& layout) {
  std::string text;
  Engine more = e;
  for (int tp : valid_tensor_parallel(m)) {
    more.tensor_parallel_size = tp;
    if (tp <= e.tensor_parallel_size || !holds(m, more, gpu, layout)) continue;
    text = fmt::format("use at least {} GPUs (tensor_parallel_size: {})", tp, tp);
    break;
  }
  if (text.empty()) text = "no tensor-parallel degree of this model fits on this GPU";
  Model narrow = m;
  for (Dtype d : {Dtype::fp8, Dtype::int4}) {
    if (bits(d) >= bits(m.quantization.method == "none" ? e.dtype : m.quantization.weights)) continue;
    narrow.quantization = {
        std::string(name(d)),         d,    e.dtype, d == Dtype::int4 ? 1 : 0, d == Dtype::int4 ? 128 : 0,
        d == Dtype::int4 ? 2.0 : 4.0, false};
    if (!holds(narrow, e, gpu, layout)) continue;
    return text + fmt::format(
                      ", or {} weights, the widest format that fits on {}", name(d),
                      e.tensor_parallel_size == 1 ? "1 GPU" : fmt::format("{} GPUs", e.tensor_parallel_size));
  }
  return text;
}

std::string breakdown(const MemoryPlan& p) {
  return fmt::format(
      "weights {:.2f} GB + activations {:.2f} GB + engine {:.2f} GB against {:.2f} GB of {:.2f} GB",
      gb(p.weights), gb(p.activations), gb(p.reserve), gb(p.requested), gb(p.hbm));
}

void check_pool(const MemoryPlan& p, const Engine& e) {
  const Bytes left = p.hbm - p.weights - p.activations - p.reserve;
  if (!e.kv_cache_memory_bytes || *e.kv_cache_memory_bytes <= left || left.v <= 0) return;
  throw ConfigError(
      fmt::format("{:.2f} GB for the KV cache, and {:.2f} GB of {:.2f} GB are left beside the model",
                  gb(*e.kv_cache_memory_bytes), gb(left), gb(p.hbm)),
      fmt::format("give kv_cache_memory_bytes at most {:.2f} GB", std::floor(gb(left) * 100) / 100));
}

void check_start(const MemoryPlan& p, const Model& m, const Engine& e, const Gpu& gpu,
                 const cost::KvLayout& layout) {
  const int tp = e.tensor_parallel_size;
  if (p.available.v <= 0 || p.blocks == 0)
    throw ConfigError(fmt::format("{} does not fit on {} GPU{} {}: a rank needs {}", m.name, tp,
                                  tp == 1 ? "" : "s", gpu.name, breakdown(p)),
                      remedies(m, e, gpu, layout));
  if (std::min(p.blocks, e.num_gpu_blocks_override.value_or(p.blocks)) > kMostBlocks)
    throw ConfigError(
        {Problem{"", 0, 0, "num_gpu_blocks_override",
                 fmt::format("{} KV blocks of {} B fit, more than can be numbered", p.blocks, p.block_bytes),
                 fmt::format("give at most {}, or larger blocks", kMostBlocks)}});
  const int length = request_length(m, e);
  if (cost::blocks_for_request(layout, e, length) <= p.blocks) return;
  throw ConfigError(
      fmt::format("one request of max_model_len {} needs {} KV blocks of {:.2f} MB, {} fit ({})", length,
                  cost::blocks_for_request(layout, e, length), static_cast<double>(p.block_bytes) / 1e6,
                  p.blocks, breakdown(p)),
      fmt::format("the longest max_model_len that fits is {}; or {}", p.longest,
                  remedies(m, e, gpu, layout)));
}

/// A number of blocks that is given must hold one request too.
void check_override(const MemoryPlan& p, const Model& m, const Engine& e, const cost::KvLayout& layout) {
  const std::int64_t needed = cost::blocks_for_request(layout, e, request_length(m, e));
  if (needed <= p.blocks) return;
  throw ConfigError(
      fmt::format("one request of max_model_len {} needs {} KV blocks, num_gpu_blocks_override gives {}",
                  request_length(m, e), needed, p.blocks),
      fmt::format("the longest max_model_len that fits is {}; or give at least {} blocks", p.longest,
                  needed));
}

}  // namespace

Bytes weight_bytes_per_rank(const Model& model, const Engine& engine) {
  return Bytes{std::ceil(cost::shard_model(model, engine).bytes(engine.dtype))};
}

MemoryPlan plan_memory(const Model& model, const Engine& engine, const Gpu& gpu) {
  const cost::KvLayout layout = cost::kv_layout(model);
  MemoryPlan p = budget(model, engine, gpu);
  divide_into_blocks(p, model, engine, layout);
  p.longest = cost::longest_request(layout, engine, p.blocks);
  check_pool(p, engine);
  check_start(p, model, engine, gpu, layout);
  if (engine.num_gpu_blocks_override) {
    if (*engine.num_gpu_blocks_override > p.blocks)
      throw ConfigError(fmt::format("num_gpu_blocks_override {} exceeds the {} blocks that fit ({})",
                                    *engine.num_gpu_blocks_override, p.blocks, breakdown(p)),
                        fmt::format("use at most {}", p.blocks));
    p.blocks = *engine.num_gpu_blocks_override;
    p.longest = cost::longest_request(layout, engine, p.blocks);
    check_override(p, model, engine, layout);
  }
  p.concurrency = static_cast<double>(p.blocks) / static_cast<double>(cost::blocks_for_request(
                                                      layout, engine, request_length(model, engine)));
  return p;
}

std::int64_t MemoryPlan::tokens() const {
  return groups.empty() ? 0 : blocks * block_size / static_cast<std::int64_t>(groups.size());
}

std::string MemoryPlan::derivation() const {
  std::string text;
  const auto line = [&](const char* what, Bytes b, const char* note) {
    text += fmt::format("  {:<22}{:>10.3f} GB   {}\n", what, gb(b), note);
  };
  line("HBM of a rank", hbm, "as the driver reports it");
  line("requested", requested, "the engine's share of it");
  line("- weights", weights, "of one rank");
  line("- activations", activations, "peak of the profiling forward");
  line("- engine reserve", reserve, "context, collectives, graphs, slack");
  line("= KV cache", available, "available");
  text += fmt::format(
      "  {} blocks of {} tokens ({:.3f} MB each) in {} group{}: {} tokens; longest request {}; "
      "{:.2f} requests of max_model_len at once\n",
      blocks, block_size, static_cast<double>(block_bytes) / 1e6, groups.size(),
      groups.size() == 1 ? "" : "s", tokens(), longest, concurrency);
  return text;
}

}  // namespace ridgepoint

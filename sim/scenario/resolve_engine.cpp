// Engine defaults as vLLM chooses them by version, device and model, and the combinations that it refuses.
#include <algorithm>

#include "scenario/resolve.hpp"

namespace ridgepoint {
namespace {

constexpr double kLargeDevice = 70.0 * (std::int64_t{1} << 30);

/// source: vLLM engine/arg_utils.py, get_batch_defaults: devices of 70 GiB or more that are no A100.
bool large_device(const Gpu& gpu) {
  const auto has_a100 = [](std::string s) {
    std::transform(s.begin(), s.end(), s.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return s.find("a100") != std::string::npos;
  };
  return gpu.hbm_capacity.v >= kLargeDevice && !has_a100(gpu.name) && !has_a100(gpu.title);
}

/// Batch limits of the API server; those that are set are kept.
void fill_batch_limits(EngineDoc& d, const Gpu& gpu) {
  const bool large = large_device(gpu);
  const std::int64_t length = *d.max_model_len;
  const bool tokens_given = d.max_num_batched_tokens.has_value();
  const std::int64_t sequences = d.max_num_seqs.value_or(large ? 1024 : 256);
  if (!tokens_given) {
    std::int64_t tokens = large ? 8192 : 2048;
    if (!d.enable_chunked_prefill) tokens = std::max(tokens, length);
    d.max_num_batched_tokens = static_cast<int>(std::min(tokens, sequences * length));
  }
  if (!d.max_num_seqs)
    d.max_num_seqs = static_cast<int>(d.version >= EngineVersion::v0_10_2
                                          ? std::min<std::int64_t>(sequences, *d.max_num_batched_tokens)
                                          : sequences);
}

/// Weight format: the checkpoint's, or fp8 made of 16-bit weights at loading, one scale a tensor.
void fill_quantization(EngineDoc& d, Model& m, const Gpu& gpu, const std::string& key,
                       const ResolveContext& c) {
  const std::string published = m.quantization.method;
  const Dtype dtype = *d.dtype;
  m.dtype = dtype;
  if (published == "none") m.quantization.weights = m.quantization.multiply = dtype;
  if (!d.quantization) d.quantization = published;
  if (*d.quantization == "fp8" && published == "none") {
    m.quantization = {"fp8", Dtype::fp8, Dtype::fp8, 0, 0, 4.0, false};
  } else if (*d.quantization != published) {
    c.problem(key + ".quantization",
              published == "none"
                  ? "the checkpoint of " + m.name + " is not published in `" + *d.quantization + "`"
                  : "the checkpoint of " + m.name + " is published in `" + published + "`",
              published == "none" ? "leave it out, or use fp8, which any 16-bit checkpoint can be loaded in"
                                  : "leave it out, or give a config.json of another checkpoint");
  }
  // A device without the format's multipliers dequantises in the kernel (vLLM: Marlin) and multiplies in
  // dtype.
  if (!gpu.peak.contains(m.quantization.multiply)) m.quantization.multiply = dtype;
}

void fill_formats(EngineDoc& d, Model& m, const Gpu& gpu, const std::string& key, const ResolveContext& c) {
  // vLLM serves fp32 checkpoints in 16 bits unless told otherwise.
  if (!d.dtype) d.dtype = m.dtype == Dtype::fp32 ? Dtype::bf16 : m.dtype;
  if (!d.kv_cache_dtype) d.kv_cache_dtype = *d.dtype;
  const bool converts = bits(*d.kv_cache_dtype) >= 16 && *d.kv_cache_dtype != *d.dtype;
  if (converts)
    c.problem(key + ".kv_cache_dtype", "differs from dtype", "use auto, the same as dtype, or fp8");
  fill_quantization(d, m, gpu, key, c);
}

/// Compares what is known: settings that are open are left out.
void check_limits(const EngineDoc& d, const Model* m, const std::string& key, const ResolveContext& c) {
  const std::optional<int> length = d.max_model_len, tokens = d.max_num_batched_tokens,
                           sequences = d.max_num_seqs;
  if (m != nullptr && length && *length > m->max_position)
    c.problem(key + ".max_model_len",
              m->name + " takes at most " + std::to_string(m->max_position) + " tokens", "give at most that");
  if (tokens && sequences && *tokens < *sequences)
    c.problem(key + ".max_num_batched_tokens",
              std::to_string(*tokens) + " is less than max_num_seqs, " + std::to_string(*sequences),
              "every running sequence needs a token of the step: raise it, or lower max_num_seqs");
  if (!d.enable_chunked_prefill && tokens && length && *tokens < *length)
    c.problem(key + ".max_num_batched_tokens",
              std::to_string(*tokens) + " is less than max_model_len, " + std::to_string(*length) +
                  ", and chunked prefill is off",
              "raise it to at least max_model_len, or leave enable_chunked_prefill on");
  if (length && d.long_prefill_token_threshold > *length)
    c.problem(key + ".long_prefill_token_threshold", "above max_model_len, " + std::to_string(*length),
              "give at most that, or 0");
  if (d.scheduler_reserve_full_isl.value_or(false) && !rules(d.version).full_sequence_gate)
    c.problem(key + ".scheduler_reserve_full_isl", std::string(name(d.version)) + " has no such setting",
              "it came with vllm-0.19; leave it out");
}

Engine to_engine(const EngineDoc& d) {
  Engine e;
  e.version = d.version;
  e.tensor_parallel_size = d.tensor_parallel_size;
  e.dtype = *d.dtype;
  e.kv_cache_dtype = *d.kv_cache_dtype;
  e.max_model_len = *d.max_model_len;
  e.gpu_memory_utilization = *d.gpu_memory_utilization;
  e.gpu_memory_basis = d.gpu_memory_basis;
  e.block_size = *d.block_size;
  e.max_num_seqs = *d.max_num_seqs;
  e.max_num_batched_tokens = *d.max_num_batched_tokens;
  e.enable_chunked_prefill = d.enable_chunked_prefill;
  e.enable_prefix_caching = d.enable_prefix_caching;
  e.long_prefill_token_threshold = d.long_prefill_token_threshold;
  e.scheduling_policy = d.scheduling_policy;
  e.enforce_eager = d.enforce_eager;
  e.async_scheduling = *d.async_scheduling;
  e.scheduler_reserve_full_isl = *d.scheduler_reserve_full_isl;
  e.num_gpu_blocks_override = d.num_gpu_blocks_override;
  e.kv_cache_memory_bytes = d.kv_cache_memory_bytes;
  return e;
}

}  // namespace

Engine resolve_engine(EngineDoc& d, Model& model, const Gpu& gpu, const std::string& key,
                      const ResolveContext& c) {
  const EngineRules r = rules(d.version);
  if (!d.max_model_len) d.max_model_len = model.max_position;
  if (!d.gpu_memory_utilization) d.gpu_memory_utilization = r.memory_utilization_default;
  if (!d.block_size) d.block_size = model.mla() ? 64 : 16;
  if (!d.async_scheduling) d.async_scheduling = r.async_default;
  if (!d.scheduler_reserve_full_isl) d.scheduler_reserve_full_isl = r.full_sequence_gate;
  fill_formats(d, model, gpu, key, c);
  fill_batch_limits(d, gpu);
  check_limits(d, &model, key, c);
  return to_engine(d);
}

void check_engine(EngineDoc& d, Model* model, const std::string& key, const ResolveContext& c) {
  if (model != nullptr && !d.max_model_len && !c.bad(key + ".max_model_len"))
    d.max_model_len = model->max_position;
  const bool formats =
      !c.bad(key + ".dtype") && !c.bad(key + ".quantization") && !c.bad(key + ".kv_cache_dtype");
  // Which formats go together is a matter of the model; the device decides only how they are multiplied.
  if (model != nullptr && formats) fill_formats(d, *model, Gpu{}, key, c);
  check_limits(d, model, key, c);
}

}  // namespace ridgepoint

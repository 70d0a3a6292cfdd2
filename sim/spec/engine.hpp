// Engine settings under vLLM's names, resolved: every default filled in. And what differs between engine
// versions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "spec/dtype.hpp"

namespace ridgepoint {

/// vLLM releases whose decisions differ. Ordered, so that `v >= EngineVersion::v0_14` reads as it is meant.
/// The three 0.10/0.11 patch releases matter: see EngineRules.
enum class EngineVersion {
  v0_10,
  v0_10_2,
  v0_11,
  v0_11_1,
  v0_12,
  v0_13,
  v0_14,
  v0_15,
  v0_16,
  v0_17,
  v0_18,
  v0_19,
  v0_20
};
std::optional<EngineVersion> parse_engine_version(std::string_view text);  ///< "vllm-0.19", "vllm-0.11.1"
std::string_view name(EngineVersion v);
std::vector<std::string> engine_version_names();

/// Decision differences between versions (vLLM source, tags v0.10.0 to v0.20.0). Each flag states the newer
/// behaviour.
struct EngineRules {
  bool unchunked_stops =
      true;  ///< >= 0.12: chunking off, an oversized head stops admission; before: set aside
  bool lookahead_at_admission = false;  ///< 0.10.0 only
  bool victim_gives_tokens_back =
      true;                           ///< >= 0.11.1: a scheduled victim is unscheduled, the index moves back
  bool async_stops_at_limit = true;   ///< >= 0.12: async does not schedule a step past max_tokens
  bool caps_drafts_at_limit = false;  ///< 0.11.1 only: w also capped by P + X - 1 - C
  bool drafts_survive_preemption = false;   ///< <= 0.13
  bool draft_model_lookahead = true;        ///< >= 0.15
  bool full_sequence_gate = true;           ///< >= 0.19 default of scheduler_reserve_full_isl
  bool async_default = true;                ///< >= 0.14
  double memory_utilization_default = 0.9;  ///< 0.92 from 0.20
  bool graph_memory_subtracted = false;     ///< >= 0.20
  bool full_decode_graphs = true;           ///< >= 0.11: FULL_AND_PIECEWISE
  bool graph_sizes_by_eight = false;        ///< <= 0.11.0: sizes by 8 throughout
};
EngineRules rules(EngineVersion v);

enum class SpeculativeMethod { none, draft_model, eagle, mtp, ngram };

enum class MemoryBasis { total, free };  ///< of gpu_memory_utilization

/// All of an engine's settings. Counts are tokens, sequences or blocks as named.
struct Engine {
  EngineVersion version = EngineVersion::v0_19;
  int tensor_parallel_size = 1;
  int pipeline_parallel_size =
      1;  ///< only 1 can be simulated so far; the scheduler itself takes the queue depth
  Dtype dtype = Dtype::bf16;
  Dtype kv_cache_dtype = Dtype::bf16;
  int max_model_len = 0;
  double gpu_memory_utilization = 0.9;
  MemoryBasis gpu_memory_basis = MemoryBasis::total;
  int block_size = 16;
  int max_num_seqs = 256;
  int max_num_batched_tokens = 2048;
  bool enable_chunked_prefill = true;
  bool enable_prefix_caching = true;
  int long_prefill_token_threshold = 0;
  std::string scheduling_policy = "fcfs";
  bool enforce_eager = false;
  bool async_scheduling = true;
  bool scheduler_reserve_full_isl = true;
  std::optional<std::int64_t> num_gpu_blocks_override;
  std::optional<Bytes> kv_cache_memory_bytes;
  SpeculativeMethod speculative_method = SpeculativeMethod::none;
  int num_speculative_tokens = 0;
  /// Draft slots a running request needs beyond its tokens (vLLM: num_lookahead_tokens).
  int lookahead_tokens() const;
  /// Batches in flight: 1 synchronous, 2 async, the number of stages with pipelines.
  int queue_depth() const;
};

}  // namespace ridgepoint

// What fits: weights, activation peak, engine reserve, and the KV blocks that remain (vllm-v1.md section 13).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spec/engine.hpp"
#include "spec/hardware.hpp"
#include "spec/model.hpp"

namespace ridgepoint {

/// One group of layers that share block tables: full attention, or one window. Models without windows have
/// one group.
struct KvGroup {
  int window = 0;  ///< tokens; 0 = full attention
  int layers = 0;  ///< real layers in this group
};

/// Memory of the fullest rank, in whole bytes; KV bytes = blocks * block_bytes <= available.
struct MemoryPlan {
  Bytes hbm, requested;          ///< device total; utilisation share of it
  Bytes weights;                 ///< of one rank
  Bytes activations;             ///< peak of the profiling forward
  Bytes reserve;                 ///< context, graphs, communication buffers, allocator slack
  Bytes available;               ///< requested - weights - activations - reserve
  std::int64_t block_bytes = 0;  ///< one block of one group on one rank
  std::int64_t blocks = 0;       ///< all, the null block included, as vLLM reports them
  std::vector<KvGroup> groups;   ///< each draws its own blocks from the one pool
  std::int64_t tokens()
      const;  ///< that fit at once in one sequence-independent pool: blocks * block_size / groups
  std::int64_t longest = 0;  ///< the longest max_model_len that one request could have
  double concurrency = 0;    ///< requests of max_model_len that fit at once
  int block_size = 16;
  std::string derivation() const;  ///< several lines, as `check` prints them
};

/// Throws ConfigError when the weights do not fit (with the breakdown and the fewest GPUs that would hold
/// them) or one request of max_model_len does not (naming the longest that does). num_gpu_blocks_override
/// replaces the block count.
MemoryPlan plan_memory(const Model& model, const Engine& engine, const Gpu& gpu);

/// Weight bytes of one rank at this tensor-parallel degree, sharded as vLLM does.
Bytes weight_bytes_per_rank(const Model& model, const Engine& engine);

}  // namespace ridgepoint

// How layers share block tables: vLLM's hybrid KV cache manager, groups of equal page size drawing on one
// pool.
#pragma once
#include <cstdint>
#include <vector>

#include "cost/memory.hpp"

namespace ridgepoint::cost {

struct KvLayout {
  std::vector<KvGroup> groups;
  int layers_per_block = 0;  ///< layer slots of a block: all groups are padded to this many layers
};

/// Full-attention layers and windowed ones are split into groups of equal size.
KvLayout kv_layout(const Model& model);

/// Blocks that one request of `tokens` tokens can hold at most, over all groups.
std::int64_t blocks_for_request(const KvLayout& layout, const Engine& engine, std::int64_t tokens);

/// The longest request that `blocks` blocks hold; 0 when not even one token.
std::int64_t longest_request(const KvLayout& layout, const Engine& engine, std::int64_t blocks);

}  // namespace ridgepoint::cost

// Groups of layers that share block tables, and what one request needs of them.
#include "cost/kv_layout.hpp"

#include <algorithm>

namespace ridgepoint::cost {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void split(std::vector<KvGroup>& groups, int window, int layers, int size) {
  const int count = static_cast<int>(divide_up(layers, size));
  for (int g = 0; g < count; ++g) groups.push_back({window, layers / count + (g < layers % count ? 1 : 0)});
}

}  // namespace

KvLayout kv_layout(const Model& m) {
  const int full = m.full_layers(), windowed = m.windowed_layers();
  KvLayout layout;
  if (full == 0 || windowed == 0) {
    layout.layers_per_block = m.layers;
    layout.groups = {{m.window_size(), m.layers}};
    return layout;
  }
  // source: vLLM, _get_kv_cache_groups_uniform_page_size in v1/core/kv_cache_utils.py: the smaller kind sets
  // the group size, unless the kinds are within a quarter of each other; the other kind is split, and the
  // slots its last groups do not fill are padding.
  const int small = std::min(full, windowed), large = std::max(full, windowed);
  layout.layers_per_block = large < 1.25 * small ? large : small;
  split(layout.groups, 0, full, layout.layers_per_block);
  split(layout.groups, m.window_size(), windowed, layout.layers_per_block);
  return layout;
}

std::int64_t blocks_for_request(const KvLayout& layout, const Engine& engine, std::int64_t tokens) {
  std::int64_t sum = 0;
  for (const KvGroup& g : layout.groups) {
    const std::int64_t whole = divide_up(tokens, engine.block_size);
    if (g.window == 0) {
      sum += whole;
      continue;
    }
    // source: vLLM, SlidingWindowSpec.max_memory_usage_bytes: the window before the chunk, the chunk itself,
    // and one block because the window need not start at a block's edge.
    const std::int64_t live = g.window - 1 + static_cast<std::int64_t>(engine.max_num_batched_tokens);
    sum += live < tokens ? divide_up(live, engine.block_size) + 1 : whole + 1;
  }
  return sum;
}

std::int64_t longest_request(const KvLayout& layout, const Engine& engine, std::int64_t blocks) {
  std::int64_t low = 0, high = blocks * engine.block_size;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (blocks_for_request(layout, engine, middle) <= blocks)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace ridgepoint::cost

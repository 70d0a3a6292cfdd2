#include "serving/cuda_graphs.hpp"

#include <algorithm>

namespace ridgepoint {

CudaGraphs::CudaGraphs(const Engine& engine) : per_decode_(1 + engine.num_speculative_tokens) {
  if (engine.enforce_eager) return;
  const EngineRules r = rules(engine.version);
  const std::int32_t in_flight =
      engine.max_num_seqs * (engine.version >= EngineVersion::v0_13 ? per_decode_ : 1);
  std::int32_t cap = std::min(2 * in_flight, 512);
  if (!r.graph_sizes_by_eight) cap = std::min(cap, engine.max_num_batched_tokens);
  for (const std::int32_t small : {1, 2, 4})
    if (small <= cap) sizes_.push_back(small);
  for (std::int32_t s = 8; s <= cap; s += (s < 256 || r.graph_sizes_by_eight) ? 8 : 16)
    if (s <= engine.max_num_batched_tokens) sizes_.push_back(s);
  if (r.full_decode_graphs) {
    largest_full_ = engine.max_num_seqs * per_decode_;
    if (per_decode_ > 1) {  // rounded up to whole decodes, those above the cap dropped
      std::vector<std::int32_t> whole;
      for (const std::int32_t s : sizes_) {
        const std::int32_t up = (s + per_decode_ - 1) / per_decode_ * per_decode_;
        if (up <= cap && (whole.empty() || whole.back() != up)) whole.push_back(up);
      }
      sizes_ = whole;
    }
  }
  if (sizes_.empty()) return;
  padded_.resize(static_cast<std::size_t>(sizes_.back()) + 1);
  auto next = sizes_.begin();
  for (std::int32_t t = 0; t <= sizes_.back(); ++t) {
    if (t > *next) ++next;
    padded_[static_cast<std::size_t>(t)] = *next;
  }
}

CudaGraphs::Launch CudaGraphs::pick(std::int32_t tokens, std::int32_t requests, std::int32_t longest) const {
  if (sizes_.empty() || tokens > sizes_.back()) return {tokens, GraphMode::eager};
  const std::int32_t padded = padded_[static_cast<std::size_t>(tokens)];
  const bool uniform = longest == per_decode_ && tokens == requests * per_decode_;
  const bool full = uniform && padded >= per_decode_ && padded <= largest_full_;
  return {padded, full ? GraphMode::full : GraphMode::piecewise};
}

}  // namespace ridgepoint

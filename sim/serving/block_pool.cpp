#include "serving/block_pool.hpp"

#include <bit>

#include "base/errors.hpp"

namespace ridgepoint {

namespace {
constexpr std::size_t kAhead = 8;  ///< blocks fetched before they are taken
}

BlockPool::BlockPool(std::int64_t blocks)
    : blocks_(static_cast<std::size_t>(blocks < 1 ? 1 : blocks)), ring_(std::bit_ceil(2 * blocks_.size())) {
  for (BlockId b = 1; b < blocks_.size(); ++b) enqueue(b);
}

void BlockPool::enqueue(BlockId b) {
  if (tail_ - head_ == ring_.size()) {  // more holes than blocks: close them up
    std::vector<BlockId> order = queue();
    head_ = tail_ = 0;
    for (const BlockId q : order) {
      blocks_[q].place = static_cast<std::uint32_t>(tail_);
      ring_[tail_++] = q;
    }
  }
  const std::size_t place = tail_++ & (ring_.size() - 1);
  ring_[place] = b;
  blocks_[b].place = static_cast<std::uint32_t>(place);
  ++free_;
}

void BlockPool::drop_hash(BlockId b) {
  Block& block = blocks_[b];
  const auto it = first_.find(block.hash);
  if (it->second == b) {
    if (block.twin == kNullBlock)
      first_.erase(it);
    else
      it->second = block.twin;
  } else {
    BlockId before = it->second;
    while (blocks_[before].twin != b) before = blocks_[before].twin;
    blocks_[before].twin = block.twin;
  }
  block.hash = 0;
  block.twin = kNullBlock;
}

BlockId BlockPool::take() {
  const std::size_t mask = ring_.size() - 1;
  while (ring_[head_ & mask] == kNullBlock) ++head_;
  const BlockId b = ring_[head_++ & mask];
  __builtin_prefetch(&blocks_[ring_[(head_ + kAhead) & mask]], 1);
  --free_;
  if (blocks_[b].hash != 0) drop_hash(b);
  blocks_[b].references = 1;
  return b;
}

void BlockPool::touch(BlockId b) {
  if (blocks_[b].references++ > 0) return;
  ring_[blocks_[b].place] = kNullBlock;
  --free_;
}

void BlockPool::release(BlockId b) {
  if (b != kNullBlock && --blocks_[b].references == 0) enqueue(b);
}

void BlockPool::add_hash(BlockId b, std::uint64_t hash) {
  blocks_[b].hash = hash;
  const auto [it, fresh] = first_.try_emplace(hash, b);
  if (fresh) return;
  BlockId last = it->second;
  while (blocks_[last].twin != kNullBlock) last = blocks_[last].twin;
  blocks_[last].twin = b;
}

BlockId BlockPool::find(std::uint64_t hash) const {
  const auto it = first_.find(hash);
  return it == first_.end() ? kNullBlock : it->second;
}

std::vector<BlockId> BlockPool::queue() const {
  std::vector<BlockId> order;
  for (std::size_t i = head_; i != tail_; ++i)
    if (const BlockId b = ring_[i & (ring_.size() - 1)]; b != kNullBlock) order.push_back(b);
  return order;
}

void BlockPool::check(const std::vector<std::int32_t>& owned) const {
  const auto fail = [](const std::string& what) {
    throw SimulationError("KV cache invariant broken: " + what);
  };
  std::vector<bool> queued(blocks_.size());
  for (const BlockId b : queue()) {
    if (queued[b]) fail("block " + std::to_string(b) + " is twice in the free queue");
    queued[b] = true;
  }
  std::int64_t count = 0;
  for (BlockId b = 1; b < blocks_.size(); ++b) {
    if (blocks_[b].references != owned[b])
      fail("block " + std::to_string(b) + " has " + std::to_string(blocks_[b].references) +
           " references, tables hold " + std::to_string(owned[b]));
    if (queued[b] != (blocks_[b].references == 0))
      fail("block " + std::to_string(b) + " is neither free nor owned");
    count += queued[b] ? 1 : 0;
  }
  if (count != free_) fail("free count " + std::to_string(free_) + ", queue holds " + std::to_string(count));
}

}  // namespace ridgepoint

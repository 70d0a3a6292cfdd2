#include "serving/block_pool.hpp"

#include "base/errors.hpp"

namespace ridgepoint {

BlockPool::BlockPool(std::int64_t blocks) : blocks_(static_cast<std::size_t>(blocks < 1 ? 1 : blocks)) {
  const auto n = static_cast<BlockId>(blocks_.size());
  for (BlockId b = 0; b < n; ++b) {
    blocks_[b].previous = b == 0 ? n - 1 : b - 1;
    blocks_[b].next = b + 1 == n ? 0 : b + 1;
  }
  free_ = usable();
}

void BlockPool::unlink(BlockId b) {
  Block& block = blocks_[b];
  blocks_[block.previous].next = block.next;
  blocks_[block.next].previous = block.previous;
  --free_;
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
  const BlockId b = blocks_[kNullBlock].next;
  unlink(b);
  if (blocks_[b].hash != 0) drop_hash(b);
  blocks_[b].references = 1;
  return b;
}

void BlockPool::touch(BlockId b) {
  if (blocks_[b].references++ == 0) unlink(b);
}

void BlockPool::release(BlockId b) {
  if (b == kNullBlock) return;
  Block& block = blocks_[b];
  if (--block.references > 0) return;
  const BlockId tail = blocks_[kNullBlock].previous;
  block.previous = tail;
  block.next = kNullBlock;
  blocks_[tail].next = b;
  blocks_[kNullBlock].previous = b;
  ++free_;
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
  for (BlockId b = blocks_[kNullBlock].next; b != kNullBlock; b = blocks_[b].next) order.push_back(b);
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

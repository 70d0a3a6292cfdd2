// The pool of KV blocks: reference counts, the free queue in eviction order, and the blocks that can be found
// by hash.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ridgepoint {

using BlockId = std::uint32_t;
/// Block 0 is reserved (vLLM's null block): it stands for "no block" in a table and closes the free queue.
inline constexpr BlockId kNullBlock = 0;

/// Freed blocks keep their hash until they are taken again: taking from the head of the queue is the only
/// eviction.
class BlockPool {
 public:
  /// `blocks` in all, the null block included; blocks - 1 are usable, queued in ascending order.
  explicit BlockPool(std::int64_t blocks);

  std::int64_t usable() const { return static_cast<std::int64_t>(blocks_.size()) - 1; }
  std::int64_t free() const { return free_; }
  std::int64_t used() const { return usable() - free_; }
  bool referenced(BlockId b) const { return blocks_[b].references > 0; }

  /// Takes the block at the head of the queue; it loses its hash. Precondition: free() > 0.
  BlockId take();
  /// One more reference; leaves the queue when it had none.
  void touch(BlockId b);
  /// One reference fewer; joins the tail of the queue at zero. The null block is ignored.
  void release(BlockId b);

  /// The block becomes findable under `hash` (!= 0), after blocks registered earlier under the same hash.
  /// Precondition: it has no hash yet.
  void add_hash(BlockId b, std::uint64_t hash);
  bool hashed(BlockId b) const { return blocks_[b].hash != 0; }
  /// The earliest registered survivor with this hash, or the null block.
  BlockId find(std::uint64_t hash) const;

  /// The free queue from its head (tests).
  std::vector<BlockId> queue() const;
  /// Throws SimulationError when counts, queue and references disagree. `owned`: references held by tables,
  /// by block.
  void check(const std::vector<std::int32_t>& owned) const;

 private:
  struct Block {
    std::uint64_t hash = 0;     ///< 0 = cannot be found
    BlockId twin = kNullBlock;  ///< registered next under the same hash
    std::uint32_t place = 0;    ///< in the ring, while free
    std::int32_t references = 0;
  };
  void enqueue(BlockId b);
  void drop_hash(BlockId b);

  std::vector<Block> blocks_;
  std::vector<BlockId> ring_;        ///< size a power of two, at least twice the blocks; null block = hole
  std::size_t head_ = 0, tail_ = 0;  ///< running counts; their difference never exceeds the ring
  std::unordered_map<std::uint64_t, BlockId> first_;  ///< never iterated
  std::int64_t free_ = 0;
};

}  // namespace ridgepoint

// Paged KV cache of one replica: block tables of sequences, prefix look-up, sliding windows. Check, then
// change.
#pragma once
#include <cstdint>
#include <vector>

#include "cost/memory.hpp"
#include "serving/block_pool.hpp"
#include "serving/sequence.hpp"

namespace ridgepoint {

/// What a prefix look-up found; valid until blocks change hands.
struct PrefixHit {
  std::int32_t tokens = 0;
  std::vector<std::vector<BlockId>> blocks;  ///< one a group; the null block where a window has passed
};

struct KvCacheConfig {
  std::int64_t num_blocks = 0;  ///< null block included
  std::int32_t block_size = 16;
  std::vector<KvGroup> groups;  ///< at least one; full attention groups before windowed ones
  std::int32_t max_model_len = 0;
  bool prefix_caching = true;
  bool drops_last_hit = false;  ///< eagle and mtp recompute the last block of a hit
};

/// All operations that can refuse change nothing when they do.
class KvCache {
 public:
  explicit KvCache(KvCacheConfig config);

  /// Longest cached prefix of the sequence's known tokens, less than all of them. Pins nothing.
  const PrefixHit& look_up(Sequence& sequence);
  /// Would all of the sequence's known tokens fit now, beside the hit? A check, not a reservation.
  bool fits_whole(const Sequence& sequence, const PrefixHit& hit) const;
  /// Takes the hit and blocks for `tokens` more, and `lookahead`. False: nothing changed.
  bool admit(Sequence& sequence, const PrefixHit& hit, std::int32_t tokens, std::int32_t lookahead);
  /// Blocks for `tokens` beyond the computed ones, and `lookahead`. False: no block was taken.
  bool grow(Sequence& sequence, std::int32_t tokens, std::int32_t lookahead);
  /// Makes full blocks of the leading `tokens` findable.
  void register_tokens(Sequence& sequence, std::int32_t tokens);
  /// Gives back all blocks, last first. `will_return`: it was preempted and may look its blocks up again.
  void release(Sequence& sequence, bool will_return);

  const BlockPool& pool() const { return pool_; }
  const KvCacheConfig& config() const { return config_; }
  bool windowed() const { return windowed_; }
  /// One more block for a full-attention sequence, as `grow` would take it (fast-forwarding). Precondition:
  /// one is free.
  void append_block(Sequence& sequence) { sequence.tables.front().push_back(pool_.take()); }
  /// Throws SimulationError when tables and pool disagree.
  void check(const std::vector<const Sequence*>& holders) const;

 private:
  std::int64_t blocks_for(std::int64_t tokens) const {
    return (tokens + config_.block_size - 1) / config_.block_size;
  }
  std::int64_t cost(const Sequence& s, const PrefixHit* hit, std::int64_t slots, std::int64_t computed) const;
  void take_blocks(Sequence& s, std::int64_t slots);
  void drop_passed(Sequence& s, std::int32_t computed);
  std::uint64_t key(std::uint64_t hash, std::size_t group) const;
  BlockId find_in_kind(const Sequence& s, std::int32_t block, bool windowed_kind,
                       std::vector<BlockId>& found) const;
  std::int32_t full_hit(Sequence& s, std::int32_t limit);
  std::int32_t window_hit(Sequence& s, std::int32_t limit);
  void add_hashes(Sequence& s, std::int32_t from, std::int32_t to);
  std::int32_t findable_blocks(const Sequence& s) const;

  KvCacheConfig config_;
  BlockPool pool_;
  bool windowed_ = false;
  std::int32_t window_ = 0;
  PrefixHit hit_;
  std::vector<BlockId> found_;
};

}  // namespace ridgepoint

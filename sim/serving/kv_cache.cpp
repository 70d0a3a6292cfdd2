#include "serving/kv_cache.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "serving/token_content.hpp"

namespace ridgepoint {

KvCache::KvCache(KvCacheConfig config) : config_(std::move(config)), pool_(config_.num_blocks) {
  for (const KvGroup& g : config_.groups)
    if (g.window > 0) {
      windowed_ = true;
      window_ = g.window;
    }
  hit_.blocks.resize(config_.groups.size());
}

std::uint64_t KvCache::key(std::uint64_t hash, std::size_t group) const {
  return config_.groups.size() == 1 ? hash : mix64(hash, group);
}

// Blocks that some look-up can find: the shared ones, and after a preemption the sequence's own.
std::int32_t KvCache::findable_blocks(const Sequence& s) const {
  const std::int32_t tokens = s.revisits ? s.known : std::min(s.known, s.request.shared_tokens);
  return tokens / config_.block_size;
}

/// The block with the sequence's i-th hash in every group of one kind, or the null block when any lacks it.
BlockId KvCache::find_in_kind(const Sequence& s, std::int32_t i, bool windowed_kind,
                              std::vector<BlockId>& found) const {
  found.clear();
  for (std::size_t g = 0; g < config_.groups.size(); ++g) {
    if ((config_.groups[g].window > 0) != windowed_kind) continue;
    const BlockId b = pool_.find(key(s.hashes[static_cast<std::size_t>(i)], g));
    if (b == kNullBlock) return kNullBlock;
    found.push_back(b);
  }
  return found.empty() ? kNullBlock : found.front();
}

// Full attention: walk from the front, stop at the first miss.
std::int32_t KvCache::full_hit(Sequence& s, std::int32_t limit) {
  std::int32_t n = 0;
  for (; n < limit && find_in_kind(s, n, false, found_) != kNullBlock; ++n) {
    std::size_t k = 0;
    for (std::size_t g = 0; g < config_.groups.size(); ++g)
      if (config_.groups[g].window == 0) hit_.blocks[g].push_back(found_[k++]);
  }
  return n;
}

// A window: walk from the back until as many successive blocks hit as the window covers; what lies before is
// not needed.
std::int32_t KvCache::window_hit(Sequence& s, std::int32_t limit) {
  const std::int32_t needed =
      static_cast<std::int32_t>(blocks_for(window_ - 1)) + (config_.drops_last_hit ? 1 : 0);
  std::int32_t run = 0, end = 0;
  for (std::size_t g = 0; g < config_.groups.size(); ++g)
    if (config_.groups[g].window > 0) hit_.blocks[g].assign(static_cast<std::size_t>(limit), kNullBlock);
  for (std::int32_t i = limit - 1; i >= 0 && run < needed; --i) {
    if (find_in_kind(s, i, true, found_) == kNullBlock) {
      run = 0;
      continue;
    }
    if (run++ == 0) end = i + 1;
    std::size_t k = 0;
    for (std::size_t g = 0; g < config_.groups.size(); ++g)
      if (config_.groups[g].window > 0) hit_.blocks[g][static_cast<std::size_t>(i)] = found_[k++];
  }
  if (run == 0) end = 0;
  for (std::size_t g = 0; g < config_.groups.size(); ++g)
    if (config_.groups[g].window > 0) hit_.blocks[g].resize(static_cast<std::size_t>(end));
  return end;
}

const PrefixHit& KvCache::look_up(Sequence& s) {
  hit_.tokens = 0;
  for (auto& blocks : hit_.blocks) blocks.clear();
  if (!config_.prefix_caching) return hit_;
  // The last token is always computed: its logits are what the first new token is sampled from.
  const std::int32_t limit = std::min((s.known - 1) / config_.block_size, findable_blocks(s));
  if (limit <= 0) return hit_;
  extend_hashes(s, limit, config_.block_size);
  const bool full = std::any_of(config_.groups.begin(), config_.groups.end(),
                                [](const KvGroup& g) { return g.window == 0; });
  std::int32_t blocks = full ? full_hit(s, limit) : limit;
  if (full && config_.drops_last_hit && blocks > 0) --blocks;
  if (windowed_) {
    blocks = window_hit(s, blocks);
    if (config_.drops_last_hit && !full && blocks > 0) --blocks;
  }
  for (auto& table : hit_.blocks) table.resize(std::min(table.size(), static_cast<std::size_t>(blocks)));
  hit_.tokens = blocks * config_.block_size;
  return hit_;
}

// New blocks up to `slots` tokens in every group, and hit blocks that leave the free queue when touched.
std::int64_t KvCache::cost(const Sequence& s, const PrefixHit* hit, std::int64_t slots,
                           std::int64_t computed) const {
  std::int64_t total = 0;
  for (std::size_t g = 0; g < config_.groups.size(); ++g) {
    const std::int64_t held = s.tables.empty() ? 0 : static_cast<std::int64_t>(s.tables[g].size());
    const std::int64_t hits = hit == nullptr ? 0 : static_cast<std::int64_t>(hit->blocks[g].size());
    std::int64_t covered = held + hits;
    if (config_.groups[g].window > 0) {  // blocks the window has passed are stood for by the null block
      const std::int64_t passed = std::max<std::int64_t>(0, computed - config_.groups[g].window + 1);
      covered = std::max(covered, passed / config_.block_size);
    }
    total += std::max<std::int64_t>(0, blocks_for(slots) - covered);
    if (hit == nullptr) continue;
    for (const BlockId b : hit->blocks[g]) total += (b != kNullBlock && !pool_.referenced(b)) ? 1 : 0;
  }
  return total;
}

void KvCache::take_blocks(Sequence& s, std::int64_t slots) {
  const auto required = static_cast<std::size_t>(blocks_for(slots));
  for (std::vector<BlockId>& table : s.tables)
    while (table.size() < required) table.push_back(pool_.take());
}

// Frees what a window has left behind, latest first, and leaves the null block in its place.
void KvCache::drop_passed(Sequence& s, std::int32_t computed) {
  for (std::size_t g = 0; g < config_.groups.size(); ++g) {
    const std::int32_t window = config_.groups[g].window;
    if (window == 0) continue;
    const std::int32_t passed = std::max(0, computed - window + 1) / config_.block_size;
    auto& table = s.tables[g];
    for (auto i = std::min<std::ptrdiff_t>(passed, static_cast<std::ptrdiff_t>(table.size())) - 1; i >= 0;
         --i) {
      BlockId& b = table[static_cast<std::size_t>(i)];
      if (b == kNullBlock) break;
      pool_.release(b);
      b = kNullBlock;
    }
  }
}

bool KvCache::fits_whole(const Sequence& s, const PrefixHit& hit) const {
  return cost(s, &hit, std::min(s.known, config_.max_model_len), hit.tokens) <= pool_.free();
}

bool KvCache::admit(Sequence& s, const PrefixHit& hit, std::int32_t tokens, std::int32_t lookahead) {
  const std::int64_t slots =
      std::min<std::int64_t>(std::int64_t{hit.tokens} + tokens + lookahead, config_.max_model_len);
  if (cost(s, &hit, slots, hit.tokens) > pool_.free()) return false;
  s.tables.resize(config_.groups.size());
  for (std::size_t g = 0; g < config_.groups.size(); ++g) {
    for (const BlockId b : hit.blocks[g])
      if (b != kNullBlock) pool_.touch(b);
    s.tables[g] = hit.blocks[g];
  }
  s.registered = s.hit_blocks = hit.tokens / config_.block_size;
  const std::int32_t computed = hit.tokens;
  take_blocks(s, slots);
  register_tokens(s, std::min(computed + tokens, s.known));
  return true;
}

bool KvCache::grow(Sequence& s, std::int32_t tokens, std::int32_t lookahead) {
  const std::int64_t slots =
      std::min<std::int64_t>(std::int64_t{s.computed} + tokens + lookahead, config_.max_model_len);
  if (windowed_) drop_passed(s, s.computed);
  if (windowed_ || blocks_for(slots) > static_cast<std::int64_t>(s.tables.front().size())) {
    if (cost(s, nullptr, slots, s.computed) > pool_.free()) return false;
    take_blocks(s, slots);
  }
  register_tokens(s, std::min(s.computed + tokens, s.known));
  return true;
}

void KvCache::register_tokens(Sequence& s, std::int32_t tokens) {
  if (!config_.prefix_caching) return;
  const std::int32_t full = tokens / config_.block_size;
  if (full <= s.registered) return;
  const std::int32_t shared = std::min(full, s.request.shared_tokens / config_.block_size);
  if (shared > s.registered) add_hashes(s, s.registered, shared);
  s.registered = full;
}

void KvCache::add_hashes(Sequence& s, std::int32_t from, std::int32_t to) {
  extend_hashes(s, to, config_.block_size);
  for (std::size_t g = 0; g < s.tables.size(); ++g)
    for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i)
      if (s.tables[g][i] != kNullBlock) pool_.add_hash(s.tables[g][i], key(s.hashes[i], g));
}

void KvCache::release(Sequence& s, bool will_return) {
  if (will_return && config_.prefix_caching) {
    // Nobody else could have found its private blocks, so they become findable only now.
    const std::int32_t from = std::max(s.hit_blocks, s.request.shared_tokens / config_.block_size);
    if (s.registered > from) add_hashes(s, from, s.registered);
    s.revisits = true;
  }
  for (std::vector<BlockId>& table : s.tables) {
    for (std::size_t i = table.size(); i-- > 0;) pool_.release(table[i]);
    table.clear();
  }
  s.registered = s.hit_blocks = 0;
}

void KvCache::check(const std::vector<const Sequence*>& holders) const {
  std::vector<std::int32_t> owned(static_cast<std::size_t>(pool_.usable()) + 1);
  for (const Sequence* s : holders)
    for (const auto& table : s->tables)
      for (const BlockId b : table)
        if (b != kNullBlock) ++owned[b];
  pool_.check(owned);
}

}  // namespace ridgepoint

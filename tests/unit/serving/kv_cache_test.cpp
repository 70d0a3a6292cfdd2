#include "serving/kv_cache.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "serving/token_content.hpp"

using namespace ridgepoint;

namespace {

KvCacheConfig config(std::int64_t blocks, std::vector<KvGroup> groups = {{0, 1}}) {
  return {blocks, 4, std::move(groups), 1000, true, false};
}

Sequence sequence(std::int64_t id, std::int32_t prompt, std::uint64_t content = 0) {
  Sequence s;
  s.request.id = id;
  s.request.prompt_tokens = s.known = prompt;
  if (content != 0) {
    s.request.prompt = {{content, 0, static_cast<std::uint32_t>(prompt), 1}};
    s.request.shared_tokens = prompt;
  }
  return s;
}

}  // namespace

TEST_CASE("kv cache: a refused allocation changes nothing") {
  KvCache kv(config(5));
  Sequence a = sequence(0, 9, 1);
  REQUIRE(kv.admit(a, kv.look_up(a), 9, 0));
  const auto before = kv.pool().queue();
  Sequence b = sequence(1, 9, 1);
  b.known = 20;
  const PrefixHit hit = kv.look_up(b);
  CHECK(hit.tokens == 8);
  CHECK_FALSE(kv.admit(b, hit, 12, 0));  // needs 3 new blocks beside the 2 hits, 1 is free
  a.computed = 9;
  CHECK_FALSE(kv.grow(a, 12, 0));
  CHECK(kv.pool().queue() == before);
  CHECK(a.tables[0].size() == 3);
  kv.check({&a, &b});
}

TEST_CASE("kv cache: a hit counts as cost only while nobody holds it") {
  KvCache kv(config(6));
  Sequence a = sequence(0, 8, 1);
  REQUIRE(kv.admit(a, kv.look_up(a), 8, 0));
  Sequence b = sequence(1, 9, 1);
  REQUIRE(kv.fits_whole(b, kv.look_up(b)));
  REQUIRE(kv.admit(b, kv.look_up(b), 1, 0));
  CHECK(kv.pool().free() == 2);  // 2 shared + 1 of its own
  kv.release(a, false);
  CHECK(kv.pool().free() == 2);  // b still holds the shared ones
  kv.release(b, false);
  CHECK(kv.pool().free() == 5);
  kv.check({&a, &b});
}

TEST_CASE("kv cache: the block hash depends on tokens, not on how runs are cut") {
  Sequence one = sequence(0, 16, 3);
  Sequence cut = sequence(1, 16, 3);
  cut.request.prompt = {{3, 0, 3, 1}, {3, 3, 1, 1}, {3, 4, 0, 1}, {3, 4, 12, 1}};
  extend_hashes(one, 4, 4);
  extend_hashes(cut, 2, 4);
  extend_hashes(cut, 4, 4);
  CHECK(one.hashes == cut.hashes);
  Sequence other = sequence(2, 16, 3);
  other.request.prompt = {{3, 0, 15, 1}, {3, 16, 1, 1}};
  extend_hashes(other, 4, 4);
  CHECK(other.hashes[2] == one.hashes[2]);
  CHECK(other.hashes[3] != one.hashes[3]);
  Sequence repeat = sequence(3, 4), singles = sequence(4, 4);
  repeat.request.prompt = {{9, 7, 4, 0}};
  singles.request.prompt = {{9, 7, 1, 1}, {9, 7, 1, 1}, {9, 7, 1, 1}, {9, 7, 1, 1}};
  extend_hashes(repeat, 1, 4);
  extend_hashes(singles, 1, 4);
  CHECK(repeat.hashes == singles.hashes);
}

TEST_CASE("kv cache: after a preemption the recompute hits its own freed blocks, private or shared alike") {
  for (const std::uint64_t content : {std::uint64_t{0}, std::uint64_t{1}}) {
    KvCache kv(config(10));
    Sequence a = sequence(0, 13, content);
    REQUIRE(kv.look_up(a).tokens == 0);
    REQUIRE(kv.admit(a, kv.look_up(a), 13, 0));
    kv.release(a, true);
    CHECK(kv.look_up(a).tokens == 12);
    Sequence stranger = sequence(1, 13, content);
    CHECK(kv.look_up(stranger).tokens == (content == 0 ? 0 : 12));
  }
}

TEST_CASE("kv cache: a sliding window keeps only the blocks it can still see") {
  KvCache kv(config(30, {{0, 1}, {8, 1}}));
  Sequence a = sequence(0, 12, 1);
  REQUIRE(kv.admit(a, kv.look_up(a), 12, 0));
  CHECK(kv.pool().used() == 6);
  for (a.computed = 12; a.computed < 28;) {
    ++a.known;
    REQUIRE(kv.grow(a, 1, 0));
    ++a.computed;
  }
  std::int64_t windowed = 0;
  for (const BlockId b : a.tables[1]) windowed += b != kNullBlock ? 1 : 0;
  CHECK(a.tables[0].size() == 7);
  CHECK(windowed == 2);  // tokens 21..27 of the last window lie in blocks 5 and 6
  kv.check({&a});
  kv.release(a, true);
  CHECK(kv.pool().free() == 29);
  // Both kinds of groups must hit: the window's recent blocks still do.
  a.known = 29;
  CHECK(kv.look_up(a).tokens == 28);
}

TEST_CASE("kv cache: blocks are conserved over random operations") {
  RandomStream random(11);
  KvCache kv(config(40));
  std::map<int, Sequence> held;
  int refused = 0;
  for (int step = 0; step < 4000; ++step) {
    const int id = static_cast<int>(random.below(12));
    const auto it = held.find(id);
    if (it == held.end()) {
      Sequence s = sequence(id, 1 + static_cast<std::int32_t>(random.below(30)), random.below(4));
      const PrefixHit& hit = kv.look_up(s);
      if (kv.admit(s, hit, s.known - hit.tokens, 0)) {
        s.computed = s.known;
        held.emplace(id, std::move(s));
      } else {
        ++refused;
      }
    } else if (random.below(3) > 0) {
      ++it->second.known;
      if (kv.grow(it->second, 1, 0))
        ++it->second.computed;
      else
        --it->second.known, ++refused;
    } else {
      kv.release(it->second, random.below(2) == 0);
      held.erase(it);
    }
    std::vector<const Sequence*> holders;
    for (const auto& [_, s] : held) holders.push_back(&s);
    kv.check(holders);
  }
  CHECK(refused > 50);
}

TEST_CASE("kv cache: a broken invariant is named") {
  KvCache kv(config(5));
  Sequence a = sequence(0, 4);
  REQUIRE(kv.admit(a, kv.look_up(a), 4, 0));
  a.tables[0].push_back(3);
  CHECK_THROWS_WITH(kv.check({&a}), Catch::Contains("block 3"));
}

TEST_CASE("block pool: the ring closes its holes and keeps the order of the queue") {
  BlockPool pool(6);
  std::vector<BlockId> held;
  for (int i = 0; i < 3; ++i) held.push_back(pool.take());
  for (int round = 0; round < 100; ++round) {  // hits taken from mid-queue leave a hole each
    pool.release(held[0]);
    pool.release(held[1]);
    const auto before = pool.queue();
    pool.touch(held[0]);
    pool.touch(held[1]);
    CHECK(pool.queue() == std::vector<BlockId>(before.begin(), before.end() - 2));
  }
  CHECK(pool.queue() == std::vector<BlockId>{4, 5});
  pool.check({0, 1, 1, 1, 0, 0});
}

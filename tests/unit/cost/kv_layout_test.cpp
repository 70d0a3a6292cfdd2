// Groups of layers that share block tables, and how much of them one request needs.
#include <catch2/catch.hpp>
#include <numeric>

#include "cost/kv_layout.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using cost::blocks_for_request;
using cost::kv_layout;
using cost::KvLayout;

namespace {

/// Five windowed layers, then a full one, and so on (Gemma 3 27B: 62 layers, 10 of them full).
Model gemma_like() {
  Model m = llama_3_1_8b();
  m.layers = 62;
  for (int l = 0; l < m.layers; ++l) m.window.push_back(l % 6 == 5 ? 0 : 1024);
  return m;
}

}  // namespace

TEST_CASE("kv layout: models without windows have one group of all layers") {
  const KvLayout l = kv_layout(llama_3_1_8b());
  REQUIRE(l.groups.size() == 1);
  CHECK(l.groups[0].window == 0);
  CHECK(l.groups[0].layers == 32);
  CHECK(l.layers_per_block == 32);
}

TEST_CASE("kv layout: the smaller kind sets the group size, the other is split") {
  const KvLayout even = kv_layout(gpt_oss_20b());
  REQUIRE(even.groups.size() == 2);
  CHECK(even.layers_per_block == 12);
  const KvLayout gemma = kv_layout(gemma_like());
  CHECK(gemma.layers_per_block == 10);
  REQUIRE(gemma.groups.size() == 1 + 6);
  int layers = 0;
  for (const KvGroup& g : gemma.groups) {
    CHECK(g.layers <= 10);
    layers += g.layers;
  }
  CHECK(layers == 62);
}

TEST_CASE("kv layout: kinds within a quarter of each other are padded to one size") {
  Model m = llama_3_1_8b();
  for (int l = 0; l < 32; ++l) m.window.push_back(l < 15 ? 512 : 0);
  const KvLayout l = kv_layout(m);
  CHECK(l.groups.size() == 2);
  CHECK(l.layers_per_block == 17);
}

TEST_CASE("kv layout: a long request needs all of a full group but only the window of the others") {
  Engine e = bf16_engine();
  e.max_num_batched_tokens = 2048;
  const KvLayout l = kv_layout(gemma_like());
  // full: 131072/16; windowed: (1023 + 2048)/16 rounded up, and one for alignment
  CHECK(blocks_for_request(l, e, 131072) == 8192 + 6 * (192 + 1));
  const std::int64_t longest = cost::longest_request(l, e, 10000);
  CHECK(blocks_for_request(l, e, longest) <= 10000);
  CHECK(blocks_for_request(l, e, longest + 1) > 10000);
}

TEST_CASE("kv layout: a block holds the layers of one group, whose pool holds more windowed tokens") {
  Engine e = bf16_engine();
  const MemoryPlan hybrid = plan_memory(gemma_like(), e, h100());
  Model full = gemma_like();
  full.window.clear();
  const MemoryPlan plain = plan_memory(full, e, h100());
  CHECK(hybrid.block_bytes * 62 == plain.block_bytes * 10);
  CHECK(hybrid.longest > 4 * plain.longest);
}

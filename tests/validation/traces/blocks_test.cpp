// Mooncake's block hashes after import: an infinite cache over the requests' runs finds what one over the ids
// does.
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "support/shared_data.hpp"
#include "support/workload_scenario.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using nlohmann::json;

namespace {

/// (content, offset) of the token at position i.
std::pair<std::uint64_t, std::uint32_t> token_at(const Request& r, std::uint32_t i) {
  for (const TokenRun& run : r.prompt) {
    if (i < run.count) return {run.content, run.offset + i * run.stride};
    i -= run.count;
  }
  return {0, 0};
}

struct Hits {
  std::int64_t blocks = 0, hit_blocks = 0, tokens = 0, hit_tokens = 0, full_tokens = 0, requests = 0;
};

/// A block is known by its first token: ids are chained, so one of its tokens names it and all before it.
Hits infinite_cache(const std::vector<Request>& all) {
  Hits h;
  std::unordered_set<std::string> known;
  for (const Request& r : all) {
    const auto length = static_cast<std::uint32_t>(r.prompt_tokens);
    bool unbroken = true;
    std::int64_t hits = 0, full = 0;
    for (std::uint32_t at = 0; at < length; at += 512) {
      const auto [content, offset] = token_at(r, at);
      const bool hit = !known.insert(std::to_string(content) + ":" + std::to_string(offset)).second;
      unbroken = unbroken && hit;
      ++h.blocks;
      if (unbroken) ++hits;
      if (unbroken && at + 512 <= length) ++full;
    }
    h.hit_blocks += hits;
    h.hit_tokens += std::min<std::int64_t>(hits * 512, length);
    h.full_tokens += full * 512;
    h.tokens += length;
    h.requests += hits > 0 ? 1 : 0;
  }
  return h;
}

}  // namespace

TEST_CASE("mooncake: prefix hits of an infinite cache follow from the imported runs") {
  const auto traces = shared_data("traces");
  RP_SKIP_WITHOUT(traces, "the trace samples");
  std::ifstream in(*traces / "expected.json");
  const json expected = json::parse(in);
  for (const char* file :
       {"mooncake/conversation_trace_lines1-6000.jsonl", "mooncake/synthetic_trace_lines1-2000.jsonl",
        "mooncake/toolagent_like_SYNTHETIC_1500.jsonl"}) {
    INFO(file);
    const json& e = expected[file];
    const auto all = drain(replay(TraceFormat::mooncake, *traces / file));
    const Hits h = infinite_cache(all);
    const auto share = [](std::int64_t a, std::int64_t b) {
      return static_cast<double>(a) / static_cast<double>(b);
    };
    CHECK(h.blocks == e["blocks"].get<std::int64_t>());
    CHECK(share(h.hit_blocks, h.blocks) == Approx(e["infinite_cache_block_hit"].get<double>()).margin(6e-7));
    CHECK(share(h.hit_tokens, h.tokens) == Approx(e["infinite_cache_token_hit"].get<double>()).margin(6e-7));
    CHECK(share(h.full_tokens, h.tokens) ==
          Approx(e["infinite_cache_fullblock_token_hit"].get<double>()).margin(6e-7));
    CHECK(share(h.requests, static_cast<std::int64_t>(all.size())) ==
          Approx(e["requests_with_any_hit"].get<double>()).margin(6e-7));
  }
}

TEST_CASE("mooncake: runs cover each prompt exactly and say that all of it may be shared") {
  const auto traces = shared_data("traces");
  RP_SKIP_WITHOUT(traces, "the trace samples");
  for (const Request& r :
       drain(replay(TraceFormat::mooncake, *traces / "mooncake/arxiv_trace_REAL_2lines_from_readme.jsonl"))) {
    std::int64_t covered = 0;
    for (const TokenRun& run : r.prompt) covered += run.count;
    CHECK(covered == r.prompt_tokens);
    CHECK(r.shared_tokens == r.prompt_tokens);
    CHECK(r.output.content == 0);
  }
}

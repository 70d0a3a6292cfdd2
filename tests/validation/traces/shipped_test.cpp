// The traces that ship with the project are what workloads/traces/README.md says they are.
#include <map>

#include "support/workload_scenario.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {
std::vector<Request> shipped(const char* name) {
  return drain(replay(TraceFormat::ridgepoint,
                      std::filesystem::path(RIDGEPOINT_SOURCE_DIR) / "workloads" / "traces" / name),
               Nanos{1'000'000'000});
}
}  // namespace

TEST_CASE("shipped traces: chat-small is an open loop of two requests a second") {
  const auto all = shipped("chat-small.csv");
  REQUIRE(all.size() == 600);
  double prompt = 0, output = 0;
  for (const Request& r : all) {
    prompt += r.prompt_tokens;
    output += r.output_tokens;
    CHECK(r.shared_tokens == 0);
  }
  CHECK(to_seconds(all.back().arrival).v == Approx(300).epsilon(0.1));
  CHECK(prompt / 600 == Approx(1000).epsilon(0.15));
  CHECK(output / 600 == Approx(200).epsilon(0.15));
}

TEST_CASE("shipped traces: sessions-small holds conversations whose prompts contain all that was said") {
  std::map<std::uint32_t, std::vector<Request>> sessions;
  for (const Request& r : shipped("sessions-small.csv")) sessions[r.session].push_back(r);
  CHECK(sessions.size() == 30);
  std::size_t turns = 0;
  for (const auto& [id, all] : sessions) {
    turns += all.size();
    CHECK(all.size() >= 2);
    CHECK(all.size() <= 6);
    for (std::size_t k = 1; k < all.size(); ++k) {
      CHECK(all[k].prompt_tokens > all[k - 1].prompt_tokens + all[k - 1].output_tokens);
      CHECK(all[k].prompt[0].content == all[k - 1].output.content);
      CHECK(all[k].arrival >= all[k - 1].arrival + Nanos{1'000'000'000});
    }
  }
  CHECK(turns == 120);
}

TEST_CASE("shipped traces: shared-prefix-small begins with one of four prompts of 1,024 tokens") {
  std::map<std::uint64_t, int> prefixes;
  const auto all = shipped("shared-prefix-small.csv");
  CHECK(all.size() == 200);
  for (const Request& r : all) {
    CHECK(r.prompt[0].count == 1024);
    CHECK(r.shared_tokens == 1024);
    ++prefixes[r.prompt[0].content];
  }
  CHECK(prefixes.size() == 4);
}

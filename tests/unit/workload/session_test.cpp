// Sessions and shared prefixes: how contexts grow and what content they share.
#include <map>
#include <set>

#include "base/errors.hpp"
#include "support/workload_scenario.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using namespace std::chrono_literals;

namespace {

using Token = std::pair<std::uint64_t, std::uint32_t>;

/// Every token of prompt, then output.
std::vector<Token> tokens(const Request& r) {
  std::vector<Token> all;
  const auto add = [&](const TokenRun& run) {
    for (std::uint32_t i = 0; i < run.count; ++i) all.emplace_back(run.content, run.offset + i * run.stride);
  };
  for (const TokenRun& run : r.prompt) add(run);
  if (r.output.content != 0) add(r.output);
  return all;
}

Scenario sessions(int turns, std::int64_t n) {
  Scenario s = one_stream();
  Stream& stream = s.workload.streams[0];
  stream.rate = 1;
  stream.num_requests = n;
  stream.session.emplace();
  stream.session->turns = fixed(turns);
  stream.session->think_time = fixed(5);
  return s;
}

std::map<std::uint32_t, std::vector<Request>> by_session(const std::vector<Request>& all) {
  std::map<std::uint32_t, std::vector<Request>> m;
  for (const Request& r : all) m[r.session].push_back(r);
  return m;
}

void add_prefixes(Scenario& s, int count, double length) {
  PrefixGroup g;
  g.name = "system";
  g.count = count;
  g.length = fixed(length);
  g.popularity.type = Distribution::Type::zipf;
  g.popularity.alpha = 1;
  s.workload.prefix_groups.push_back(g);
  s.workload.streams[0].prefix_group = 0;
}

}  // namespace

TEST_CASE("session: accumulated context grows linearly with the turns [complaint 20]") {
  for (const auto& [id, turns] : by_session(drain(sessions(6, 60)))) {
    REQUIRE(id > 0);
    for (std::size_t k = 0; k < turns.size(); ++k)
      CHECK(turns[k].prompt_tokens == 100 + static_cast<int>(k) * 110);
  }
}

TEST_CASE("session: a prompt begins with the whole of the turn before, its answer included") {
  for (const auto& [id, turns] : by_session(drain(sessions(4, 12))))
    for (std::size_t k = 1; k < turns.size(); ++k) {
      const auto before = tokens(turns[k - 1]), now = tokens(turns[k]);
      REQUIRE(before.size() < now.size());
      CHECK(std::equal(before.begin(), before.end(), now.begin()));
    }
}

TEST_CASE("session: different sessions share no token") {
  std::map<Token, std::uint32_t> owner;
  for (const Request& r : drain(sessions(3, 30)))
    for (const Token& t : tokens(r)) {
      const auto [it, fresh] = owner.emplace(t, r.session);
      if (!fresh && it->second != r.session) FAIL("sessions " << it->second << " and " << r.session);
    }
  CHECK(owner.size() > 0);
}

TEST_CASE("session: shared tokens end where no later turn looks") {
  const auto all = by_session(drain(sessions(3, 30))).begin()->second;
  REQUIRE(all.size() == 3);
  CHECK(all[0].shared_tokens == 110);
  CHECK(all[1].shared_tokens == 220);
  CHECK(all[2].shared_tokens == 220);  // the last turn's own words are found by nobody
}

TEST_CASE("session: turn n + 1 comes at the end of turn n plus the think time [complaint 20]") {
  for (const auto& [id, turns] : by_session(drain(sessions(5, 50), 3s)))
    for (std::size_t k = 1; k < turns.size(); ++k) CHECK(turns[k].arrival == turns[k - 1].arrival + 3s + 5s);
}

TEST_CASE("session: without growth each turn has its own input only") {
  Scenario s = sessions(3, 9);
  s.workload.streams[0].session->context_growth = Session::Growth::none;
  for (const Request& r : drain(s)) {
    CHECK(r.prompt_tokens == 100);
    CHECK(r.shared_tokens == 0);
    CHECK(r.prompt.empty());
  }
}

TEST_CASE("session: what a session says does not depend on how fast it is served") {
  Scenario s = sessions(1, 300);
  Stream& stream = s.workload.streams[0];
  stream.session->turns = {Distribution::Type::geometric, 0, 4, 0, 1, 0, 0, ""};
  stream.input = {Distribution::Type::exponential, 0, 300, 0, 1, 1, 0, ""};
  stream.num_requests = 0;
  stream.duration = 100s;
  stream.session->think_time = fixed(0);
  auto slow = by_session(drain(s, 90ms)), fast = by_session(drain(s, 1us));
  std::map<std::uint64_t, std::vector<int>> a, b;
  slow.erase(0u);
  fast.erase(0u);
  for (const auto& [id, turns] : slow)
    for (const Request& r : turns) a[r.prompt[0].content].push_back(r.prompt_tokens);
  for (const auto& [id, turns] : fast)
    for (const Request& r : turns) b[r.prompt[0].content].push_back(r.prompt_tokens);
  std::size_t compared = 0;
  for (const auto& [content, lengths] : a) {
    const auto& other = b[content];
    const std::size_t n = std::min(lengths.size(), other.size());
    CHECK(std::equal(lengths.begin(), lengths.begin() + static_cast<long>(n), other.begin()));
    compared += n;
  }
  CHECK(compared > 100);
}

TEST_CASE("session: num_requests counts turns") { CHECK(drain(sessions(7, 20)).size() == 20); }

TEST_CASE("closed loop of sessions: users go through turns and begin anew, never more than there are users") {
  Scenario s = sessions(3, 30);
  s.workload.streams[0].rate.reset();
  s.workload.streams[0].concurrency = 2;
  const auto all = drain(s, 1s);
  REQUIRE(all.size() == 30);
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i].arrival == static_cast<std::int64_t>(i / 2) * 6s);
  CHECK(by_session(all).size() == 10);
}

TEST_CASE("prefix group: prompts begin with one of its prefixes, and only that is shared") {
  Scenario s = one_stream();
  s.workload.streams[0].rate = 1;
  s.workload.streams[0].num_requests = 2000;
  add_prefixes(s, 4, 64);
  std::map<std::uint64_t, int> seen;
  std::set<Token> own;
  for (const Request& r : drain(s)) {
    REQUIRE(r.prompt.size() == 2);
    CHECK(r.prompt_tokens == 164);
    CHECK(r.shared_tokens == 64);
    CHECK(r.prompt[0].count == 64);
    CHECK(r.prompt[1].content == r.unique_content());
    CHECK(r.prompt[1].offset == 64);
    CHECK(r.prompt[1].count == 100);
    ++seen[r.prompt[0].content];
  }
  REQUIRE(seen.size() == 4);
  const double harmonic = 1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0;
  CHECK(seen.begin()->second == Approx(2000 / harmonic).epsilon(0.1));  // the first is the most popular
}

TEST_CASE("prefix group: a session keeps its prefix in front of all that is said") {
  Scenario s = sessions(3, 9);
  add_prefixes(s, 8, 64);
  for (const auto& [id, turns] : by_session(drain(s))) {
    CHECK(turns[0].prompt_tokens == 164);
    for (std::size_t k = 1; k < turns.size(); ++k) {
      const auto before = tokens(turns[k - 1]), now = tokens(turns[k]);
      CHECK(std::equal(before.begin(), before.end(), now.begin()));
      CHECK(turns[k].prompt_tokens == turns[k - 1].prompt_tokens + 110);
      CHECK(turns[k].shared_tokens == 64 + 220);
    }
    CHECK(turns[0].shared_tokens == 64 + 110);
  }
}

TEST_CASE("prefix group: two streams of one group share its prefixes, lengths included") {
  Scenario s = one_stream("a");
  s.workload.streams[0].rate = 1;
  s.workload.streams[0].num_requests = 50;
  add_prefixes(s, 3, 64);
  s.workload.prefix_groups[0].length = {Distribution::Type::uniform, 0, 0, 0, 1, 10, 500, ""};
  s.workload.streams.push_back(s.workload.streams[0]);
  s.workload.streams[1].name = "b";
  std::map<std::uint64_t, std::set<std::uint32_t>> lengths, streams;
  for (const Request& r : drain(s)) {
    lengths[r.prompt[0].content].insert(r.prompt[0].count);
    streams[r.prompt[0].content].insert(r.stream);
  }
  for (const auto& [content, l] : lengths) CHECK(l.size() == 1);
  CHECK(streams.begin()->second.size() == 2);
}

TEST_CASE("prefix group: popularity may be uniform or left out, and nothing else") {
  Scenario s = one_stream();
  s.workload.streams[0].rate = 1;
  s.workload.streams[0].num_requests = 10;
  add_prefixes(s, 4, 64);
  s.workload.prefix_groups[0].popularity = Distribution{};
  CHECK(drain(s).size() == 10);
  s.workload.prefix_groups[0].popularity.type = Distribution::Type::normal;
  CHECK_THROWS_AS(drain(s), ConfigError);
  s.workload.prefix_groups[0].popularity.type = Distribution::Type::zipf;
  s.workload.prefix_groups[0].count = 0;
  CHECK_THROWS_AS(drain(s), ConfigError);
}

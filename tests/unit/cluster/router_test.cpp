// Router policies: names, choices, ties.
#include "cluster/router.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "base/errors.hpp"
#include "spec/policies.hpp"

using namespace ridgepoint;

namespace {

std::vector<Candidate> candidates(const std::vector<std::int64_t>& outstanding) {
  std::vector<Candidate> result;
  for (std::size_t i = 0; i < outstanding.size(); ++i)
    result.push_back({static_cast<std::int32_t>(i), outstanding[i]});
  return result;
}

std::unique_ptr<Router> router(const std::string& policy, std::uint64_t seed = 1) {
  return make_router(policy, RandomRoot(seed).stream("router"));
}

}  // namespace

TEST_CASE("router: the registry has the names that scenarios may use, in the same order") {
  const auto table = router_table();
  REQUIRE(table.size() == kRouterPolicies.size());
  for (std::size_t i = 0; i < table.size(); ++i) CHECK(table[i].name == kRouterPolicies[i].name);
}

TEST_CASE("router: an unknown policy is refused with the nearest name") {
  CHECK_THROWS_WITH(router("round_robbin"), Catch::Contains("did you mean 'round_robin'?"));
  CHECK_THROWS_AS(router("zzzzzzzzzzzz"), ConfigError);
}

TEST_CASE("router: every policy chooses among what it is given, also when that is one") {
  for (const RouterEntry& entry : router_table()) {
    const auto r = entry.make(RandomStream(3));
    for (std::size_t n = 1; n < 6; ++n)
      for (int i = 0; i < 50; ++i)
        CHECK(r->choose(Request{}, candidates(std::vector<std::int64_t>(n, 7))) < n);
  }
}

TEST_CASE("router: round_robin takes each replica in turn") {
  const auto r = router("round_robin");
  for (int i = 0; i < 7; ++i)
    CHECK(r->choose(Request{}, candidates({9, 0, 0})) == static_cast<std::size_t>(i % 3));
}

TEST_CASE("router: least_outstanding takes the fewest unfinished, the lowest index on ties") {
  const auto r = router("least_outstanding");
  CHECK(r->choose(Request{}, candidates({3, 1, 2, 1})) == 1);
  CHECK(r->choose(Request{}, candidates({0, 0, 0})) == 0);
}

TEST_CASE("router: random spreads evenly and repeats with its seed") {
  const auto a = router("random"), b = router("random");
  std::map<std::size_t, int> counts;
  for (int i = 0; i < 4000; ++i) {
    const std::size_t choice = a->choose(Request{}, candidates({0, 9, 0, 0}));
    REQUIRE(choice == b->choose(Request{}, candidates({0, 9, 0, 0})));
    ++counts[choice];
  }
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(counts[i] - 1000) < 120);  // 4 standard deviations
}

TEST_CASE("router: power_of_two never takes the fullest of three, since it looks at two of them") {
  const auto r = router("power_of_two");
  std::map<std::size_t, int> counts;
  for (int i = 0; i < 3000; ++i) ++counts[r->choose(Request{}, candidates({1, 5, 3}))];
  CHECK(counts[1] == 0);
  // Replica 0 is in two of the three pairs and wins both.
  CHECK(std::abs(counts[0] - 2000) < 110);
  CHECK(counts[0] + counts[2] == 3000);
}

#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "spec/policies.hpp"
#include "support/engine_desk.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using Lines = std::vector<std::string>;

TEST_CASE("policies: the registry implements exactly the names a scenario may choose") {
  REQUIRE(policy_table().size() == kSchedulingPolicies.size());
  for (std::size_t i = 0; i < kSchedulingPolicies.size(); ++i)
    CHECK(policy_table()[i].name == kSchedulingPolicies[i].name);
  CHECK_THROWS_WITH(make_policy("fcsf"), Catch::Contains("did you mean 'fcfs'"));
}

TEST_CASE("policies: a static batch runs until its last member ends") {
  Engine e = case_engine();
  e.scheduling_policy = "static";
  e.max_num_seqs = 2;
  EngineDesk d(e, 100);
  d.add('A', 4, 2);
  d.add('B', 4, 5);
  d.add('C', 4, 1);
  CHECK(d.turns(6) == Lines{"A4 B4 /97 > A B", "A1 B1 /95 > A! B", "B1 /97 > B", "B1 /97 > B", "B1 /97 > B!",
                            "C4 /98 > C!"});
}

TEST_CASE("policies: prefill first stalls decodes for a prompt, decode first does not") {
  for (const char* policy : {"prefill_first", "fcfs"}) {
    Engine e = case_engine();
    e.scheduling_policy = policy;
    EngineDesk d(e, 100);
    d.add('A', 4, 9);
    d.turn();
    d.add('B', 20, 2);
    if (std::string(policy) == "fcfs")
      CHECK(d.turns(2) == Lines{"A1 B15 /93 > A", "A1 B5 /92 > A B"});
    else
      CHECK(d.turns(3) == Lines{"B16 /94", "B4 /93 > B", "A1 B1 /91 > A B!"});
  }
}

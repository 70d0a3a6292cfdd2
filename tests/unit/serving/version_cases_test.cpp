// What older engine versions decide differently (vllm-v1 rules, section 19).
#include <catch2/catch.hpp>

#include "support/engine_desk.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using Lines = std::vector<std::string>;

TEST_CASE("engine version: to 0.11.1 an oversized waiting request is set aside and later ones pass") {
  Engine e = case_engine();
  e.version = EngineVersion::v0_11_1;
  e.scheduler_reserve_full_isl = false;
  e.enable_chunked_prefill = false;
  e.max_model_len = 16;
  EngineDesk d(e, 100);
  d.add('A', 10, 2);
  d.add('B', 12, 2);
  d.add('C', 5, 2);
  Lines lines = d.turns(3);
  CHECK(lines[0].substr(0, 6) == "A10 C5");
  CHECK(lines[1].substr(0, 9) == "A1 C1 B12");
  CHECK(lines[1].substr(lines[1].find('>')) == "> A! C! B");
  CHECK(lines[2].substr(0, 2) == "B1");
}

TEST_CASE("engine version: to 0.11.0 a scheduled victim keeps its tokens and one request is skipped") {
  Engine e = case_engine();
  e.version = EngineVersion::v0_11;
  e.scheduler_reserve_full_isl = false;
  e.scheduling_policy = "priority";
  EngineDesk d(e, 7);
  d.add('L', 5, 9, 5);
  d.turn();
  d.add('H', 7, 6, 0);
  d.add('M', 6, 6, 2);
  d.turns(2);
  CHECK(d.turn().substr(0, 6) == "L1 H1 ");
}

TEST_CASE("engine version: before 0.12 async schedules one step past the limit") {
  for (const EngineVersion v : {EngineVersion::v0_11, EngineVersion::v0_19}) {
    Engine e = case_engine();
    e.version = v;
    e.async_scheduling = true;
    EngineDesk d(e, 100);
    d.add('A', 6, 2);
    const Lines lines = d.turns(3);
    CHECK(lines[1].substr(0, 2) == "A1");
    CHECK(lines[2].substr(0, 2) == (v == EngineVersion::v0_11 ? "A1" : "- "));
  }
}

TEST_CASE("engine version: before 0.15 a draft model needs no lookahead slots") {
  Engine e = case_engine();
  e.speculative_method = SpeculativeMethod::draft_model;
  e.num_speculative_tokens = 3;
  e.version = EngineVersion::v0_14;
  CHECK(e.lookahead_tokens() == 0);
  e.version = EngineVersion::v0_15;
  CHECK(e.lookahead_tokens() == 3);
}

TEST_CASE(
    "engine version: to 0.18 two prefills that cannot both fit are caught preempting each other for ever") {
  Engine e = case_engine();
  e.version = EngineVersion::v0_18;
  e.scheduler_reserve_full_isl = false;
  EngineDesk d(e, 5);
  d.add('A', 15, 5);
  for (int i = 0; i < 5000 && d.state.livelock.empty(); ++i) d.turn();
  CHECK_THAT(d.state.stuck(), Catch::Contains("without end"));
}

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

TEST_CASE("engine version: a patch release decides as the latest listed one that is not newer") {
  CHECK(parse_engine_version("vllm-0.19.0") == EngineVersion::v0_19);
  CHECK(parse_engine_version("vllm-0.19.1") == EngineVersion::v0_19);
  CHECK(parse_engine_version("vllm-0.10.1") == EngineVersion::v0_10);
  CHECK(parse_engine_version("vllm-0.10.2") == EngineVersion::v0_10_2);
  CHECK(parse_engine_version("vllm-0.11.0") == EngineVersion::v0_11);
  CHECK(parse_engine_version("vllm-0.11.2") == EngineVersion::v0_11_1);
  for (const char* wrong : {"vllm-0.9", "vllm-0.9.0", "vllm-0.19.x", "vllm-0.19.", "0.19", "vllm-0.21.0", ""})
    CHECK_FALSE(parse_engine_version(wrong).has_value());
}

namespace {
Engine drafting(EngineVersion v, SpeculativeMethod m, int k) {
  Engine e = case_engine();
  e.version = v;
  e.scheduler_reserve_full_isl = rules(v).full_sequence_gate;
  e.speculative_method = m;
  e.num_speculative_tokens = k;
  return e;
}
}  // namespace

TEST_CASE("engine version: 0.11.1 truncates drafts near max_tokens, others schedule them all") {
  for (const EngineVersion v : {EngineVersion::v0_11, EngineVersion::v0_11_1, EngineVersion::v0_19}) {
    EngineDesk d(drafting(v, SpeculativeMethod::ngram, 3), 100);
    FixedAcceptance none(0);
    d.state.oracle = &none;
    d.add('A', 6, 3);  // P + X - 1 = 8: at C = 6 two more may be computed, at C = 7 one
    const Lines lines = d.turns(3);
    CHECK(lines[1].substr(0, 2) == (v == EngineVersion::v0_11_1 ? "A2" : "A4"));
    CHECK(lines[2].substr(0, 2) == (v == EngineVersion::v0_11_1 ? "A1" : "A4"));
  }
}

TEST_CASE("engine version: to 0.13 drafts survive a preemption and ride on the last resumed chunk") {
  const auto drafts_of = [](EngineVersion v, int prompt) {
    Engine e = drafting(v, SpeculativeMethod::ngram, 2);
    e.max_num_batched_tokens = 8;
    EngineDesk d(e, 9);
    FixedAcceptance none(0);
    d.state.oracle = &none;
    d.add('A', 9, 12);
    d.add('B', prompt, 9);
    for (int i = 0; i < 200 && d.sink.records.size() < 2; ++i) d.turn();
    REQUIRE(d.sink.records.size() == 2);
    return d.state.totals.draft_tokens;
  };
  // With nothing accepted both emit the same tokens; the older engine also verifies drafts after a
  // resumption.
  std::int64_t older = 0, newer = 0;
  for (int prompt = 8; prompt < 16; ++prompt) {
    older += drafts_of(EngineVersion::v0_13, prompt);
    newer += drafts_of(EngineVersion::v0_14, prompt);
  }
  CHECK(older > newer);
}

TEST_CASE("engine version: 0.10.0 reserves lookahead slots at admission too") {
  for (const EngineVersion v : {EngineVersion::v0_10, EngineVersion::v0_10_2}) {
    EngineDesk d(drafting(v, SpeculativeMethod::eagle, 3), 100);
    d.add('A', 6, 9);
    CHECK(d.turn() == (v == EngineVersion::v0_10 ? "A6 /96 > A" : "A6 /97 > A"));
  }
}

TEST_CASE("engine version: from 0.14 the engine sleeps a millisecond after a step without work") {
  for (const EngineVersion v : {EngineVersion::v0_13, EngineVersion::v0_14}) {
    Engine e = case_engine();
    e.version = v;
    e.scheduler_reserve_full_isl = false;
    EngineDesk d(e, 5);
    d.add('A', 15, 5);
    d.turns(2);
    CHECK(d.turn() == "- /4");
    CHECK(d.state.mode == Replica::State::Mode::call);
    CHECK(d.state.due - Nanos{5} == (v == EngineVersion::v0_14 ? Nanos{1'000'000} : Nanos{1}));
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

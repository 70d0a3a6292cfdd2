// Worked cases of vLLM 0.19's step decisions, executed on the real scheduler (vllm-v1 rules, section 20).
#include <catch2/catch.hpp>

#include "support/engine_desk.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using Lines = std::vector<std::string>;

TEST_CASE("worked case 1: chunks of prompts share a step with decodes") {
  EngineDesk d(case_engine(), 100);
  d.add('A', 10, 3);
  d.add('B', 12, 3);
  d.add('C', 5, 3);
  CHECK(d.turns(4) ==
        Lines{"A10 B6 /94 > A", "A1 B6 C5 /91 > A B C", "A1 B1 C1 /90 > A! B C", "B1 C1 /93 > B! C!"});
}

TEST_CASE("worked case 2: chunking off, an oversized head stops admission") {
  Engine e = case_engine();
  e.enable_chunked_prefill = false;
  e.max_model_len = 16;
  EngineDesk d(e, 100);
  d.add('A', 10, 2);
  d.add('B', 12, 2);
  d.add('C', 5, 2);
  CHECK(d.turns(4) == Lines{"A10 /96 > A", "A1 B12 /93 > A! B", "B1 C5 /93 > B! C", "C1 /97 > C!"});
}

TEST_CASE("worked case 3: the long prefill threshold caps every chunk") {
  Engine e = case_engine();
  e.long_prefill_token_threshold = 4;
  EngineDesk d(e, 100);
  d.add('A', 10, 2);
  d.add('B', 12, 2);
  d.add('C', 5, 2);
  d.add('D', 6, 2);
  CHECK(d.turns(4) == Lines{"A4 B4 C4 D4 /95", "A4 B4 C1 D2 /91 > C D", "A2 B4 C1 D1 /89 > A B C! D!",
                            "A1 B1 /92 > A! B!"});
}

TEST_CASE("worked case 4: max_num_seqs bounds the running sequences") {
  Engine e = case_engine();
  e.max_num_seqs = 2;
  EngineDesk d(e, 100);
  d.add('A', 5, 2);
  d.add('B', 6, 3);
  d.add('C', 3, 3);
  CHECK(d.turns(5) ==
        Lines{"A5 B6 /95 > A B", "A1 B1 /95 > A! B", "B1 C3 /96 > B! C", "C1 /98 > C", "C1 /97 > C!"});
}

TEST_CASE("worked case 5: preemption and resume, without and with prefix caching") {
  for (const bool caching : {false, true}) {
    INFO("caching " << caching);
    Engine e = case_engine();
    e.max_num_batched_tokens = 8;
    e.enable_prefix_caching = caching;
    EngineDesk d(e, 9);
    d.add('A', 9, 12);
    d.add('B', 11, 9);
    CHECK(d.turns(3) == Lines{"A8 /6", "A1 B7 /3 > A", "A1 B4 /2 > A B"});
    CHECK(d.turns(5) ==
          Lines{"A1 B1 /2 > A B", "A1 B1 /1 > A B", "A1 B1 /0 > A B", "A1 B1 /0 > A B", "A1 B1 /0 > A B"});
    CHECK(d.turns(5) == Lines{"A1 /4 > A", "A1 /3 > A", "A1 /3 > A", "A1 /3 > A", "A1 /3 > A!"});
    if (caching)
      CHECK(d.turns(3) == Lines{"B5 /3 > B", "B1 /3 > B", "B1 /3 > B!"});
    else
      CHECK(d.turns(5) == Lines{"B8 /6", "B8 /4", "B1 /3 > B", "B1 /3 > B", "B1 /3 > B!"});
    REQUIRE(d.sink.records.size() == 2);
    CHECK(d.sink.records[1].preemptions == 1);
  }
}

TEST_CASE("worked case 6: the full-sequence gate holds a head back although it fits in part") {
  for (const bool gate : {true, false}) {
    INFO("gate " << gate);
    Engine e = case_engine();
    e.max_num_batched_tokens = 8;
    e.scheduler_reserve_full_isl = gate;
    EngineDesk d(e, 9);
    d.add('A', 12, 3);
    d.add('B', 24, 2);
    d.add('C', 4, 2);
    if (gate) {
      CHECK(d.turns(9) == Lines{"A8 /6", "A4 /5 > A", "A1 /4 > A", "A1 /4 > A!", "B8 /6", "B8 /4",
                                "B8 /2 > B", "B1 C4 /0 > B! C", "C1 /6 > C!"});
    } else {
      CHECK(d.turns(9) == Lines{"A8 /6", "A4 B4 /4 > A", "A1 B7 /1 > A", "A1 /4 > A!", "B8 /6", "B8 /4",
                                "B8 /2 > B", "B1 C4 /0 > B! C", "C1 /6 > C!"});
    }
  }
}

TEST_CASE("worked case 7: a full hit still computes its last token, and hits in the same call count") {
  Engine e = case_engine();
  e.enable_prefix_caching = true;
  EngineDesk d(e, 100);
  d.add('A', 8, 1, 0, 5);
  CHECK(d.turn() == "A8 /97 > A!");
  d.add('B', 8, 1, 0, 5);
  CHECK(d.turn() == "B4 /97 > B!");
  d.add('C', 9, 1, 0, 5);
  CHECK(d.turn() == "C1 /96 > C!");
  d.add('D', 9, 1, 0, 6);
  d.add('E', 9, 1, 0, 6);
  CHECK(d.turn() == "D9 E1 /95 > D! E!");
  CHECK(d.sink.records[1].cached_tokens == 4);
  CHECK(d.sink.records[4].cached_tokens == 8);
}

TEST_CASE("worked case 8: freed blocks join the queue last first, and only taking one forgets its hash") {
  Engine e = case_engine();
  e.enable_prefix_caching = true;
  e.max_num_batched_tokens = 32;
  EngineDesk d(e, 8);
  using Ids = std::vector<BlockId>;
  const auto queue = [&] { return d.state.kv.pool().queue(); };
  CHECK(queue() == Ids{1, 2, 3, 4, 5, 6, 7});
  d.add('A', 9, 1, 0, 1);
  d.turn();
  CHECK(queue() == Ids{4, 5, 6, 7, 3, 2, 1});
  d.add('B', 7, 1, 0, 2);
  d.turn();
  CHECK(queue() == Ids{6, 7, 3, 2, 1, 5, 4});
  d.add('C', 13, 1, 0, 3);
  d.turn();
  CHECK(queue() == Ids{1, 5, 4, 2, 3, 7, 6});
  d.add('D', 9, 1, 0, 1);
  CHECK(d.turn().substr(0, 2) == "D5");
  CHECK(queue() == Ids{2, 3, 7, 6, 4, 5, 1});
  d.add('E', 7, 1, 0, 2);
  CHECK(d.turn().substr(0, 2) == "E7");
  CHECK(queue() == Ids{7, 6, 4, 5, 1, 3, 2});
}

TEST_CASE("worked case 9: a scheduled sequence of low priority is unscheduled and preempted") {
  Engine e = case_engine();
  e.scheduling_policy = "priority";
  EngineDesk d(e, 7);
  d.add('L', 5, 9, 5);
  CHECK(d.turn() == "L5 /4 > L");
  d.add('H', 7, 6, 0);
  d.add('M', 6, 6, 2);
  CHECK(d.turns(4) ==
        Lines{"L1 H7 M6 /0 > L H M", "L1 H1 M1 /0 > L H M", "H1 M1 /1 > H M", "H1 M1 /0 > H M"});
  CHECK(d.turns(2) == Lines{"H1 M1 /0 > H M", "H1 M1 /0 > H! M!"});
  CHECK(d.turns(2) == Lines{"L8 /4 > L", "L1 /3 > L"});
  CHECK(d.turns(4) == Lines{"L1 /3 > L", "L1 /3 > L", "L1 /3 > L", "L1 /2 > L!"});
}

TEST_CASE("worked case 10: speculation, one of three drafts accepted, without and with lookahead") {
  for (const bool eagle : {false, true}) {
    INFO("eagle " << eagle);
    Engine e = case_engine();
    e.num_speculative_tokens = 3;
    e.speculative_method = eagle ? SpeculativeMethod::eagle : SpeculativeMethod::ngram;
    EngineDesk d(e, 100);
    FixedAcceptance one(1);
    d.state.oracle = &one;
    d.add('A', 6, 9);
    if (eagle)
      CHECK(d.turns(5) ==
            Lines{"A6 /97 > A", "A4 /95 > Ax2", "A4 /95 > Ax2", "A4 /94 > Ax2", "A4 /94 > Ax2!"});
    else
      CHECK(d.turns(5) ==
            Lines{"A6 /97 > A", "A4 /96 > Ax2", "A4 /96 > Ax2", "A4 /95 > Ax2", "A4 /95 > Ax2!"});
  }
}

TEST_CASE("worked case 11: async scheduling calls one step ahead") {
  Engine e = case_engine();
  e.async_scheduling = true;
  EngineDesk d(e, 100);
  d.add('A', 6, 4);
  CHECK(d.turns(2) == Lines{"A6 /97", "A1 /97 > A"});
  d.add('B', 20, 2);
  CHECK(d.turns(4) == Lines{"A1 B15 /93 > A", "A1 B5 /91 > A", "B1 /90 > A! B", "- /93 > B!"});
}

TEST_CASE("worked case 12: two batches in flight without async, as with two pipeline stages") {
  Engine e = case_engine();
  e.max_num_batched_tokens = 8;
  EngineDesk d(e, 100, 2);
  d.add('A', 6, 3);
  d.add('B', 10, 3);
  Lines lines = d.turns(7);
  for (std::string& l : lines)
    l.erase(l.find('/'), l.find(" >") == std::string::npos ? l.size() : l.find(" >") - l.find('/'));
  CHECK(lines == Lines{"A6 B2 ", "B8  > A", "A1  > B", "B1  > A", "A1  > B", "B1  > A!", "-  > B!"});
}

TEST_CASE("bonus 1: a lone sequence that outgrows the pool stalls and is reported, not looped") {
  Engine e = case_engine();
  EngineDesk d(e, 5);
  d.add('A', 15, 5);
  CHECK(d.turns(4) == Lines{"A15 /0 > A", "A1 /0 > A", "- /4", "- /4"});
  CHECK(d.state.mode == Replica::State::Mode::idle);
  CHECK_THAT(d.state.stuck(), Catch::Contains("needs 5 KV blocks") && Catch::Contains("the pool has 4"));
}

TEST_CASE("bonus 2: the model's length limit truncates drafts") {
  Engine e = case_engine();
  e.max_model_len = 10;
  e.num_speculative_tokens = 3;
  e.speculative_method = SpeculativeMethod::ngram;
  EngineDesk d(e, 100);
  FixedAcceptance none(0);
  d.state.oracle = &none;
  d.add('A', 6, 100);
  CHECK(d.turns(4) == Lines{"A6 /97 > A", "A3 /96 > A", "A2 /96 > A", "A1 /96 > A!"});
}

TEST_CASE("bonus 3: with speculation the budget starves the tail of the list") {
  Engine e = case_engine();
  e.max_num_seqs = 5;
  e.num_speculative_tokens = 3;
  e.speculative_method = SpeculativeMethod::ngram;
  EngineDesk d(e, 100);
  FixedAcceptance all(3);
  d.state.oracle = &all;
  for (const char name : {'A', 'B', 'C', 'D', 'E'}) d.add(name, 3, 6);
  CHECK(d.turn().substr(0, 14) == "A3 B3 C3 D3 E3");
  CHECK(d.turn().substr(0, 12) == "A4 B4 C4 D4 ");
  CHECK(d.turn().substr(0, 12) == "A4 B4 C4 D4 ");
  CHECK(d.turn().substr(0, 3) == "E4 ");
  CHECK(d.turn().substr(0, 3) == "E4 ");
}

TEST_CASE("bonus 4: an end of sequence found late wastes one slot under async scheduling") {
  Engine e = case_engine();
  e.async_scheduling = true;
  EngineDesk d(e, 100);
  Request a;
  a.prompt_tokens = 5;
  a.output_tokens = 2;  // EOS is its second token
  a.max_tokens = 10;
  d.state.scheduler.add(a, Nanos{0});
  ++d.state.unfinished;
  d.add('B', 3, 4);
  CHECK(d.turn().substr(0, 5) == "A5 B3");
  CHECK(d.turn().substr(0, 5) == "A1 B1");
  CHECK(d.turn() == "A1 B1 /95 > A! B");
  CHECK(d.state.totals.wasted_tokens == 0);
  CHECK(d.turn().substr(0, 2) == "B1");
  CHECK(d.state.totals.wasted_tokens == 1);
}

// What each trace format means, on files small enough to check by eye.
#include "base/errors.hpp"
#include "support/workload_scenario.hpp"
#include "workload/trace_format.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using namespace std::chrono_literals;

namespace {

std::vector<Request> import(TraceFormat format, const std::string& text, bool timed = true) {
  const TemporaryFile file(text);
  Scenario s = replay(format, file.path());
  if (!timed) s.workload.streams[0].concurrency = 1;
  return drain(s);
}

TraceCount counted(TraceFormat format, const std::string& text) {
  const TemporaryFile file(text);
  Scenario s = replay(format, file.path());
  s.workload.streams[0].concurrency = 1;
  auto source = make_request_source(s);
  drain(*source);
  return source->trace_counts().at(0);
}

std::int64_t dropped(const TraceCount& c, const std::string& reason) {
  for (const auto& [r, n] : c.dropped)
    if (r == reason) return n;
  return 0;
}

bool same(const TokenRun& a, const TokenRun& b) {
  return a.content == b.content && a.offset == b.offset && a.count == b.count && a.stride == b.stride;
}

}  // namespace

TEST_CASE("trace format: every name of the table is parsed to its format") {
  for (const TraceFormatName& n : trace_format_names()) CHECK(parse_trace_format(n.name) == n.format);
  for (const char* name : {"azure_2023", "azure_2024", "azure", "burstgpt", "mooncake", "vidur", "sharegpt",
                           "vllm_bench", "llmservingsim", "ridgepoint"})
    CHECK(parse_trace_format(name).has_value());
  CHECK_FALSE(parse_trace_format("azur").has_value());
  CHECK(name(TraceFormat::sharegpt) == "sharegpt");
}

TEST_CASE("csv: byte order mark, CRLF, blank lines, quotes and a missing last line end are all right") {
  const auto all = import(TraceFormat::azure,
                          "\xef\xbb\xbf\"GeneratedTokens\", TIMESTAMP ,ContextTokens\r\n"
                          "5,2023-11-16 18:15:46,7\r\n\r\n\"6\",\"2023-11-16 18:15:47\",8");
  REQUIRE(all.size() == 2);
  CHECK(all[0].output_tokens == 5);
  CHECK(all[0].prompt_tokens == 7);
  CHECK(all[1].arrival == 1s);
  CHECK(all[1].output_tokens == 6);
}

TEST_CASE("burstgpt: columns are mapped by name, so v3's extra ones do no harm") {
  const auto v1 = import(TraceFormat::burstgpt,
                         "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                         "5,ChatGPT,472,18,490,Conversation log\n45,GPT-4,10,2,12,API log\n");
  const auto v3 =
      import(TraceFormat::burstgpt,
             "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
             "19440110.0,,43,GPT-4,472,18,490,API log\n19440150.0,x,0,GPT-4,10,2,12,Conversation log\n");
  REQUIRE(v1.size() == 2);
  REQUIRE(v3.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(v1[i].arrival == v3[i].arrival);
    CHECK(v1[i].prompt_tokens == v3[i].prompt_tokens);
    CHECK(v1[i].output_tokens == v3[i].output_tokens);
  }
}

TEST_CASE("mooncake: an id is 512 tokens of one content wherever it stands, the last may be partial") {
  const auto all =
      import(TraceFormat::mooncake,
             R"({"timestamp": 27482, "input_length": 1100, "output_length": 52, "hash_ids": [46, 47, 9]})"
             "\n"
             R"({"timestamp": 27483.5, "input_length": 600, "output_length": 26, "hash_ids": [46, 47]})"
             "\n");
  REQUIRE(all.size() == 2);
  CHECK(all[1].arrival == 1'500us);
  REQUIRE(all[0].prompt.size() == 2);
  const std::uint64_t content = all[0].prompt[0].content;
  CHECK(same(all[0].prompt[0], {content, 46 * 512, 1024, 1}));
  CHECK(same(all[0].prompt[1], {content, 9 * 512, 1100 - 1024, 1}));
  REQUIRE(all[1].prompt.size() == 1);
  CHECK(same(all[1].prompt[0], {content, 46 * 512, 600, 1}));
  CHECK(all[0].shared_tokens == 1100);
  CHECK(all[0].output.content == 0);
}

TEST_CASE("mooncake: ids beyond 31 and beyond 63 bits keep apart") {
  const auto all = import(TraceFormat::mooncake,
                          R"({"timestamp": 0, "input_length": 2048, "output_length": 1,)"
                          R"( "hash_ids": [4294967296, 0, 18446744073709551615, 9223372036854775807]})"
                          "\n");
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].prompt.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(all[0].prompt[i].content < kUniqueContent);
    for (std::size_t j = 0; j < i; ++j)
      CHECK((all[0].prompt[i].content != all[0].prompt[j].content ||
             all[0].prompt[i].offset != all[0].prompt[j].offset));
  }
}

TEST_CASE("mooncake: AIPerf's variants without timestamps, with sessions, delays and text") {
  const auto all = import(TraceFormat::mooncake,
                          R"({"session_id": "abc-123", "input_length": 300, "output_length": 40})"
                          "\n\n"
                          R"({"session_id": "abc-123", "delay": 2, "input_length": 150, "output_length": 20})"
                          "\n"
                          R"({"text_input": "What is the capital of France?", "output_length": 20})"
                          "\n"
                          R"({"input_length": 10, "output_length": 4})"
                          "\n",
                          false);
  REQUIRE(all.size() == 4);
  CHECK(all[0].prompt_tokens == 300);
  CHECK(all[1].prompt_tokens == 300 + 40 + 150);
  CHECK(all[1].arrival == all[0].arrival + 1us + 2ms);
  CHECK(all[1].prompt[0].content == all[0].output.content);
  CHECK(all[0].output.offset == 300);
  CHECK(all[0].shared_tokens == 340);
  CHECK(all[1].shared_tokens == 340);
  CHECK(all[2].prompt_tokens == 8);  // 30 characters, four to a token
  CHECK(all[3].prompt_tokens == 10);
}

TEST_CASE("llmservingsim: token ids become runs by which prefixes are recognised") {
  const auto all =
      import(TraceFormat::llmservingsim,
             R"({"input_toks":6,"output_toks":3,"arrival_time_ns":46926808,"input_tok_ids":[1,2,3,7,7,7],)"
             R"("output_tok_ids":[8,9,10]})"
             "\n"
             R"({"input_toks":9,"output_toks":2,"arrival_time_ns":46926809,)"
             R"("input_tok_ids":[1,2,3,7,7,7,8,9,10],"output_tok_ids":[5,3]})"
             "\n");
  REQUIRE(all.size() == 2);
  CHECK(all[1].arrival == 1ns);
  const std::uint64_t content = all[0].prompt[0].content;
  REQUIRE(all[0].prompt.size() == 2);
  CHECK(same(all[0].prompt[0], {content, 1, 3, 1}));
  CHECK(same(all[0].prompt[1], {content, 7, 3, 0}));
  CHECK(same(all[0].output, {content, 8, 3, 1}));
  CHECK(all[0].shared_tokens == 9);
  REQUIRE(all[1].prompt.size() == 3);
  CHECK(same(all[1].prompt[2], {content, 8, 3, 1}));
  CHECK(all[1].output.content == 0);  // 5, 3 is no single run
  CHECK(all[1].shared_tokens == 9);
}

TEST_CASE(
    "llmservingsim: a session's next sub-request starts tool_duration_ns after the one before has ended") {
  const auto all = import(TraceFormat::llmservingsim,
                          R"({"session_id": "s0", "arrival_time_ns": 4059740, "sub_requests": [)"
                          R"({"input_toks": 1472, "output_toks": 133, "tool_duration_ns": 1000000},)"
                          R"({"input_toks": 1582, "output_toks": 125, "tool_duration_ns": 2000000},)"
                          R"({"input_toks": 1734, "output_toks": 77, "tool_duration_ns": 0}]})"
                          "\n"
                          R"({"input_toks": 5, "output_toks": 6, "arrival_time_ns": 4059740})"
                          "\n");
  REQUIRE(all.size() == 4);
  CHECK(all[0].prompt_tokens == 1472);
  CHECK(all[1].prompt_tokens == 5);
  CHECK(all[1].arrival == 0ns);
  CHECK(all[2].arrival == 1us + 1ms);
  CHECK(all[3].arrival == 2us + 3ms);
  CHECK(all[3].prompt_tokens == 1734);
  CHECK(all[0].session == all[3].session);
  CHECK(all[1].session == 0);
}

TEST_CASE("sharegpt: rows are filtered as vLLM's benchmark filters them") {
  const auto chat = [](const std::string& a, const std::string& b) {
    return R"({"id": "x", "conversations": [{"from": "human", "value": ")" + a +
           R"("}, {"from": "gpt", "value": ")" + b + R"("}]})";
  };
  const std::string w40(40, 'w');
  const std::string text = "[" + chat(w40, w40 + "w") + ",\n" + chat("short", w40) + ",\n" +
                           chat(std::string(4100, 'w'), w40) + ",\n" +
                           chat(std::string(4000, 'w'), std::string(4400, 'w')) + ",\n" +
                           R"({"id": "y", "conversations": []}, {"id": "z"})" + ",\n" +
                           chat("h\\u00e9\\ud83d\\ude00 \\\"q\\\" {[,]} h\xc3\xa9ll\xc3\xb6w\xc3\xb6rld",
                                "braces } ] in a \\\\ text") +
                           "\n]\n";
  const auto all = import(TraceFormat::sharegpt, text, false);
  REQUIRE(all.size() == 2);
  CHECK(all[0].prompt_tokens == 10);
  CHECK(all[0].output_tokens == 11);
  CHECK(all[1].prompt_tokens == 6);  // 24 Unicode characters
  const TraceCount c = counted(TraceFormat::sharegpt, text);
  CHECK(c.read == 7);
  CHECK(c.accepted == 2);
  CHECK(dropped(c, "fewer than two turns") == 2);
  CHECK(dropped(c, "shorter than 4 tokens") == 1);
  CHECK(dropped(c, "longer than 1024 prompt or 2048 total tokens") == 2);
}

TEST_CASE("sharegpt: vLLM's custom JSONL is read too") {
  const auto all = import(TraceFormat::sharegpt,
                          R"({"prompt": "What is the capital of India?"})"
                          "\n"
                          R"({"prompt": "What is the capital of Iran?", "output_tokens": 12})"
                          "\n",
                          false);
  REQUIRE(all.size() == 2);
  CHECK(all[0].prompt_tokens == 8);  // 29 characters
  CHECK(all[0].output_tokens == 256);
  CHECK(all[1].output_tokens == 12);
}

TEST_CASE("sharegpt: chars_per_token is the stream's to choose") {
  const TemporaryFile file(R"({"prompt": "0123456789", "output_tokens": 1})");
  Scenario s = replay(TraceFormat::sharegpt, file.path());
  s.workload.streams[0].concurrency = 1;
  s.workload.streams[0].trace->chars_per_token = 3;
  CHECK(drain(s).at(0).prompt_tokens == 4);
}

TEST_CASE("own csv: priorities, sessions, think times and contents") {
  const auto all =
      import(TraceFormat::ridgepoint,
             "arrival_s,prompt_tokens,output_tokens,priority,session,think_s,prompt,output,shared_tokens\n"
             "10.000000001,100,20,-2,alice,,5:0:100,5:100,\n"
             ",150,30,,alice,0.5,5:0:120 6:7:10:0,,\n"
             "10.5,40,1,,,,,,\n");
  REQUIRE(all.size() == 3);
  CHECK(all[0].priority == -2);
  CHECK(all[0].shared_tokens == 120);
  CHECK(all[1].arrival == 499'999'999ns);
  CHECK(all[1].prompt_tokens == 40);
  CHECK(all[2].arrival == 1us + 500ms);
  REQUIRE(all[2].prompt.size() == 3);
  CHECK(all[2].prompt[0].content == all[0].prompt[0].content);
  CHECK(all[2].prompt[1].stride == 0);
  CHECK(same(all[2].prompt[2], {all[2].unique_content(), 130, 20, 1}));
  CHECK(all[2].shared_tokens == 130);
}

TEST_CASE("own csv: three columns are enough, in any order; two make a file of lengths") {
  const auto all =
      import(TraceFormat::ridgepoint, "output_tokens,arrival_s,prompt_tokens\n1,0.000000003,2\n4,5e-9,5\n");
  REQUIRE(all.size() == 2);
  CHECK(all[1].arrival == 2ns);
  CHECK(all[1].prompt_tokens == 5);
  CHECK(import(TraceFormat::ridgepoint, "prompt_tokens,output_tokens\n1,2\n", false).size() == 1);
}

TEST_CASE("trace: contents of two streams never meet, though their files use the same ids") {
  const TemporaryFile file(R"({"timestamp": 0, "input_length": 512, "output_length": 1, "hash_ids": [0]})");
  Scenario s = replay(TraceFormat::mooncake, file.path());
  s.workload.streams.push_back(s.workload.streams[0]);
  s.workload.streams[1].name = "other";
  const auto all = drain(s);
  REQUIRE(all.size() == 2);
  CHECK(all[0].prompt[0].content != all[1].prompt[0].content);
}

TEST_CASE("trace: a prefix group stands in front of a trace's prompts") {
  const TemporaryFile file("arrival_s,prompt_tokens,output_tokens\n0,10,1\n");
  Scenario s = replay(TraceFormat::ridgepoint, file.path());
  PrefixGroup g;
  g.name = "p";
  g.length = fixed(64);
  s.workload.prefix_groups.push_back(g);
  s.workload.streams[0].prefix_group = 0;
  const Request r = drain(s).at(0);
  CHECK(r.prompt_tokens == 74);
  CHECK(r.shared_tokens == 64);
  CHECK(same(r.prompt[1], {r.unique_content(), 64, 10, 1}));
}

TEST_CASE("trace: times of its own, of a rate, or of users who wait") {
  const std::string text = "arrival_s,prompt_tokens,output_tokens\n3,1,1\n5,2,1\n4,3,1\n";
  const TemporaryFile file(text);
  Scenario s = replay(TraceFormat::ridgepoint, file.path());
  const auto lengths = [](const std::vector<Request>& all) {
    std::vector<int> l;
    for (const Request& r : all) l.push_back(r.prompt_tokens);
    return l;
  };
  CHECK(lengths(drain(s)) == std::vector<int>{1, 3, 2});
  s.workload.streams[0].concurrency = 1;
  const auto closed = drain(s, 7s);
  CHECK(lengths(closed) == std::vector<int>{1, 2, 3});  // file order: its times do not count
  CHECK(closed[2].arrival == 14s);
  s.workload.streams[0].concurrency.reset();
  s.workload.streams[0].rate = 0.5;
  s.workload.streams[0].arrival.process = Arrival::Process::constant;
  const auto open = drain(s);
  CHECK(lengths(open) == std::vector<int>{1, 2, 3});
  CHECK(open[2].arrival == 4s);
}

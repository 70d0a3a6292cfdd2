// Malformed files: one clear error with file and line, whatever the bytes.
#include "base/errors.hpp"
#include "support/workload_scenario.hpp"
#include "workload/trace/feed.hpp"
#include "workload/trace_format.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

/// The message of reading the whole text as this format; empty when all went well.
std::string refusal(TraceFormat format, const std::string& text) {
  const TemporaryFile file(text);
  Trace t;
  t.format = format;
  t.path = file.path().string();
  return message_of<ConfigError>([&] {
    FeedOptions options;
    options.timed = false;
    TraceFeed feed(t, options);
    TraceUnit u;
    while (feed.next(u)) {
    }
  });
}

bool at_line(const std::string& message, int line) {
  return message.find("trace:" + std::to_string(line) + ":") != std::string::npos;
}

const std::string kAzure = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,7,5\n";
const std::string kBurst =
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,m,1,1,2,API log\n";
const std::string kVidur = "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,1,1\n";
const std::string kOwn =
    "arrival_s,prompt_tokens,output_tokens,priority,session,think_s,prompt,output\n0,1,1,,,,,\n";

}  // namespace

TEST_CASE("hostile: an empty file, and one of blank lines, is refused in every format") {
  for (const TraceFormatName& n : trace_format_names())
    for (const char* text : {"", "\n\n", "\xef\xbb\xbf"}) {
      INFO(n.name);
      CHECK_FALSE(refusal(n.format, text).empty());
    }
}

TEST_CASE("hostile: a header without rows holds no rows") {
  for (const auto& [format, text] : {std::pair{TraceFormat::azure, kAzure},
                                     {TraceFormat::burstgpt, kBurst},
                                     {TraceFormat::vidur, kVidur},
                                     {TraceFormat::ridgepoint, kOwn}}) {
    CHECK(refusal(format, text).empty());
    CHECK(refusal(format, text.substr(0, text.find('\n'))).find("holds no rows") != std::string::npos);
  }
  CHECK(refusal(TraceFormat::sharegpt, "[]").find("holds no rows") != std::string::npos);
}

TEST_CASE("hostile: a missing column is named, with those that are there") {
  const std::string m = refusal(TraceFormat::azure, "TIMESTAMP,ContextTokens\n2023-11-16 18:15:46,7\n");
  CHECK(m.find("'GeneratedTokens'") != std::string::npos);
  CHECK(m.find("TIMESTAMP, ContextTokens") != std::string::npos);
  CHECK_FALSE(
      refusal(TraceFormat::ridgepoint, "arrival_s,prompt_tokens,output_tokens,prio\n0,1,1,1\n").empty());
  CHECK_FALSE(
      refusal(TraceFormat::ridgepoint, "arrival_s,prompt_tokens,output_tokens,arrival_s\n0,1,1,1\n").empty());
}

TEST_CASE("hostile: bad fields of CSV rows are refused with file, line and column") {
  for (const char* row : {"2023-11-16 18:15:47,x,5", "2023-11-16 18:15:47,-1,5", "2023-11-16 18:15:47,7",
                          "2023-11-16 18:15:47,7,5,9", "2023-99-16 18:15:47,7,5", ",7,5",
                          "2023-11-16 18:15:47,,5", "2023-11-16 18:15:47,1.5,5",
                          "2023-11-16 18:15:47,99999999999999999999999,5", "2023-11-16 18:15:47,4294967296,5",
                          "2023-11-16 18:15:47,\"7,5", "2023-11-16 18:15:47,\"7\"x,5", "yesterday,7,5"}) {
    INFO(row);
    CHECK(at_line(refusal(TraceFormat::azure, kAzure + row + "\n"), 3));
  }
  CHECK(
      refusal(TraceFormat::azure, kAzure + "2023-11-16 18:15:47,x,5").find(":3:21: column 'ContextTokens'") !=
      std::string::npos);
  for (const char* row : {"-5,m,1,1,2,x", "nan,m,1,1,2,x", "inf,m,1,1,2,x", "1e300,m,1,1,2,x"})
    CHECK(at_line(refusal(TraceFormat::burstgpt, kBurst + row), 3));
  CHECK(at_line(refusal(TraceFormat::vidur, kVidur + "-0.5,1,1"), 3));
}

TEST_CASE("hostile: NUL bytes and control characters are shown escaped") {
  const std::string nul("2023-11-16 18:15:47,7\0,5", 24);
  const std::string m = refusal(TraceFormat::azure, kAzure + nul);
  CHECK(at_line(m, 3));
  CHECK(m.find("7\\x00") != std::string::npos);
  CHECK_FALSE(refusal(TraceFormat::azure, std::string(100, '\0')).empty());
  CHECK_FALSE(refusal(TraceFormat::mooncake, std::string(100, '\0')).empty());
  CHECK(refusal(TraceFormat::azure, "\xff\xfeT\0").find("UTF-8") != std::string::npos);
}

TEST_CASE("hostile: a line without end is refused before it fills the memory") {
  CHECK(refusal(TraceFormat::azure, kAzure + std::string(3 << 20, '7')).find("longer than 1 MiB") !=
        std::string::npos);
  CHECK(refusal(TraceFormat::mooncake, std::string(65 << 20, ' ')).find("longer than 64 MiB") !=
        std::string::npos);
  CHECK(refusal(TraceFormat::sharegpt, "[{\"a\":\"" + std::string(65 << 20, 'x')).find("64 MiB") !=
        std::string::npos);
}

TEST_CASE("hostile: bad rows of mooncake's JSONL are refused with file and line") {
  const std::string good = R"({"timestamp": 0, "input_length": 5, "output_length": 1})";
  for (const char* row :
       {"{", "[]", "7", "nonsense", R"({"timestamp": 0, "output_length": 1})",
        R"({"timestamp": 0, "input_length": 5})",
        R"({"timestamp": -1, "input_length": 5, "output_length": 1})",
        R"({"timestamp": 1e40, "input_length": 5, "output_length": 1})",
        R"({"timestamp": 9223372036854775807, "input_length": 5, "output_length": 1})",
        R"({"timestamp": "0", "input_length": 5, "output_length": 1})",
        R"({"timestamp": 0, "input_length": -5, "output_length": 1})",
        R"({"timestamp": 0, "input_length": 5.5, "output_length": 1})",
        R"({"timestamp": 0, "input_length": 5000000000, "output_length": 1})",
        R"({"timestamp": 0, "input_length": 600, "output_length": 1, "hash_ids": [1]})",
        R"({"timestamp": 0, "input_length": 600, "output_length": 1, "hash_ids": [1, 2, 3]})",
        R"({"timestamp": 0, "input_length": 600, "output_length": 1, "hash_ids": [1, -2]})",
        R"({"timestamp": 0, "input_length": 600, "output_length": 1, "hash_ids": 7})",
        R"({"timestamp": 0, "input_length": 5, "output_length": 1} trailing)"}) {
    INFO(row);
    CHECK(at_line(refusal(TraceFormat::mooncake, good + "\n" + row + "\n" + good), 2));
  }
}

TEST_CASE("hostile: bad rows of llmservingsim's JSONL are refused with file and line") {
  const std::string good = R"({"input_toks": 5, "output_toks": 1, "arrival_time_ns": 0})";
  for (const char* row :
       {R"({"input_toks": 2, "output_toks": 1, "arrival_time_ns": 0, "input_tok_ids": [1]})",
        R"({"input_toks": 1, "output_toks": 1, "arrival_time_ns": 0, "input_tok_ids": [-1]})",
        R"({"input_toks": 1, "output_toks": 1, "arrival_time_ns": -7})",
        R"({"session_id": "s", "arrival_time_ns": 0, "sub_requests": []})",
        R"({"session_id": "s", "arrival_time_ns": 0, "sub_requests": [5]})",
        R"({"session_id": "s", "arrival_time_ns": 0, "sub_requests": 5})"}) {
    INFO(row);
    CHECK(at_line(refusal(TraceFormat::llmservingsim, good + "\n" + row), 2));
  }
  const std::string session =
      R"({"session_id": "s", "arrival_time_ns": 0, "sub_requests": [{"input_toks": 1, "output_toks": 1}]})";
  CHECK(refusal(TraceFormat::llmservingsim, session + "\n" + session).find("second time") !=
        std::string::npos);
}

TEST_CASE("hostile: bad ShareGPT files are refused") {
  for (const char* text : {"[{\"conversations\": [", "[{}", "[{}}", "{} x", "[[]]", "[1]", "\"text\"",
                           R"([{"conversations": 5}])", R"([{"conversations": [5, 6]}])",
                           R"([{"conversations": [{"value": 5}, {"value": 6}]}])", R"([{"prompt": 7}])"}) {
    INFO(text);
    CHECK_FALSE(refusal(TraceFormat::sharegpt, text).empty());
  }
}

TEST_CASE("hostile: bad rows of our own CSV are refused with file and line") {
  for (const char* row :
       {"x,1,1,,,,,", "0,1,1,x,,,,", "0,1,1,99999999999,,,,", "0,1,1,,,1,,", "0,1,1,,,,1:0:2,",
        "0,9,1,,,,1:0,", "0,9,1,,,,1:0:0,", "0,9,1,,,,1:0:1:2,", "0,9,1,,,,281474976710656:0:1,",
        "0,9,1,,,,1:4294967295:2,", "0,9,1,,,,1:0:1:1:1,", "0,9,1,,,,a:0:1,", "0,9,1,,,,,1",
        "0,9,1,,,,,1:2:3", "0,1073741824,1073741824,,,,,", "0,9,0,,,,,1:0", "-1,1,1,,,,,"}) {
    INFO(row);
    CHECK(at_line(refusal(TraceFormat::ridgepoint, kOwn + row), 3));
  }
  CHECK(at_line(refusal(TraceFormat::ridgepoint, kOwn + "1,1,1,,a,,,\n2,1,1,,a,,,\n"), 4));
  CHECK(refusal(TraceFormat::ridgepoint, kOwn + "1,1,1,,a,,,\n2,1,1,,b,,,\n3,1,1,,a,,,\n")
            .find("second time") != std::string::npos);
}

TEST_CASE("hostile: files that are not there, or are folders, are refused by name") {
  Scenario s = replay(TraceFormat::azure, "/nowhere/at/all.csv");
  CHECK(message_of<ConfigError>([&] { make_request_source(s); }).find("/nowhere/at/all.csv") == 0);
  s = replay(TraceFormat::azure, std::filesystem::temp_directory_path());
  CHECK(message_of<ConfigError>([&] { make_request_source(s); }).find("directory") != std::string::npos);
}

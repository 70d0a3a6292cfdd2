#include <random>

#include "base/errors.hpp"
#include "support/workload_scenario.hpp"
#include "workload/trace/byte_source.hpp"
#include "workload/trace_convert.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

const std::string kHeader = "arrival_s,prompt_tokens,output_tokens\n";
const std::string kWide =
    "arrival_s,prompt_tokens,output_tokens,priority,session,think_s,prompt,output,shared_tokens\n";

bool same_runs(const std::vector<TokenRun>& a, const std::vector<TokenRun>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TokenRun& x, const TokenRun& y) {
    return x.content == y.content && x.offset == y.offset && x.count == y.count && x.stride == y.stride;
  });
}

void check_same(const std::vector<Request>& a, const std::vector<Request>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].arrival == b[i].arrival);
    CHECK(a[i].prompt_tokens == b[i].prompt_tokens);
    CHECK(a[i].output_tokens == b[i].output_tokens);
    CHECK(a[i].shared_tokens == b[i].shared_tokens);
    CHECK(a[i].priority == b[i].priority);
    CHECK(a[i].session == b[i].session);
    CHECK(same_runs(a[i].prompt, b[i].prompt));
    CHECK(same_runs({a[i].output}, {b[i].output}));
  }
}

/// All that a file of these bytes holds, decompressed.
std::string bytes_of(const std::string& packed) {
  const TemporaryFile file(packed);
  ByteSource source(file.path().string());
  std::string all(4096, '\0');
  std::size_t size = 0;
  while (const std::size_t got = source.read(all.data() + size, all.size() - size)) {
    size += got;
    all.resize(size + 4096);
  }
  all.resize(size);
  return all;
}

/// Converting `text` yields the same workload as reading it, and converting that changes no byte more.
void check_round_trip(TraceFormat format, const std::string& text, bool timed = true) {
  const TemporaryFile in(text);
  const auto once = in.beside("once.csv"), twice = in.beside("twice.csv");
  convert_trace(in.path(), format, once);
  convert_trace(once, TraceFormat::ridgepoint, twice);
  CHECK(TemporaryFile::read(once) == TemporaryFile::read(twice));
  Scenario a = replay(format, in.path()), b = replay(TraceFormat::ridgepoint, once);
  if (!timed) a.workload.streams[0].concurrency = b.workload.streams[0].concurrency = 2;
  check_same(drain(a), drain(b));
}

}  // namespace

TEST_CASE("convert: every format survives the round trip through our CSV") {
  check_round_trip(TraceFormat::azure,
                   "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"
                   "2023-11-16 18:15:50.9951691,396,109\n");
  check_round_trip(TraceFormat::vidur, "num_prefill_tokens,num_decode_tokens\n5,6\n7,8\n", false);
  check_round_trip(
      TraceFormat::mooncake,
      R"({"timestamp": 3, "input_length": 1100, "output_length": 52, "hash_ids": [46, 47, 99999999999]})"
      "\n"
      R"({"timestamp": 4, "session_id": "a \"b\", c", "input_length": 300, "output_length": 40})"
      "\n"
      R"({"delay": 2.5, "session_id": "a \"b\", c", "input_length": 300, "output_length": 40})"
      "\n");
  check_round_trip(
      TraceFormat::llmservingsim,
      R"({"input_toks":4,"output_toks":3,"arrival_time_ns":5,"input_tok_ids":[7,7,7,3],"output_tok_ids":[8,8,8]})"
      "\n"
      R"({"arrival_time_ns": 17, "sub_requests": [{"input_toks": 1, "output_toks": 2, "tool_duration_ns": 9},)"
      R"({"input_toks": 3, "output_toks": 4}]})"
      "\n");
  check_round_trip(TraceFormat::sharegpt, R"([{"prompt": "What is it?", "output_tokens": 12}])", false);
}

TEST_CASE("convert: our own CSV comes out as it went in, to the byte") {
  const std::string wide = kWide +
                           "0,100,20,-2,alice,,5:0:100,5:100,120\n,150,30,,alice,0.5,5:0:120 6:7:10:0,,130\n"
                           "0.500000001,40,1,,,,,,0\n12,3,1,,\"x,\"\"y\"\"\",,,9:1:0,4\n";
  const std::string narrow = kHeader + "0,1,2\n0.1,3,4\n1000000.000000001,5,6\n";
  for (const std::string& text : {wide, narrow}) {
    const TemporaryFile in(text);
    convert_trace(in.path(), TraceFormat::ridgepoint, in.beside("out.csv"));
    CHECK(TemporaryFile::read(in.beside("out.csv")) == text);
  }
}

TEST_CASE("convert: with sort any order is put right, in memory or through temporary files") {
  std::mt19937_64 engine(5);
  std::string text = kHeader, sorted = kHeader;
  std::vector<int> order(5000);
  for (int i = 0; i < 5000; ++i) order[static_cast<std::size_t>(i)] = i;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
  for (const int i : order) text += std::to_string(i + 3) + "," + std::to_string(i + 1) + ",1\n";
  for (int i = 0; i < 5000; ++i) sorted += std::to_string(i) + "," + std::to_string(i + 1) + ",1\n";
  const TemporaryFile in(text);
  ConvertOptions options;
  options.reorder_window = 10;
  CHECK_THROWS_AS(convert_trace(in.path(), TraceFormat::ridgepoint, in.beside("out.csv"), options),
                  ConfigError);
  CHECK_FALSE(std::filesystem::exists(in.beside("out.csv")));
  options.sort = true;
  for (const std::size_t memory : {std::size_t{1} << 28, std::size_t{10000}}) {
    options.sort_memory = memory;
    convert_trace(in.path(), TraceFormat::ridgepoint, in.beside("out.csv"), options);
    CHECK(TemporaryFile::read(in.beside("out.csv")) == sorted);
  }
  int files = 0;  // the input and the output: nothing temporary is left
  for ([[maybe_unused]] const auto& f : std::filesystem::directory_iterator(in.path().parent_path())) ++files;
  CHECK(files == 2);
}

TEST_CASE("convert: rows of equal time keep their order when sorted through temporary files") {
  std::string text = kHeader, sorted = kHeader;
  for (int i = 0; i < 2000; ++i) text += std::to_string(1 - i / 1000) + "," + std::to_string(i + 1) + ",1\n";
  for (int i = 0; i < 2000; ++i)
    sorted += std::to_string(i / 1000) + "," + std::to_string((i + 1000) % 2000 + 1) + ",1\n";
  const TemporaryFile in(text);
  ConvertOptions options;
  options.sort = true;
  options.sort_memory = 3000;
  convert_trace(in.path(), TraceFormat::ridgepoint, in.beside("out.csv"), options);
  CHECK(TemporaryFile::read(in.beside("out.csv")) == sorted);
}

TEST_CASE("convert: counts what it read, wrote and dropped") {
  const TemporaryFile in(kHeader + "0,1,1\n1,1,0\n2,1,1\n");
  const TraceCount c = convert_trace(in.path(), TraceFormat::ridgepoint, in.beside("out.csv"));
  CHECK(c.read == 3);
  CHECK(c.accepted == 2);
  REQUIRE(c.dropped.size() == 1);
  CHECK(c.dropped[0].second == 1);
  ConvertOptions keep;
  keep.failed = Trace::Failed::keep;
  CHECK(convert_trace(in.path(), TraceFormat::ridgepoint, in.beside("out.csv"), keep).accepted == 3);
}

TEST_CASE("convert: compressed output is read again by its first bytes, whatever its name") {
  std::string text = kHeader;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + ",10,20\n";
  const TemporaryFile in(text);
  for (const char* name : {"out.csv.gz", "out.csv.zst"}) {
    INFO(name);
    const auto packed = in.beside(name), renamed = in.beside("innocent.csv");
    convert_trace(in.path(), TraceFormat::ridgepoint, packed);
    CHECK(std::filesystem::file_size(packed) < text.size() / 3);
    std::filesystem::copy_file(packed, renamed, std::filesystem::copy_options::overwrite_existing);
    convert_trace(renamed, TraceFormat::ridgepoint, in.beside("plain.csv"));
    CHECK(TemporaryFile::read(in.beside("plain.csv")) == text);
  }
}

TEST_CASE("compressed: data that are damaged or cut short are refused, wherever the cut falls") {
  std::string text = kHeader;
  for (int i = 0; i < 20000; ++i)
    text += std::to_string(i * 7919 % 20011) + ".25," + std::to_string(i) + ",20\n";
  const TemporaryFile in(text);
  ConvertOptions sort;
  sort.sort = true;
  for (const char* name : {"out.csv.gz", "out.csv.zst"}) {
    convert_trace(in.path(), TraceFormat::ridgepoint, in.beside(name), sort);
    const std::string packed = TemporaryFile::read(in.beside(name));
    CHECK(bytes_of(packed) == bytes_of(TemporaryFile::read(in.beside(name))));
    std::vector<std::string> bad;
    for (const std::size_t cut :
         {std::size_t{1}, std::size_t{5}, std::size_t{100}, packed.size() / 2, packed.size() - 20})
      bad.push_back(packed.substr(0, packed.size() - cut));
    bad.push_back(packed);
    if (std::string(name).ends_with(".gz"))  // has a checksum
      bad.back()[packed.size() / 2] ^= 1;
    else  // need not have one: damage that still decodes is not to be seen
      bad.back()[5] = bad.back()[6] = '\xff';
    for (const std::string& b : bad) {
      INFO(name << ": " << b.size() << " of " << packed.size() << " bytes");
      CHECK_THROWS_AS(bytes_of(b), ConfigError);
    }
  }
}

TEST_CASE("compressed: members and frames that follow one another are all read") {
  const TemporaryFile in(kHeader + "0,1,1\n");
  for (const char* name : {"out.csv.gz", "out.csv.zst"}) {
    INFO(name);
    convert_trace(in.path(), TraceFormat::ridgepoint, in.beside(name));
    const std::string packed = TemporaryFile::read(in.beside(name));
    CHECK(bytes_of(packed) == in.text());
    CHECK(bytes_of(packed + packed + packed) == in.text() + in.text() + in.text());
  }
}

TEST_CASE("convert: nothing is left of an output that failed half way") {
  const TemporaryFile in(kHeader + "0,1,1\nx,1,1\n");
  CHECK_THROWS_AS(convert_trace(in.path(), TraceFormat::ridgepoint, in.beside("x.csv")), ConfigError);
  CHECK_FALSE(std::filesystem::exists(in.beside("x.csv")));
  CHECK_FALSE(std::filesystem::exists(in.beside("x.csv.part")));
}

TEST_CASE("convert: an output that cannot be written is refused") {
  const TemporaryFile in(kHeader + "0,1,1\n");
  CHECK_THROWS_AS(convert_trace(in.path(), TraceFormat::ridgepoint, "/nowhere/out.csv"), ConfigError);
}

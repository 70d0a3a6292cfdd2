// From the rows of a trace to requests: order, scale, limits, what is dropped, and the rows held back
// meanwhile.
#include <set>

#include "base/errors.hpp"
#include "support/workload_scenario.hpp"
#include "workload/trace/feed.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using namespace std::chrono_literals;

namespace {

const std::string kHeader = "arrival_s,prompt_tokens,output_tokens\n";

Trace trace_of(const TemporaryFile& file) {
  Trace t;
  t.path = file.path().string();
  return t;
}

std::int64_t dropped(const TraceCount& c, const std::string& reason) {
  for (const auto& [r, n] : c.dropped)
    if (r == reason) return n;
  return 0;
}

bool balanced(const TraceCount& c) {
  std::int64_t sum = c.accepted;
  for (const auto& [r, n] : c.dropped) sum += n;
  return sum == c.read;
}

}  // namespace

TEST_CASE("trace: arrivals are relative to the earliest row and divided by rate_scale") {
  const TemporaryFile file(kHeader + "100,1,1\n99.5,2,1\n101.25,3,1\n");
  Scenario s = replay(TraceFormat::ridgepoint, file.path());
  s.workload.streams[0].trace->rate_scale = 2;
  s.workload.streams[0].start = 10s;
  const auto all = drain(s);
  REQUIRE(all.size() == 3);
  CHECK(all[0].arrival == 10s);
  CHECK(all[0].prompt_tokens == 2);
  CHECK(all[1].arrival == 10'250ms);
  CHECK(all[2].arrival == 10'875ms);
}

TEST_CASE("trace: a dropped first row still is where time begins") {
  const TemporaryFile file(kHeader + "5,9,0\n7,1,1\n");
  CHECK(drain(replay(TraceFormat::ridgepoint, file.path())).at(0).arrival == 2s);
}

TEST_CASE("trace: rows of equal time keep the order of the file") {
  const TemporaryFile file(kHeader + "1,1,1\n1,2,1\n0,3,1\n1,4,1\n0,5,1\n");
  std::vector<int> order;
  for (const Request& r : drain(replay(TraceFormat::ridgepoint, file.path())))
    order.push_back(r.prompt_tokens);
  CHECK(order == std::vector<int>{3, 5, 1, 2, 4});
}

TEST_CASE("trace: rows out of order within the window are sorted, beyond it refused with the remedy") {
  std::string text = kHeader;
  for (int i = 10; i < 20; ++i) text += std::to_string(i) + ",1,1\n";
  const TemporaryFile late(text + "9,1,1\n");
  Trace t = trace_of(late);
  t.reorder_window = 11;
  TraceUnit u;
  TraceFeed good(t, {});
  std::int64_t last = -1;
  while (good.next(u)) {
    CHECK(u.arrival >= last);
    last = u.arrival;
  }
  CHECK(last == 10'000'000'000);
  t.reorder_window = 10;
  TraceFeed bad(t, {});
  const std::string message = message_of<ConfigError>([&] {
    while (bad.next(u)) {
    }
  });
  CHECK(message.find(t.path + ":12:") != std::string::npos);
  CHECK(message.find("ridgepoint trace convert") != std::string::npos);
  CHECK(message.find("--sort") != std::string::npos);
}

TEST_CASE("trace: memory is bounded by the window however long the file") {
  std::string text = kHeader;
  for (int i = 0; i < 300000; ++i) text += std::to_string(i / 2) + (i % 2 == 0 ? ".5" : ".25") + ",1,1\n";
  const TemporaryFile file(text);
  Trace t = trace_of(file);
  t.reorder_window = 1000;
  TraceFeed feed(t, {});
  TraceUnit u;
  std::int64_t rows = 0;
  while (feed.next(u)) ++rows;
  CHECK(rows == 300000);
  CHECK(feed.most_held() == 1000);
}

TEST_CASE("trace: rows heavy with content runs are held back in smaller number") {
  std::string text = "arrival_s,prompt_tokens,output_tokens,prompt\n";
  std::string runs;
  for (int i = 0; i < 20000; ++i) runs += (i > 0 ? " " : "") + std::to_string(i) + ":0:1";
  for (int i = 0; i < 150; ++i) text += std::to_string(i) + ",20000,1," + runs + "\n";
  const TemporaryFile file(text);
  TraceFeed feed(trace_of(file), {});
  TraceUnit u;
  int rows = 0;
  while (feed.next(u)) ++rows;
  CHECK(rows == 150);
  CHECK(feed.most_held() < 110);  // 2^21 runs
}

TEST_CASE("trace: limit counts rows read, dropped ones included") {
  const TemporaryFile file(kHeader + "0,1,1\n1,1,0\n2,1,1\n3,1,1\n");
  Trace t = trace_of(file);
  t.limit = 3;
  TraceFeed feed(t, {});
  TraceUnit u;
  int n = 0;
  while (feed.next(u)) ++n;
  CHECK(n == 2);
  CHECK(feed.count().read == 3);
  CHECK(balanced(feed.count()));
}

TEST_CASE("trace: a row of zero tokens is dropped by reason, or kept with one token [complaint 28]") {
  const TemporaryFile file(kHeader + "0,0,0\n1,5,0\n2,0,5\n3,5,5\n");
  Trace t = trace_of(file);
  TraceUnit u;
  TraceFeed dropping(t, {});
  REQUIRE(dropping.next(u));
  CHECK(u.arrival == 3'000'000'000);
  CHECK_FALSE(dropping.next(u));
  CHECK(dropped(dropping.count(), "failed (no output tokens)") == 2);
  CHECK(dropped(dropping.count(), "no prompt tokens") == 1);
  CHECK(balanced(dropping.count()));
  t.failed = Trace::Failed::keep;
  TraceFeed keeping(t, {});
  int n = 0;
  for (; keeping.next(u); ++n) {
    CHECK(u.first.prompt_tokens >= 1);
    CHECK(u.first.output_tokens >= 1);
  }
  CHECK(n == 4);
}

TEST_CASE("trace: prompts and outputs of one token and equal times are ordinary [complaint 28]") {
  const TemporaryFile file(kHeader + "0,1,1\n0,1,1\n");
  const auto all = drain(replay(TraceFormat::ridgepoint, file.path()));
  REQUIRE(all.size() == 2);
  CHECK(all[0].arrival == all[1].arrival);
  CHECK(all[1].output_tokens == 1);
}

TEST_CASE("trace: overlong rows are dropped, or cut from the prompt first") {
  const TemporaryFile file(kHeader + "0,90,10\n1,91,10\n2,5,200\n");
  Scenario s = replay(TraceFormat::ridgepoint, file.path());
  s.deployments[0].engine.max_model_len = 100;
  auto source = make_request_source(s);
  CHECK(drain(*source).size() == 1);
  CHECK(dropped(source->trace_counts()[0], "overlong") == 2);
  CHECK(balanced(source->trace_counts()[0]));
  s.workload.streams[0].trace->overlong = Trace::Overlong::truncate;
  const auto all = drain(s);
  REQUIRE(all.size() == 3);
  CHECK(all[1].prompt_tokens == 90);
  CHECK(all[1].output_tokens == 10);
  CHECK(all[2].prompt_tokens == 1);
  CHECK(all[2].output_tokens == 99);
}

TEST_CASE("trace: a cut prompt keeps the content of its beginning") {
  const TemporaryFile file("arrival_s,prompt_tokens,output_tokens,prompt\n0,100,10,1:0:50 2:0:50\n");
  Scenario s = replay(TraceFormat::ridgepoint, file.path());
  s.deployments[0].engine.max_model_len = 50;
  s.workload.streams[0].trace->overlong = Trace::Overlong::truncate;
  const Request r = drain(s).at(0);
  CHECK(r.prompt_tokens == 40);
  REQUIRE(r.prompt.size() == 1);
  CHECK(r.prompt[0].count == 40);
  CHECK(r.shared_tokens == 40);
}

TEST_CASE("trace: a session ends at its first turn that is dropped") {
  const TemporaryFile file(
      "arrival_s,prompt_tokens,output_tokens,session,think_s\n"
      "0,10,1,a,\n,10,0,a,1\n,10,1,a,1\n1,10,1,b,\n");
  auto source = make_request_source(replay(TraceFormat::ridgepoint, file.path()));
  CHECK(drain(*source).size() == 2);
  const TraceCount c = source->trace_counts()[0];
  CHECK(c.read == 4);
  CHECK(dropped(c, "failed (no output tokens)") == 1);
  CHECK(dropped(c, "after a dropped turn of the session") == 1);
  CHECK(balanced(c));
}

TEST_CASE("trace: num_requests and duration leave the rest of the rows counted as dropped") {
  const TemporaryFile file(kHeader + "0,1,1\n1,1,1\n2,1,1\n3,1,1\n");
  Scenario s = replay(TraceFormat::ridgepoint, file.path());
  s.workload.streams[0].num_requests = 3;
  auto few = make_request_source(s);
  CHECK(drain(*few).size() == 3);
  CHECK(dropped(few->trace_counts()[0], "beyond num_requests") == 1);
  CHECK(balanced(few->trace_counts()[0]));
  s.workload.streams[0].num_requests = 0;
  s.workload.streams[0].duration = 2s;
  auto early = make_request_source(s);
  CHECK(drain(*early).size() == 2);
  CHECK(dropped(early->trace_counts()[0], "after the stream's duration") == 2);
  CHECK(balanced(early->trace_counts()[0]));
}

TEST_CASE("trace: jitter spreads what came at one time, moves nothing else, and is the same every time") {
  std::string text;
  for (int batch = 0; batch < 3; ++batch)
    for (int i = 0; i < 100; ++i)
      text += R"({"timestamp": )" + std::to_string(batch * 3000) +
              R"(, "input_length": 5, "output_length": 5})" + "\n";
  text += R"({"timestamp": 9000, "input_length": 5, "output_length": 5})";
  const TemporaryFile file(text);
  Scenario s = replay(TraceFormat::mooncake, file.path());
  s.workload.streams[0].trace->jitter = 3s;
  const auto all = drain(s), again = drain(s);
  REQUIRE(all.size() == 301);
  CHECK(all.front().arrival == 0ns);
  CHECK(all.back().arrival == 9s);
  std::set<Nanos> distinct;
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    distinct.insert(all[i].arrival);
    sum += to_seconds(all[i].arrival).v;
    CHECK(all[i].arrival == again[i].arrival);
    if (i > 0) CHECK(all[i].arrival >= all[i - 1].arrival);
  }
  CHECK(distinct.size() == 301);
  CHECK(sum / 301 == Approx(4.5).epsilon(0.05));
}

TEST_CASE("trace: settings of no meaning are refused") {
  const TemporaryFile file(kHeader + "0,1,1\n");
  Trace t = trace_of(file);
  t.rate_scale = 0;
  CHECK_THROWS_AS(TraceFeed(t, {}), ConfigError);
  t = trace_of(file);
  t.reorder_window = 0;
  CHECK_THROWS_AS(TraceFeed(t, {}), ConfigError);
  t = trace_of(file);
  t.chars_per_token = 0;
  CHECK_THROWS_AS(TraceFeed(t, {}), ConfigError);
  Scenario s = replay(TraceFormat::ridgepoint, file.path());
  s.workload.streams[0].session.emplace();
  CHECK_THROWS_AS(make_request_source(s), ConfigError);
}

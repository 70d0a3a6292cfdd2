#include <map>

#include "base/errors.hpp"
#include "support/workload_scenario.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using namespace std::chrono_literals;

namespace {

Stream& add_stream(Scenario& s, const std::string& name) {
  s.workload.streams.push_back(s.workload.streams[0]);
  s.workload.streams.back().name = name;
  return s.workload.streams.back();
}

Scenario constant(double rate, std::int64_t n) {
  Scenario s = one_stream("a");
  s.workload.streams[0].rate = rate;
  s.workload.streams[0].arrival.process = Arrival::Process::constant;
  s.workload.streams[0].num_requests = n;
  return s;
}

}  // namespace

TEST_CASE("source: ids count up in order of arrival, ties by order of streams") {
  Scenario s = constant(1, 5);
  add_stream(s, "b");
  Stream& c = add_stream(s, "c");
  c.rate = 2;
  const auto all = drain(s);
  REQUIRE(all.size() == 15);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].id == static_cast<std::int64_t>(i));
    if (i == 0) continue;
    CHECK(all[i].arrival >= all[i - 1].arrival);
    if (all[i].arrival == all[i - 1].arrival) CHECK(all[i].stream >= all[i - 1].stream);
  }
}

TEST_CASE("source: a stream's draws do not depend on what other streams there are") {
  Scenario s = one_stream("chat");
  Stream& chat = s.workload.streams[0];
  chat.rate = 5;
  chat.num_requests = 200;
  chat.input.type = chat.output.type = Distribution::Type::exponential;
  chat.input.mean = 500;
  chat.output.mean = 50;
  const auto alone = drain(s);
  Scenario both = s;
  Stream other = chat;
  other.name = "other";
  other.rate = 7;
  both.workload.streams.insert(both.workload.streams.begin(), other);
  std::vector<Request> chats;
  for (const Request& r : drain(both))
    if (r.stream == 1) chats.push_back(r);
  REQUIRE(chats.size() == alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    CHECK(chats[i].arrival == alone[i].arrival);
    CHECK(chats[i].prompt_tokens == alone[i].prompt_tokens);
    CHECK(chats[i].output_tokens == alone[i].output_tokens);
  }
}

TEST_CASE("source: another output distribution moves neither arrivals nor prompts") {
  Scenario a = one_stream();
  a.workload.streams[0].rate = 5;
  a.workload.streams[0].num_requests = 100;
  a.workload.streams[0].input.type = Distribution::Type::exponential;
  a.workload.streams[0].input.mean = 500;
  Scenario b = a;
  b.workload.streams[0].output.type = Distribution::Type::normal;
  b.workload.streams[0].output.mean = 500;
  b.workload.streams[0].output.std_dev = 100;
  const auto x = drain(a), y = drain(b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(x[i].arrival == y[i].arrival);
    CHECK(x[i].prompt_tokens == y[i].prompt_tokens);
  }
}

TEST_CASE("source: duration ends a stream, start shifts it") {
  Scenario s = constant(10, 0);
  s.workload.streams[0].start = 5s;
  s.workload.streams[0].duration = 2s;
  const auto all = drain(s);
  REQUIRE(all.size() == 20);
  CHECK(all.front().arrival == 5s);
  CHECK(all.back().arrival == 6'900ms);
}

TEST_CASE("source: expected_requests counts down where every stream has a number") {
  Scenario s = constant(1, 3);
  auto source = make_request_source(s);
  CHECK(source->expected_requests() == 3);
  source->pop();
  CHECK(source->expected_requests() == 2);
  add_stream(s, "b").num_requests = 0;
  s.workload.streams.back().duration = 10s;
  CHECK_FALSE(make_request_source(s)->expected_requests().has_value());
}

TEST_CASE("source: no streams, no requests") {
  Scenario s = one_stream();
  s.workload.streams.clear();
  CHECK(drain(s).empty());
}

TEST_CASE("source: streams that cannot be run are refused by key") {
  const auto refused = [](const Scenario& s) {
    return message_of<ConfigError>([&] { make_request_source(s); }).starts_with("workload.streams.0");
  };
  Scenario endless = constant(1, 0);
  CHECK(refused(endless));
  endless.run.until = 10s;
  CHECK_FALSE(refused(endless));
  Scenario nothing = one_stream();
  nothing.workload.streams[0].num_requests = 1;
  CHECK(refused(nothing));
  Scenario both = constant(1, 1);
  both.workload.streams[0].concurrency = 1;
  CHECK(refused(both));
  Scenario zero = constant(0, 1);
  CHECK(refused(zero));
  Scenario nobody = one_stream();
  nobody.workload.streams[0].num_requests = 1;
  nobody.workload.streams[0].concurrency = 0;
  CHECK(refused(nobody));
}

TEST_CASE("closed loop: any concurrency is legal, and each user waits for its answer") {
  for (const int users : {1, 3, 256}) {
    Scenario s = one_stream();
    s.workload.streams[0].concurrency = users;
    s.workload.streams[0].num_requests = 1000;
    const auto all = drain(s, 1s);
    REQUIRE(all.size() == 1000);
    for (std::size_t i = 0; i < all.size(); ++i)
      CHECK(all[i].arrival == static_cast<std::int64_t>(i / static_cast<std::size_t>(users)) * 1s);
  }
}

TEST_CASE("closed loop: fewer requests than users is no deadlock") {
  Scenario s = one_stream();
  s.workload.streams[0].concurrency = 64;
  s.workload.streams[0].num_requests = 5;
  CHECK(drain(s).size() == 5);
}

TEST_CASE("closed loop: no request comes after the stream's duration") {
  Scenario s = one_stream();
  s.workload.streams[0].concurrency = 2;
  s.workload.streams[0].duration = 10s;
  const auto all = drain(s, 3s);
  CHECK(all.size() == 8);  // 0, 3, 6 and 9 s
  CHECK(all.back().arrival == 9s);
}

TEST_CASE("closed loop: an endless one whose requests all end at once is reported, not looped") {
  Scenario s = one_stream();
  s.workload.streams[0].concurrency = 1;
  s.workload.streams[0].duration = 10s;
  CHECK_THROWS_AS(drain(s, 0s), SimulationError);
}

TEST_CASE("closed loop: a think time separates an answer from the user's next request") {
  Scenario s = one_stream();
  Stream& stream = s.workload.streams[0];
  stream.concurrency = 1;
  stream.num_requests = 4;
  stream.session.emplace();
  stream.session->turns = fixed(1);
  stream.session->think_time = fixed(2);
  const auto all = drain(s, 1s);
  REQUIRE(all.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(all[i].arrival == static_cast<std::int64_t>(i) * 3s);
}

TEST_CASE("source: output_stop decides between the length and the model's limit as max_tokens") {
  Scenario s = constant(1, 1);
  s.deployments[0].engine.max_model_len = 1000;
  CHECK(drain(s)[0].max_tokens == 10);
  s.workload.streams[0].output_stop = OutputStop::eos;
  CHECK(drain(s)[0].max_tokens == 900);
  CHECK(drain(s)[0].output_tokens == 10);
  s.workload.streams[0].output = fixed(5000);  // EOS would come after the limit
  CHECK(drain(s)[0].output_tokens == 900);
  s.workload.streams[0].input = fixed(2000);  // no room at all: left as it is, for the engine to refuse
  CHECK(drain(s)[0].output_tokens == 5000);
}

TEST_CASE("source: requests have the priority of their SLO class and at least one token either way") {
  Scenario s = constant(1, 1);
  s.workload.slo_classes = {{"gold", {}, {}, {}, 3}};
  s.workload.streams[0].slo_class = 0;
  s.workload.streams[0].input = s.workload.streams[0].output = fixed(0);
  const Request r = drain(s)[0];
  CHECK(r.priority == 3);
  CHECK(r.prompt_tokens == 1);
  CHECK(r.output_tokens == 1);
}

TEST_CASE("source: content nobody else has is not described") {
  const Request r = drain(constant(1, 1))[0];
  CHECK(r.prompt.empty());
  CHECK(r.shared_tokens == 0);
  CHECK(r.output.content == 0);
  CHECK(r.session == 0);
}

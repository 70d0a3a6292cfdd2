// Invariants of the request source over random workloads and random completion times.
#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <set>

#include "base/random.hpp"
#include "support/workload_scenario.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

using Type = Distribution::Type;

Distribution some_lengths(RandomStream& r) {
  Distribution d;
  constexpr std::array types{Type::fixed,     Type::uniform,     Type::normal,
                             Type::lognormal, Type::exponential, Type::zipf};
  d.type = types[r.below(types.size())];
  d.value = static_cast<double>(1 + r.below(200));
  d.mean = 1 + 200 * r.uniform();
  d.std_dev = 100 * r.uniform();
  d.min = 1;
  d.max = 500;
  return d;
}

Stream some_stream(RandomStream& r, int index) {
  Stream s;
  s.name = "s" + std::to_string(index);
  s.num_requests = static_cast<std::int64_t>(1 + r.below(150));
  s.input = some_lengths(r);
  s.output = some_lengths(r);
  s.start = Nanos{static_cast<std::int64_t>(r.below(3)) * 1'000'000'000};
  if (r.below(2) == 0) {
    s.concurrency = static_cast<int>(1 + r.below(9));
  } else {
    s.rate = 0.5 + 10 * r.uniform();
    constexpr std::array processes{Arrival::Process::constant, Arrival::Process::poisson,
                                   Arrival::Process::gamma, Arrival::Process::weibull,
                                   Arrival::Process::burst};
    s.arrival.process = processes[r.below(processes.size())];
    s.arrival.cv = 0.3 + 2 * r.uniform();
    s.arrival.burst_size = static_cast<int>(1 + r.below(5));
    if (r.below(3) == 0)
      s.rate_profile = {RateProfile::Type::diurnal, {}, Nanos{20'000'000'000}, Nanos{0}, 4};
  }
  if (r.below(2) == 0) {
    s.session.emplace();
    s.session->turns.type = Type::geometric;
    s.session->turns.mean = 1 + 4 * r.uniform();
    s.session->think_time.type = Type::exponential;
    s.session->think_time.mean = 0.1 + r.uniform();
    if (r.below(3) == 0) s.session->context_growth = Session::Growth::none;
  }
  if (r.below(2) == 0) s.prefix_group = 0;
  return s;
}

Scenario some_workload(std::uint64_t seed) {
  RandomStream r(seed);
  Scenario s = one_stream();
  s.seed = seed;
  s.workload.streams.clear();
  PrefixGroup g;
  g.name = "g";
  g.count = static_cast<int>(1 + r.below(5));
  g.length = some_lengths(r);
  g.popularity.type = Type::zipf;
  s.workload.prefix_groups.push_back(g);
  const int n = static_cast<int>(1 + r.below(4));
  for (int i = 0; i < n; ++i) s.workload.streams.push_back(some_stream(r, i));
  return s;
}

/// What a run with random service times sees.
struct Run {
  std::vector<Request> all;
  std::map<std::uint16_t, std::size_t> most_open;  ///< by stream
};

/// Requests end in an order of their own.
Run run(const Scenario& s, std::uint64_t service_seed, double mean_service) {
  RandomStream service(service_seed);
  auto source = make_request_source(s);
  using End = std::pair<Nanos, std::int64_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::map<std::uint16_t, std::size_t> open;
  Run out;
  Nanos now{0};
  while (true) {
    const Nanos next = source->next_arrival();
    const Nanos end = ends.empty() ? kNever : ends.top().first;
    if (next == kNever && end == kNever) return out;
    REQUIRE(std::min(next, end) >= now);  // neither an arrival nor a completion lies in the past
    now = std::min(next, end);
    if (end <= next) {
      const std::int64_t id = ends.top().second;
      ends.pop();
      --open[out.all[static_cast<std::size_t>(id)].stream];
      source->on_finish(id, now);
      continue;
    }
    out.all.push_back(source->pop());
    const Request& r = out.all.back();
    REQUIRE(r.arrival == now);
    REQUIRE(r.id == static_cast<std::int64_t>(out.all.size()) - 1);
    auto& n = open[r.stream];
    out.most_open[r.stream] = std::max(out.most_open[r.stream], ++n);
    ends.emplace(now + to_nanos(Seconds{mean_service * service.exponential()}), r.id);
  }
}

void check_content(const Request& r) {
  std::int64_t covered = 0;
  for (const TokenRun& run : r.prompt) covered += run.count;
  REQUIRE((r.prompt.empty() || covered == r.prompt_tokens));
  REQUIRE(r.prompt_tokens >= 1);
  REQUIRE(r.output_tokens >= 1);
  REQUIRE(r.shared_tokens >= 0);
  REQUIRE(r.shared_tokens <= r.prompt_tokens + r.output_tokens);
  if (r.output.content != 0) REQUIRE(r.output.count == static_cast<std::uint32_t>(r.output_tokens));
}

/// Tokens as pairs, prompt then output; content of this request alone is left as 0.
std::vector<std::pair<std::uint64_t, std::uint32_t>> tokens(const Request& r) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
  const auto add = [&](const TokenRun& run) {
    for (std::uint32_t i = 0; i < run.count; ++i)
      all.emplace_back(run.content >= kUniqueContent ? 0 : run.content, run.offset + i * run.stride);
  };
  for (const TokenRun& run : r.prompt) add(run);
  all.resize(static_cast<std::size_t>(r.prompt_tokens));
  if (r.output.content != 0) add(r.output);
  all.resize(static_cast<std::size_t>(r.prompt_tokens + r.output_tokens));
  return all;
}

}  // namespace

TEST_CASE("property: arrivals rise, ids count them, counts and concurrency are kept") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    const Scenario s = some_workload(seed);
    const Run r = run(s, seed * 77, 0.4);
    std::map<std::uint16_t, std::int64_t> issued;
    for (const Request& q : r.all) {
      check_content(q);
      ++issued[q.stream];
    }
    for (std::uint16_t i = 0; i < s.workload.streams.size(); ++i) {
      const Stream& stream = s.workload.streams[i];
      CHECK(issued[i] == stream.num_requests);
      if (stream.concurrency) CHECK(r.most_open.at(i) <= static_cast<std::size_t>(*stream.concurrency));
    }
  }
}

TEST_CASE("property: the same workload and the same completions give the same requests") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Scenario s = some_workload(seed);
    const Run a = run(s, 5, 0.4), b = run(s, 5, 0.4);
    REQUIRE(a.all.size() == b.all.size());
    for (std::size_t i = 0; i < a.all.size(); ++i) {
      REQUIRE(a.all[i].arrival == b.all[i].arrival);
      REQUIRE(tokens(a.all[i]) == tokens(b.all[i]));
    }
  }
}

TEST_CASE("property: what open loops and closed loops ask for does not depend on how they are served") {
  // Of a stream without sessions, request k is the same whatever the completions were.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Scenario s = some_workload(seed);
    for (Stream& stream : s.workload.streams) stream.session.reset();
    const auto lengths = [](const Run& r) {
      std::map<std::uint16_t, std::vector<std::pair<int, int>>> m;
      for (const Request& q : r.all) m[q.stream].emplace_back(q.prompt_tokens, q.output_tokens);
      return m;
    };
    CHECK(lengths(run(s, 1, 0.01)) == lengths(run(s, 2, 3.0)));
  }
}

TEST_CASE("property: only the leading shared tokens of a request are found in another") {
  std::size_t shared_seen = 0;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    INFO("seed " << seed);
    const Run r = run(some_workload(seed), seed, 0.4);
    std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> of;
    std::map<std::pair<std::uint64_t, std::uint32_t>, int> holders;
    for (const Request& q : r.all) {
      of.push_back(tokens(q));
      const std::set<std::pair<std::uint64_t, std::uint32_t>> distinct(of.back().begin(), of.back().end());
      for (const auto& t : distinct)
        if (t.first != 0) ++holders[t];
    }
    for (const Request& q : r.all) {
      const auto& t = of[static_cast<std::size_t>(q.id)];
      for (std::size_t i = static_cast<std::size_t>(q.shared_tokens); i < t.size(); ++i)
        REQUIRE((t[i].first == 0 || holders[t[i]] == 1));
      for (std::size_t i = 0; i < static_cast<std::size_t>(q.shared_tokens); ++i)
        if (holders[t[i]] > 1) ++shared_seen;
    }
  }
  CHECK(shared_seen > 1000);
}

#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "support/workload_scenario.hpp"
#include "workload/arrival.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using Process = Arrival::Process;
using namespace std::chrono_literals;

namespace {

struct Gaps {
  double mean = 0, cv = 0;
};

Gaps gaps_of(const std::vector<Request>& all) {
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double g = to_seconds(all[i].arrival - all[i - 1].arrival).v;
    sum += g;
    squares += g * g;
  }
  const auto n = static_cast<double>(all.size() - 1);
  return {sum / n, std::sqrt(squares / n - sum * sum / n / n) / (sum / n)};
}

Scenario open_loop(Process process, double rate, std::int64_t n) {
  Scenario s = one_stream();
  s.workload.streams[0].rate = rate;
  s.workload.streams[0].arrival.process = process;
  s.workload.streams[0].num_requests = n;
  return s;
}

std::map<std::int64_t, int> per_second(const std::vector<Request>& all) {
  std::map<std::int64_t, int> counts;
  for (const Request& r : all) ++counts[r.arrival / 1s];
  return counts;
}

}  // namespace

TEST_CASE("arrivals: constant comes at equal spacing, without drift") {
  const auto all = drain(open_loop(Process::constant, 3, 3001));
  CHECK(all[0].arrival == 0ns);
  CHECK(all[1].arrival == 333333333ns);
  CHECK(all[3000].arrival == 1000s);
}

TEST_CASE("arrivals: bursts of equal size come at constant spacing") {
  Scenario s = open_loop(Process::burst, 2, 12);
  s.workload.streams[0].arrival.burst_size = 4;
  const auto all = drain(s);
  REQUIRE(all.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(all[i].arrival == static_cast<std::int64_t>(i / 4) * 2s);
}

TEST_CASE("arrivals: poisson has rate and cv 1") {
  const Gaps g = gaps_of(drain(open_loop(Process::poisson, 50, 100000)));
  CHECK(g.mean == Approx(0.02).epsilon(0.01));
  CHECK(g.cv == Approx(1).epsilon(0.02));
}

TEST_CASE("arrivals: gamma and weibull have the rate and the cv asked for") {
  for (const Process p : {Process::gamma, Process::weibull})
    for (const double cv : {0.25, 1.0, 2.5}) {
      INFO("cv " << cv);
      Scenario s = open_loop(p, 10, 200000);
      s.workload.streams[0].arrival.cv = cv;
      const Gaps g = gaps_of(drain(s));
      CHECK(g.mean == Approx(0.1).epsilon(0.02));
      CHECK(g.cv == Approx(cv).epsilon(0.05));
    }
}

TEST_CASE("arrivals: the weibull shape solves for its coefficient of variation") {
  CHECK(weibull_shape(1) == Approx(1));                               // the exponential
  CHECK(weibull_shape(std::sqrt(5.0)) == Approx(0.5).epsilon(1e-9));  // G(5)/G(3)^2 - 1 = 24/4 - 1
  CHECK(weibull_shape(std::sqrt(4 / std::acos(-1.0) - 1)) == Approx(2).epsilon(1e-9));  // Rayleigh
}

TEST_CASE("arrivals: a cv or a burst of no process is refused") {
  Scenario s = open_loop(Process::gamma, 1, 1);
  s.workload.streams[0].arrival.cv = 0;
  CHECK_THROWS_AS(drain(s), ConfigError);
  s.workload.streams[0].arrival = {Process::burst, 1, 0};
  CHECK_THROWS_AS(drain(s), ConfigError);
}

TEST_CASE("rate profile: steps change the rate exactly where they say, silences included") {
  Scenario s = open_loop(Process::constant, 1, 0);
  Stream& stream = s.workload.streams[0];
  stream.rate.reset();
  stream.rate_profile.type = RateProfile::Type::steps;
  stream.rate_profile.steps = {{0s, 2}, {10s, 0}, {20s, 5}, {30s, 0}};
  stream.start = 100s;
  stream.duration = 1000s;
  const auto all = drain(s);
  REQUIRE(all.size() == 70);
  CHECK(all[0].arrival == 100s);
  CHECK(all[19].arrival == 109'500ms);
  CHECK(all[20].arrival == 120s);
  CHECK(all[69].arrival == 129'800ms);
}

TEST_CASE("rate profile: a poisson process under steps has each step's rate") {
  Scenario s = open_loop(Process::poisson, 1, 0);
  Stream& stream = s.workload.streams[0];
  stream.rate_profile.type = RateProfile::Type::steps;
  stream.rate_profile.steps = {{0s, 100}, {100s, 400}};
  stream.duration = 200s;
  const auto all = drain(s);
  const auto early = std::count_if(all.begin(), all.end(), [](const Request& r) { return r.arrival < 100s; });
  CHECK(static_cast<double>(early) == Approx(10000).epsilon(0.05));
  CHECK(static_cast<double>(all.size()) - static_cast<double>(early) == Approx(40000).epsilon(0.03));
}

TEST_CASE("rate profile: diurnal keeps the mean rate over a period, its peak and its ratio") {
  Scenario s = open_loop(Process::constant, 100, 0);
  Stream& stream = s.workload.streams[0];
  stream.rate_profile = {RateProfile::Type::diurnal, {}, 1000s, 300s, 3};
  stream.duration = 2000s;
  const auto all = drain(s);
  CHECK(all.size() == 200000);
  auto counts = per_second(all);
  CHECK(counts[300] == Approx(150).margin(1));  // 1 + a, a = (3-1)/(3+1)
  CHECK(counts[800] == Approx(50).margin(1));   // 1 - a, half a period later
  CHECK(counts[1300] == Approx(150).margin(1));
  CHECK(counts[550] == Approx(100).margin(1));
}

TEST_CASE("rate profile: the diurnal day is the simulation's, also for a stream that starts late") {
  Scenario s = open_loop(Process::constant, 100, 0);
  Stream& stream = s.workload.streams[0];
  stream.rate_profile = {RateProfile::Type::diurnal, {}, 1000s, 300s, 3};
  stream.start = 250s;
  stream.duration = 100s;
  auto counts = per_second(drain(s));
  CHECK(counts.begin()->first == 250);
  CHECK(counts[300] == Approx(150).margin(1));
}

TEST_CASE("rate profile: steps that make no process are refused") {
  Scenario s = open_loop(Process::constant, 1, 5);
  RateProfile& p = s.workload.streams[0].rate_profile;
  p.type = RateProfile::Type::steps;
  for (const auto& steps : std::vector<std::vector<RateProfile::Step>>{
           {}, {{1s, 1}}, {{0s, 0}}, {{0s, 1}, {0s, 2}}, {{0s, -1}}}) {
    p.steps = steps;
    CHECK_THROWS_AS(drain(s), ConfigError);
  }
}

TEST_CASE("rate profile: a stream whose rate falls to 0 for good ends") {
  Scenario s = open_loop(Process::constant, 1, 100);
  RateProfile& p = s.workload.streams[0].rate_profile;
  p.type = RateProfile::Type::steps;
  p.steps = {{0s, 1}, {10s, 0}};
  CHECK(drain(s).size() == 10);
}

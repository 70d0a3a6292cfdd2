// Percentiles and moments against hand calculations.
#include "analysis/statistics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "base/random.hpp"

using namespace ridgepoint;
using namespace ridgepoint::analysis;

TEST_CASE("statistics: percentiles interpolate linearly between ranks, the deviation is the population's") {
  std::vector<double> v{0.004, 0.001, 0.003, 0.002};
  const Statistics s = statistics_of(v);
  CHECK(s.count == 4);
  CHECK(s.mean == Approx(2.5));
  CHECK(s.std == Approx(std::sqrt(1.25)));  // ((1.5^2 + 0.5^2) * 2) / 4
  CHECK(s.median == Approx(2.5));
  CHECK(s.p90 == Approx(3.7));  // rank 0.9 * 3 = 2.7
  CHECK(s.p95 == Approx(3.85));
  CHECK(s.p99 == Approx(3.97));
  CHECK(s.max == Approx(4));
}

TEST_CASE("statistics: one value is every percentile of itself, none are all zero") {
  std::vector<double> one{0.007};
  const Statistics s = statistics_of(one);
  for (const double p : {s.mean, s.median, s.p90, s.p95, s.p99, s.max}) CHECK(p == Approx(7));
  CHECK(s.std == 0);
  CHECK(statistics_of({}).count == 0);
}

TEST_CASE("statistics: selection agrees with sorting, ties included") {
  RandomStream random = RandomRoot(5).stream("statistics");
  for (int round = 0; round < 200; ++round) {
    std::vector<double> v(1 + random.below(500));
    for (double& x : v) x = round % 2 == 0 ? random.exponential() : static_cast<double>(random.below(10));
    std::vector<double> sorted = v;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) {
      const double rank = share * static_cast<double>(sorted.size() - 1);
      const auto i = static_cast<std::size_t>(rank);
      const double next = sorted[std::min(i + 1, sorted.size() - 1)];
      return 1e3 * (sorted[i] + (next - sorted[i]) * (rank - static_cast<double>(i)));
    };
    const Statistics s = statistics_of(v);
    REQUIRE(s.median == Approx(at(0.5)).epsilon(1e-12));
    REQUIRE(s.p90 == Approx(at(0.9)).epsilon(1e-12));
    REQUIRE(s.p95 == Approx(at(0.95)).epsilon(1e-12));
    REQUIRE(s.p99 == Approx(at(0.99)).epsilon(1e-12));
  }
}

TEST_CASE("statistics: from bins they are within a bin's width of the exact ones") {
  RandomStream random = RandomRoot(6).stream("bins");
  std::vector<double> values, lower, upper, counts(400, 0);
  for (int i = 0; i < 400; ++i) {  // bins that widen by 1/16
    lower.push_back(0.001 * std::pow(17.0 / 16, i));
    upper.push_back(0.001 * std::pow(17.0 / 16, i + 1));
  }
  for (int i = 0; i < 5000; ++i) {
    const double v = 0.002 + 0.05 * random.exponential();
    values.push_back(v);
    ++counts[static_cast<std::size_t>(std::upper_bound(lower.begin(), lower.end(), v) - lower.begin() - 1)];
  }
  const Statistics bins = statistics_of_bins(lower, upper, counts), exact = statistics_of(values);
  CHECK(bins.count == 5000);
  CHECK(bins.mean == Approx(exact.mean).epsilon(0.01));
  CHECK(bins.std == Approx(exact.std).epsilon(0.02));
  for (const auto p :
       {&Statistics::median, &Statistics::p90, &Statistics::p95, &Statistics::p99, &Statistics::max})
    CHECK(bins.*p == Approx(exact.*p).epsilon(1.0 / 16));
}

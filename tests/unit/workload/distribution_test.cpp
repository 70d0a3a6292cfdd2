#include <cmath>

#include "base/errors.hpp"
#include "support/workload_scenario.hpp"
#include "workload/distribution.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using Type = Distribution::Type;

namespace {

struct Moments {
  double mean = 0, std_dev = 0, lowest = 1e300, highest = -1e300;
};

template <class F>
Moments moments(F draw, int n = 200000) {
  RandomStream random(7);
  double sum = 0, squares = 0;
  Moments m;
  for (int i = 0; i < n; ++i) {
    const double x = draw(random);
    sum += x;
    squares += x * x;
    m.lowest = std::min(m.lowest, x);
    m.highest = std::max(m.highest, x);
  }
  m.mean = sum / n;
  m.std_dev = std::sqrt(squares / n - m.mean * m.mean);
  return m;
}

Moments drawn(const Distribution& d) {
  const Sampler s(d, "d");
  return moments([&](RandomStream& r) { return s.draw(r); });
}

Moments counted(const Distribution& d) {
  const Sampler s(d, "d");
  return moments([&](RandomStream& r) { return static_cast<double>(s.count(r)); });
}

Distribution of(Type type, double mean, double std_dev = 0, double min = 0, double max = 0) {
  Distribution d;
  d.type = type;
  d.mean = mean;
  d.std_dev = std_dev;
  d.min = min;
  d.max = max;
  return d;
}

}  // namespace

TEST_CASE("distribution: fixed gives its value") {
  CHECK(drawn(fixed(12.5)).mean == 12.5);
  CHECK(counted(fixed(12)).std_dev == 0);
}

TEST_CASE("distribution: uniform over whole numbers gives each the same weight") {
  const Moments m = counted(of(Type::uniform, 0, 0, 3, 7));
  CHECK(m.lowest == 3);
  CHECK(m.highest == 7);
  CHECK(m.mean == Approx(5).epsilon(0.01));
  CHECK(m.std_dev == Approx(std::sqrt(2.0)).epsilon(0.01));  // (5^2 - 1)/12
}

TEST_CASE("distribution: uniform over reals has the closed form's moments") {
  const Moments m = drawn(of(Type::uniform, 0, 0, 2, 8));
  CHECK(m.mean == Approx(5).epsilon(0.01));
  CHECK(m.std_dev == Approx(6 / std::sqrt(12.0)).epsilon(0.01));
}

TEST_CASE("distribution: normal has its mean and deviation, and is clamped, not drawn again") {
  const Moments m = drawn(of(Type::normal, 1000, 100));
  CHECK(m.mean == Approx(1000).epsilon(0.005));
  CHECK(m.std_dev == Approx(100).epsilon(0.02));
  const Moments clamped = drawn(of(Type::normal, 0, 1));  // half of the draws are negative, so half are 0
  CHECK(clamped.lowest == 0);
  CHECK(clamped.mean == Approx(1 / std::sqrt(2 * std::acos(-1.0))).epsilon(0.02));
}

TEST_CASE("distribution: lognormal's mean and deviation are the variable's own") {
  const Moments m = drawn(of(Type::lognormal, 1155, 1109));
  CHECK(m.mean == Approx(1155).epsilon(0.015));
  CHECK(m.std_dev == Approx(1109).epsilon(0.05));
}

TEST_CASE("distribution: exponential and geometric have the closed forms' moments") {
  const Moments e = drawn(of(Type::exponential, 4));
  CHECK(e.mean == Approx(4).epsilon(0.015));
  CHECK(e.std_dev == Approx(4).epsilon(0.02));
  const Moments g = counted(of(Type::geometric, 4));
  CHECK(g.lowest == 1);
  CHECK(g.mean == Approx(4).epsilon(0.015));
  CHECK(g.std_dev == Approx(std::sqrt(12.0)).epsilon(0.02));  // (1-p)/p^2 with p = 1/4
  CHECK(counted(of(Type::geometric, 1)).highest == 1);
}

TEST_CASE("distribution: zipf gives k a weight of k^-alpha") {
  for (const double alpha : {0.0, 0.7, 1.0, 2.0}) {
    INFO("alpha " << alpha);
    Distribution d = of(Type::zipf, 0, 0, 1, 20);
    d.alpha = alpha;
    const Sampler s(d, "d");
    std::vector<double> seen(21);
    RandomStream random(3);
    const int n = 200000;
    for (int i = 0; i < n; ++i) seen.at(static_cast<std::size_t>(s.count(random))) += 1.0 / n;
    double sum = 0;
    for (int k = 1; k <= 20; ++k) sum += std::pow(k, -alpha);
    CHECK(seen[0] == 0);
    for (const int k : {1, 2, 5, 20}) {
      const double p = std::pow(k, -alpha) / sum;
      CHECK(seen[static_cast<std::size_t>(k)] == Approx(p).margin(5 * std::sqrt(p / n)));
    }
  }
}

TEST_CASE("distribution: zipf keeps to a range that does not begin at 1") {
  Distribution d = of(Type::zipf, 0, 0, 10, 12);
  const Moments m = counted(d);
  CHECK(m.lowest == 10);
  CHECK(m.highest == 12);
  const double sum = 1.0 / 10 + 1.0 / 11 + 1.0 / 12;
  CHECK(m.mean == Approx(3 / sum).epsilon(0.005));
}

TEST_CASE("distribution: empirical draws the file's values by their weights") {
  const TemporaryFile file("tokens,weight\n10,1\n20,3\n40,0\n");
  Distribution d = of(Type::empirical, 0);
  d.file = file.path().string();
  const Moments m = counted(d);
  CHECK(m.lowest == 10);
  CHECK(m.highest == 20);
  CHECK(m.mean == Approx(17.5).epsilon(0.01));
}

TEST_CASE("distribution: an empirical file may have values alone, no header and CRLF ends") {
  const TemporaryFile file("1\r\n2\r\n3\r\n");
  Distribution d = of(Type::empirical, 0);
  d.file = file.path().string();
  CHECK(counted(d).mean == Approx(2).epsilon(0.01));
}

TEST_CASE("distribution: a bad empirical file is refused with its line") {
  Distribution d = of(Type::empirical, 0);
  for (const char* text : {"v\n1\nx\n", "v\n1\n-3\n", "v,w\n1,1\n2,-1\n", "1\n2\nnan\n", "1\n2\ninf\n"}) {
    const TemporaryFile file(text);
    d.file = file.path().string();
    CHECK(message_of<ConfigError>([&] { Sampler(d, "d"); }).find(":3:") != std::string::npos);
  }
  for (const char* text : {"1e18\n", "p50,1\n", "inf\n1\n", "nan,1\n", "1O0\n200\n", "-3\n"}) {
    const TemporaryFile file(text);
    d.file = file.path().string();
    INFO(text);
    CHECK(message_of<ConfigError>([&] { Sampler(d, "d"); }).find(":1:1: not a value") != std::string::npos);
  }
  const TemporaryFile empty("");
  d.file = empty.path().string();
  CHECK_THROWS_AS(Sampler(d, "d"), ConfigError);
  d.file = "/nowhere/at/all.csv";
  CHECK_THROWS_AS(Sampler(d, "d"), ConfigError);
}

TEST_CASE("distribution: draws are clamped and counts rounded to the nearest within the range") {
  const Moments m = counted(of(Type::lognormal, 100, 300, 8, 64));
  CHECK(m.lowest == 8);
  CHECK(m.highest == 64);
  CHECK(counted(fixed(2.6)).mean == 3);
}

TEST_CASE("distribution: parameters of no distribution are refused by key") {
  for (const Distribution& d :
       {of(Type::lognormal, 0), of(Type::exponential, 0), of(Type::geometric, 0.5), of(Type::zipf, 0),
        of(Type::uniform, 0), of(Type::normal, 1, -1), of(Type::fixed, 0, 0, 5, 2), of(Type::empirical, 0)})
    CHECK(message_of<ConfigError>([&] { Sampler(d, "a.b.c"); }).find("a.b.c: ") == 0);
}

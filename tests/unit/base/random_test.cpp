#include "base/random.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace ridgepoint;

namespace {
template <class Draw>
std::pair<double, double> moments(Draw draw, int n = 200'000) {
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / n;
  return {mean, squares / n - mean * mean};
}
}  // namespace

TEST_CASE("random: a stream is a function of seed and name alone") {
  const RandomRoot root(42);
  auto a = root.stream("arrivals/chat");
  auto other = root.stream("lengths/chat");
  other.next();
  auto b = root.stream("arrivals/chat");
  const std::uint64_t first = a.next();
  CHECK(first == b.next());
  CHECK(first != RandomRoot(43).stream("arrivals/chat").next());
  CHECK(first != root.stream("arrivals/chas").next());
}

TEST_CASE("random: moments match the closed forms within sampling error") {
  RandomStream r(7);
  const auto [nm, nv] = moments([&] { return r.normal(); });
  CHECK(nm == Approx(0).margin(0.01));
  CHECK(nv == Approx(1).epsilon(0.02));
  const auto [em, ev] = moments([&] { return r.exponential(); });
  CHECK(em == Approx(1).epsilon(0.01));
  CHECK(ev == Approx(1).epsilon(0.03));
  for (const double shape : {0.25, 1.0, 4.0}) {
    const auto [gm, gv] = moments([&] { return r.gamma(shape); });
    CHECK(gm == Approx(shape).epsilon(0.02));
    CHECK(gv == Approx(shape).epsilon(0.04));
  }
  const auto [wm, wv] = moments([&] { return r.weibull(2.0); });
  CHECK(wm == Approx(std::tgamma(1.5)).epsilon(0.01));
  CHECK(wv == Approx(1.0 - std::pow(std::tgamma(1.5), 2)).epsilon(0.03));
}

TEST_CASE("random: below(n) reaches every value and stays below n") {
  RandomStream r(1);
  int seen[7] = {};
  for (int i = 0; i < 7000; ++i) ++seen[r.below(7)];
  for (const int count : seen) CHECK(count > 800);
}

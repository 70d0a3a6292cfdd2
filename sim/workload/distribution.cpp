#include "workload/distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "workload/empirical.hpp"

namespace ridgepoint {
namespace {

using State = Sampler::State;
using Type = Distribution::Type;

[[noreturn]] void refuse(const std::string& key, std::string what, std::string remedy) {
  throw ConfigError({Problem{"", 0, 0, key, std::move(what), std::move(remedy)}});
}

void require(bool good, const std::string& key, const char* what, const char* remedy) {
  if (!good) refuse(key, what, remedy);
}

void prepare_fixed(State& s, const std::string& key) {
  require(s.d.value >= 0, key, "value is negative", "give a value of 0 or more");
}
double draw_fixed(const State& s, RandomStream&) { return s.d.value; }

void prepare_uniform(State& s, const std::string& key) {
  require(s.d.max > 0, key, "uniform without an upper end", "give max");
}
double draw_uniform(const State& s, RandomStream& r) { return s.d.min + (s.d.max - s.d.min) * r.uniform(); }

void prepare_normal(State& s, const std::string& key) {
  require(s.d.std_dev >= 0, key, "std_dev is negative", "give a std_dev of 0 or more");
}
double draw_normal(const State& s, RandomStream& r) { return s.d.mean + s.d.std_dev * r.normal(); }

// With cv = std_dev/mean of the variable: sigma^2 = ln(1 + cv^2), mu = ln(mean) - sigma^2/2.
void prepare_lognormal(State& s, const std::string& key) {
  require(s.d.mean > 0, key, "lognormal needs a mean above 0", "give the mean of the variable itself");
  require(s.d.std_dev >= 0, key, "std_dev is negative", "give a std_dev of 0 or more");
  const double cv = s.d.std_dev / s.d.mean;
  const double variance = std::log1p(cv * cv);
  s.a = std::log(s.d.mean) - variance / 2;
  s.b = std::sqrt(variance);
}
double draw_lognormal(const State& s, RandomStream& r) { return r.lognormal(s.a, s.b); }

void prepare_exponential(State& s, const std::string& key) {
  require(s.d.mean > 0, key, "exponential needs a mean above 0", "give mean");
}
double draw_exponential(const State& s, RandomStream& r) { return s.d.mean * r.exponential(); }

// Number of trials up to the first success, 1, 2, ...: P(k) = (1-p)^(k-1) p with p = 1/mean, by inversion.
void prepare_geometric(State& s, const std::string& key) {
  require(s.d.mean >= 1, key, "geometric counts from 1, so its mean is at least 1",
          "give a mean of 1 or more");
  s.a = std::log1p(-1.0 / s.d.mean);  // -inf at mean 1: every draw is 1
}
double draw_geometric(const State& s, RandomStream& r) {
  return 1.0 + std::floor(std::log(r.uniform_open()) / s.a);
}

// Zipf over whole numbers by rejection-inversion (Hoermann and Derflinger 1996): constant memory, and a draw
// costs the same however long the range. Integral of x^-alpha, and its inverse; expm1 and log1p keep both
// exact near alpha = 1.
double zipf_integral(double x, double alpha) {
  const double l = std::log(x), k = (1 - alpha) * l;
  return std::abs(k) < 1e-8 ? l * (1 + k / 2) : std::expm1(k) / (1 - alpha);
}
double zipf_integral_inverse(double y, double alpha) {
  const double k = y * (1 - alpha);
  return std::exp(std::abs(k) < 1e-8 ? y * (1 - k / 2) : std::log1p(std::max(k, -1.0)) / (1 - alpha));
}
void prepare_zipf(State& s, const std::string& key) {
  require(s.d.alpha >= 0, key, "alpha is negative", "give an alpha of 0 or more");
  require(s.d.max > 0, key, "zipf without an upper end", "give max");
  s.d.min = std::max(1.0, std::ceil(s.d.min));
  s.d.max = std::floor(s.d.max);
  require(s.d.min <= s.d.max, key, "no whole number of 1 or more lies within min and max", "widen the range");
  s.a = zipf_integral(s.d.min + 0.5, s.d.alpha) - std::pow(s.d.min, -s.d.alpha);
  s.b = zipf_integral(s.d.max + 0.5, s.d.alpha);
}
double draw_zipf(const State& s, RandomStream& r) {
  while (true) {
    const double u = s.b + r.uniform() * (s.a - s.b);
    const double k = std::clamp(std::round(zipf_integral_inverse(u, s.d.alpha)), s.d.min, s.d.max);
    if (u >= zipf_integral(k + 0.5, s.d.alpha) - std::pow(k, -s.d.alpha)) return k;
  }
}

void prepare_empirical(State& s, const std::string& key) {
  if (s.d.file.empty()) refuse(key, "empirical without a file", "give file: a CSV of value[,weight]");
  read_empirical(s.d.file, s.values, s.upto);
}
double draw_empirical(const State& s, RandomStream& r) {
  const auto it = std::upper_bound(s.upto.begin(), s.upto.end(), r.uniform() * s.upto.back());
  return s.values[static_cast<std::size_t>(std::min(it, s.upto.end() - 1) - s.upto.begin())];
}

struct Kind {
  Type type;
  void (*prepare)(State&, const std::string& key);
  double (*draw)(const State&, RandomStream&);
};
constexpr std::array kKinds{
    Kind{Type::fixed, prepare_fixed, draw_fixed},
    Kind{Type::uniform, prepare_uniform, draw_uniform},
    Kind{Type::normal, prepare_normal, draw_normal},
    Kind{Type::lognormal, prepare_lognormal, draw_lognormal},
    Kind{Type::exponential, prepare_exponential, draw_exponential},
    Kind{Type::geometric, prepare_geometric, draw_geometric},
    Kind{Type::zipf, prepare_zipf, draw_zipf},
    Kind{Type::empirical, prepare_empirical, draw_empirical},
};

}  // namespace

Sampler::Sampler(const Distribution& distribution, std::string key) : state_{distribution, 0, 0, 0, {}, {}} {
  State& s = state_;
  require(s.d.min >= 0, key, "min is negative", "give a min of 0 or more");
  require(s.d.max == 0 || s.d.min <= s.d.max, key, "min is above max", "swap them");
  const auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.type == s.d.type; });
  kind->prepare(s, key);
  draw_ = kind->draw;
  if (s.d.max == 0) s.d.max = std::numeric_limits<double>::infinity();
}

double Sampler::draw(RandomStream& random) const {
  return std::clamp(draw_(state_, random), state_.d.min, state_.d.max);
}

std::int64_t Sampler::count(RandomStream& random) const {
  const double low = std::ceil(state_.d.min), high = std::floor(state_.d.max);
  if (state_.d.type == Type::uniform && low <= high)
    return static_cast<std::int64_t>(low) +
           static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low) + 1));
  // 2^53 bounds what a tail of a distribution without max can give, so that the conversion is always defined
  const double value = std::min(std::round(draw(random)), 0x1p53);
  return static_cast<std::int64_t>(low <= high ? std::clamp(value, low, high) : value);
}

}  // namespace ridgepoint

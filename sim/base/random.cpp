#include "base/random.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace ridgepoint {
namespace {

// splitmix64 (Steele, Lea, Flood 2014): expands a seed into independent words.
std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t mix64(std::uint64_t a, std::uint64_t b) {
  std::uint64_t state = a;
  state = splitmix(state) ^ b;
  return splitmix(state);
}

RandomStream::RandomStream(std::uint64_t seed) {
  for (std::uint64_t& word : s_) word = splitmix(seed);
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(s_[0] + s_[3], 23) + s_[0];
  const std::uint64_t t = s_[1] << 17;
  s_[2] ^= s_[0];
  s_[3] ^= s_[1];
  s_[1] ^= s_[2];
  s_[0] ^= s_[3];
  s_[2] ^= t;
  s_[3] = std::rotl(s_[3], 45);
  return result;
}

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double RandomStream::uniform_open() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1.0p-52; }

std::uint64_t RandomStream::below(std::uint64_t n) {
  const std::uint64_t limit = -n % n;  // 2^64 mod n: values below it would be over-represented
  while (true) {
    const std::uint64_t x = next();
    if (x >= limit) return x % n;
  }
}

// Box-Muller, one value a call: no hidden second value, so draws never depend on how many came before.
double RandomStream::normal() {
  const double r = std::sqrt(-2.0 * std::log(uniform_open()));
  return r * std::cos(2.0 * std::numbers::pi * uniform());
}

double RandomStream::exponential() { return -std::log(uniform_open()); }

// Marsaglia and Tsang 2000; for shape < 1 boosted by u^(1/shape).
double RandomStream::gamma(double shape) {
  if (shape < 1.0) {
    const double u = uniform_open();
    return gamma(shape + 1.0) * std::pow(u, 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal();
    const double cube = 1.0 + c * x;
    if (cube <= 0.0) continue;
    const double v = cube * cube * cube;
    const double u = uniform_open();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double RandomStream::weibull(double shape) { return std::pow(exponential(), 1.0 / shape); }

double RandomStream::lognormal(double mu, double sigma) { return std::exp(mu + sigma * normal()); }

RandomStream RandomRoot::stream(std::string_view name) const {
  std::uint64_t h = 0xCBF29CE484222325ULL;  // FNV-1a over the name, then mixed with the seed
  for (const char ch : name) {
    h ^= static_cast<unsigned char>(ch);
    h *= 0x100000001B3ULL;
  }
  return RandomStream(mix64(seed_, h));
}

}  // namespace ridgepoint

// Named random streams: the same seed and name give the same numbers on every platform, whatever else draws.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ridgepoint {

/// One stream of pseudo-random numbers (xoshiro256++, Blackman and Vigna 2019, public domain algorithm).
/// Distributions are our own, since the standard library's differ between implementations.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);
  std::uint64_t next();
  /// In [0, 1), 53 bits.
  double uniform();
  /// In (0, 1): safe to take the logarithm of.
  double uniform_open();
  /// Whole number in [0, n), without bias; n > 0.
  std::uint64_t below(std::uint64_t n);
  double normal();                            ///< mean 0, variance 1
  double exponential();                       ///< mean 1
  double gamma(double shape);                 ///< scale 1 (mean = shape); shape > 0
  double weibull(double shape);               ///< scale 1; shape > 0
  double lognormal(double mu, double sigma);  ///< parameters of the underlying normal

 private:
  std::array<std::uint64_t, 4> s_{};
};

/// The root from which every purpose's own stream is derived: `root.stream("arrivals/chat")`.
class RandomRoot {
 public:
  explicit RandomRoot(std::uint64_t seed) : seed_(seed) {}
  RandomStream stream(std::string_view name) const;
  std::uint64_t seed() const { return seed_; }

 private:
  std::uint64_t seed_;
};

/// A well-mixed 64-bit hash of two words (the finaliser of splitmix64 applied twice).
std::uint64_t mix64(std::uint64_t a, std::uint64_t b);

}  // namespace ridgepoint

// Physical quantities with their dimension in the type, so that dividing the wrong two does not compile.
#pragma once
#include <chrono>
#include <compare>
#include <cstdint>

namespace ridgepoint {

/// A double with the exponents of byte, FLOP, second and joule in its type. Unit: the base unit of each.
template <int B, int F, int S, int J>
struct Quantity {
  double v = 0;
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : v(value) {}
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity o) {
    v += o.v;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    v -= o.v;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.v + b.v}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.v - b.v}; }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity{a.v * k}; }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity{a.v * k}; }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity{a.v / k}; }
};

template <int B1, int F1, int S1, int J1, int B2, int F2, int S2, int J2>
constexpr auto operator*(Quantity<B1, F1, S1, J1> a, Quantity<B2, F2, S2, J2> b) {
  return Quantity<B1 + B2, F1 + F2, S1 + S2, J1 + J2>{a.v * b.v};
}
template <int B1, int F1, int S1, int J1, int B2, int F2, int S2, int J2>
constexpr auto operator/(Quantity<B1, F1, S1, J1> a, Quantity<B2, F2, S2, J2> b) {
  if constexpr (B1 == B2 && F1 == F2 && S1 == S2 && J1 == J2)
    return a.v / b.v;  // a plain ratio
  else
    return Quantity<B1 - B2, F1 - F2, S1 - S2, J1 - J2>{a.v / b.v};
}

using Bytes = Quantity<1, 0, 0, 0>;
using Flops = Quantity<0, 1, 0, 0>;  ///< a count of floating-point (or integer) operations, not a rate
using Seconds = Quantity<0, 0, 1, 0>;
using Joules = Quantity<0, 0, 0, 1>;
using BytesPerSecond = Quantity<1, 0, -1, 0>;
using FlopsPerSecond = Quantity<0, 1, -1, 0>;
using FlopsPerByte = Quantity<-1, 1, 0, 0>;  ///< arithmetic intensity; a ridge point
using Hertz = Quantity<0, 0, -1, 0>;
using Watts = Quantity<0, 0, -1, 1>;

/// Simulated time: whole nanoseconds, both for instants (since the start of the simulation) and for spans.
using Nanos = std::chrono::nanoseconds;

/// Never reached; "nothing is due".
inline constexpr Nanos kNever = Nanos::max();

/// A span in seconds as whole nanoseconds, rounded to nearest, at least `least`.
/// Precondition: finite and below 292 years.
constexpr Nanos to_nanos(Seconds s, Nanos least = Nanos{0}) {
  const double ns = s.v * 1e9;
  const Nanos t{static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5)};
  return t < least ? least : t;
}
constexpr Seconds to_seconds(Nanos t) { return Seconds{static_cast<double>(t.count()) * 1e-9}; }

/// Exact sums of FLOPs and bytes over long runs.
__extension__ using Int128 = __int128;

}  // namespace ridgepoint

// Numbers and quantities as people write them ("3.35 TB/s", "250 ms", "12 /min"), to values and back.
// Strict: nothing that two readers could take for two different numbers is accepted.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace ridgepoint {

/// A value, or what is wrong with the text and what would be right.
template <class V>
struct Parsed {
  std::optional<V> value;
  std::string what, remedy;
};

enum class Dimension {
  bytes,
  bytes_per_second,
  flops_per_second,
  watts,
  hertz,
  duration,
  rate,
  money,
  money_per_hour
};

inline constexpr int kDimensionCount = 9;

/// value = number * 10^exponent * multiply / divide, in the base unit (B, B/s, FLOP/s, W, Hz, s, 1/s, USD,
/// USD/h).
struct Unit {
  std::string_view name;
  int exponent = 0;
  std::int64_t multiply = 1;
  std::int64_t divide = 1;
};
std::span<const Unit> units_of(Dimension d);
std::string_view describe(Dimension d);     ///< "an amount of memory"
std::string_view example(Dimension d);      ///< "80 GB"
std::string unit_names(Dimension d);        ///< "B, kB, MB ..."
std::string quantity_pattern(Dimension d);  ///< regular expression of what parse_quantity accepts

/// Decimal notation only: no octal-looking leading zero, hexadecimal, .inf, .nan, bare point or underscores.
Parsed<double> parse_number(std::string_view text);
Parsed<std::int64_t> parse_integer(std::string_view text);
Parsed<std::uint64_t> parse_unsigned(std::string_view text);
/// A number and a unit of the dimension.
Parsed<double> parse_quantity(std::string_view text, Dimension d);
/// In integer arithmetic, to the nearest nanosecond; at most 100 years, so that sums of spans cannot
/// overflow.
Parsed<Nanos> parse_duration(std::string_view text);

/// The shortest text that parses back to exactly this value.
std::string format_number(double value);
std::string format_quantity(double value, Dimension d);
std::string format_duration(Nanos t);

}  // namespace ridgepoint

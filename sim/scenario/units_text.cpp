#include "scenario/units_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace ridgepoint {
namespace {

constexpr Nanos kLongest{std::int64_t{36525} * 24 * 3600 * 1'000'000'000};

/// A decimal number taken apart; the digits include those after the point.
struct Decimal {
  bool negative = false;
  std::string digits;  ///< without leading zeros
  int exponent = 0;    ///< value = digits * 10^exponent
};

bool digit(char c) { return c >= '0' && c <= '9'; }
std::string quoted(std::string_view s) { return "`" + std::string(s) + "`"; }

/// Length of the leading [+-]digits[.digits][e[+-]digits]; 0 = none.
std::size_t number_length(std::string_view s) {
  std::size_t i = 0;
  const auto run = [&] {
    const std::size_t from = i;
    while (i < s.size() && digit(s[i])) ++i;
    return i - from;
  };
  if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
  if (run() == 0) return 0;
  if (i + 1 < s.size() && s[i] == '.' && digit(s[i + 1])) {
    ++i;
    run();
  }
  const std::size_t mantissa = i;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
    if (run() == 0) i = mantissa;
  }
  return i;
}

/// What to say about text that is no number at all.
Parsed<Decimal> not_a_number(std::string_view s) {
  std::string lower(s);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string bare = lower.substr(
      lower.find_first_not_of("+-.") == std::string::npos ? lower.size() : lower.find_first_not_of("+-."));
  if (bare == "inf" || bare == "infinity")
    return {{}, quoted(s) + " is not a finite number", "give a finite one"};
  if (bare == "nan") return {{}, quoted(s) + " is not a number", "give a finite number"};
  if (lower.size() > 1 && lower[0] == '.' && digit(lower[1]))
    return {{}, quoted(s) + " begins with a point", "write 0" + std::string(s)};
  return {{}, quoted(s) + " is not a number", "give a plain decimal number"};
}

Parsed<Decimal> parse_decimal(std::string_view s) {
  const std::size_t n = number_length(s);
  if (n == 0) return not_a_number(s);
  const std::size_t start = s[0] == '-' || s[0] == '+' ? 1 : 0;
  if (n != s.size()) {
    if (s[start] == '0' && n == start + 1 && s.size() > n && std::string_view("xXoObB").find(s[n]) != s.npos)
      return {{}, quoted(s) + " is not decimal", "write the number in decimal"};
    if (s[n] == '_' || s[n] == ',')
      return {{}, quoted(s) + " has a separator in it", "write the digits alone"};
    return {{}, quoted(s) + " is not a number", "give a plain decimal number"};
  }
  if (s[start] == '0' && s.size() > start + 1 && digit(s[start + 1])) {
    std::string_view rest = s.substr(start);
    while (rest.size() > 1 && rest[0] == '0' && digit(rest[1])) rest.remove_prefix(1);
    return {{},
            quoted(s) + " has a leading zero, which some readers take for octal",
            "write " + std::string(s.substr(0, start)) + std::string(rest)};
  }
  Decimal d;
  d.negative = s[0] == '-';
  std::size_t i = start;
  bool after_point = false;
  for (; i < s.size() && (digit(s[i]) || s[i] == '.'); ++i) {
    if (s[i] == '.') {
      after_point = true;
      continue;
    }
    if (!(d.digits.empty() && s[i] == '0')) d.digits += s[i];
    if (after_point) --d.exponent;
  }
  if (i < s.size()) {
    std::string_view e = s.substr(i + 1);
    if (e[0] == '+') e.remove_prefix(1);
    int value = 0;
    if (std::from_chars(e.data(), e.data() + e.size(), value).ec != std::errc{} || std::abs(value) > 400)
      return {{}, quoted(s) + " is out of range", "give a smaller exponent"};
    d.exponent += value;
  }
  return {d, "", ""};
}

/// Correctly rounded; empty when beyond the range of a double.
std::optional<double> to_double(const Decimal& d) {
  if (d.digits.empty()) return 0.0;
  const std::string text = d.digits + "e" + std::to_string(d.exponent);
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || !std::isfinite(v)) return std::nullopt;
  return d.negative ? -v : v;
}

const Unit* find_unit(Dimension d, std::string_view name) {
  for (const Unit& u : units_of(d))
    if (u.name == name) return &u;
  return nullptr;
}

/// Number and unit of "80 GB", the unit found; or the problem.
Parsed<std::pair<Decimal, const Unit*>> split_quantity(std::string_view text, Dimension d) {
  const std::string due = "give " + std::string(describe(d)) + " with its unit, such as `" +
                          std::string(example(d)) + "` (" + unit_names(d) + ")";
  std::size_t n = number_length(text);
  std::size_t unit_at = n;
  while (unit_at < text.size() && text[unit_at] == ' ') ++unit_at;
  const std::string_view name = text.substr(unit_at);
  if (n == 0) {
    const Parsed<Decimal> none = not_a_number(text);
    return {{}, none.what, due};
  }
  if (name.empty()) {
    const Parsed<Decimal> number = parse_decimal(text.substr(0, n));
    if (!number.value) return {{}, number.what, number.remedy};
    return {{}, "a bare number, " + quoted(text) + ", where a unit is due", due};
  }
  const Unit* unit = find_unit(d, name);
  if (unit == nullptr) {
    for (int other = 0; other < kDimensionCount; ++other)
      if (find_unit(static_cast<Dimension>(other), name) != nullptr)
        return {{}, quoted(text) + " is " + std::string(describe(static_cast<Dimension>(other))), due};
    const Parsed<Decimal> whole = parse_decimal(text);
    if (!whole.value && whole.what.find("is not a number") == std::string::npos) return {{}, whole.what, due};
    return {{},
            quoted(name) + " is no unit of " + std::string(describe(d)).substr(describe(d).find(' ') + 1),
            due};
  }
  const Parsed<Decimal> number = parse_decimal(text.substr(0, n));
  if (!number.value) return {{}, number.what, number.remedy};
  return {std::pair{*number.value, unit}, "", ""};
}

const Unit& base_unit(Dimension d) {
  const std::span<const Unit> units = units_of(d);
  return *std::find_if(units.begin(), units.end(),
                       [](const Unit& u) { return u.exponent == 0 && u.multiply == 1 && u.divide == 1; });
}

}  // namespace

Parsed<double> parse_number(std::string_view text) {
  const Parsed<Decimal> d = parse_decimal(text);
  if (!d.value) return {{}, d.what, d.remedy};
  if (const std::optional<double> v = to_double(*d.value)) return {v, "", ""};
  return {{}, quoted(text) + " is out of range", "give a number a double can hold"};
}

Parsed<std::int64_t> parse_integer(std::string_view text) {
  const Parsed<Decimal> d = parse_decimal(text);
  if (!d.value) return {{}, d.what, d.remedy};
  if (text.find_first_of(".eE") != text.npos)
    return {{}, quoted(text) + " is not a whole number", "write it without a point or an exponent"};
  if (text[0] == '+') text.remove_prefix(1);
  std::int64_t v = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), v).ec != std::errc{})
    return {{}, quoted(text) + " is out of range", "give a number of at most 18 digits"};
  return {v, "", ""};
}

Parsed<std::uint64_t> parse_unsigned(std::string_view text) {
  const Parsed<Decimal> d = parse_decimal(text);
  if (!d.value) return {{}, d.what, d.remedy};
  if (d.value->negative || text.find_first_of(".eE") != text.npos)
    return {
        {}, quoted(text) + " is not a whole number from 0 on", "write it without sign, point or exponent"};
  if (text[0] == '+') text.remove_prefix(1);
  std::uint64_t v = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), v).ec != std::errc{})
    return {{}, quoted(text) + " is out of range", "give a number below 2^64"};
  return {v, "", ""};
}

Parsed<double> parse_quantity(std::string_view text, Dimension d) {
  auto parts = split_quantity(text, d);
  if (!parts.value) return {{}, parts.what, parts.remedy};
  auto [decimal, unit] = *parts.value;
  decimal.exponent += unit->exponent;
  const std::optional<double> v = to_double(decimal);
  const double scaled =
      v ? *v * static_cast<double>(unit->multiply) / static_cast<double>(unit->divide) : HUGE_VAL;
  if (!std::isfinite(scaled)) return {{}, quoted(text) + " is out of range", "give a smaller amount"};
  return {scaled, "", ""};
}

Parsed<Nanos> parse_duration(std::string_view text) {
  auto parts = split_quantity(text, Dimension::duration);
  if (!parts.value) return {{}, parts.what, parts.remedy};
  const auto& [decimal, unit] = *parts.value;
  if (decimal.digits.empty()) return {Nanos{0}, "", ""};
  const Parsed<Nanos> too_long{
      {}, quoted(text) + " is longer than simulated time reaches", "give at most 36525 d"};
  if (decimal.digits.size() > 22) return {{}, quoted(text) + " has too many digits", "give at most 22"};
  Int128 ns = 0;
  for (const char c : decimal.digits) ns = ns * 10 + (c - '0');
  ns *= unit->multiply;
  int exponent = decimal.exponent + unit->exponent + 9;
  for (; exponent > 0; --exponent) {
    ns *= 10;
    if (ns > kLongest.count()) return too_long;
  }
  Int128 divisor = 1;
  for (; exponent < 0 && divisor <= ns * 2; ++exponent) divisor *= 10;
  ns = exponent < 0 ? 0 : (ns + divisor / 2) / divisor;
  if (ns > kLongest.count()) return too_long;
  if (ns == 0) return {{}, quoted(text) + " is shorter than a nanosecond", "give 0 s or at least 1 ns"};
  const auto count = static_cast<std::int64_t>(ns);
  return {Nanos{decimal.negative ? -count : count}, "", ""};
}

std::string format_number(double value) {
  std::array<char, 40> buffer{};
  // Plain notation where it is short; shortest round-trip digits either way.
  const auto plain = std::to_chars(buffer.data(), buffer.data() + 24, value, std::chars_format::fixed);
  std::string s;
  if (plain.ec == std::errc{} && plain.ptr - buffer.data() <= 20) {
    s.assign(buffer.data(), plain.ptr);
  } else {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    s.assign(buffer.data(), end.ptr);
  }
  return s;
}

std::string format_quantity(double value, Dimension d) {
  std::string best;
  if (value == 0) return "0 " + std::string(base_unit(d).name);
  for (const Unit& u : units_of(d)) {
    const double number =
        value / std::pow(10.0, u.exponent) / static_cast<double>(u.multiply) * static_cast<double>(u.divide);
    const std::string text = format_number(number) + " " + std::string(u.name);
    const Parsed<double> back = parse_quantity(text, d);
    if (!back.value || *back.value != value) continue;
    // "80 GB" before "80000 MB", "0 B" before "0 TB", "0.5 s" stays with the unit that is shortest.
    if (best.empty() || text.size() < best.size()) best = text;
  }
  return best;
}

std::string format_duration(Nanos t) {
  constexpr std::pair<std::int64_t, std::string_view> kSpans[] = {{3'600'000'000'000, "h"},
                                                                  {60'000'000'000, "min"},
                                                                  {1'000'000'000, "s"},
                                                                  {1'000'000, "ms"},
                                                                  {1'000, "us"}};
  if (t.count() != 0)
    for (const auto& [span, unit] : kSpans)
      if (t.count() % span == 0) return std::to_string(t.count() / span) + " " + std::string(unit);
  return t.count() == 0 ? "0 s" : std::to_string(t.count()) + " ns";
}

}  // namespace ridgepoint

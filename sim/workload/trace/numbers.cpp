#include "workload/trace/numbers.hpp"

#include <chrono>
#include <limits>

#include "base/units.hpp"

namespace ridgepoint {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

/// Whole number of exactly `count` digits at the front, taken off; -1 when there is none.
int take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

struct Decimal {
  Int128 digits = 0;
  int power = 0;  ///< value = digits * 10^power
};

/// Digits, a point and an exponent; keeps 30 significant digits, which 128 bits hold.
std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal d;
  bool any = false, point = false;
  std::size_t i = 0;
  int kept = 0;
  for (; i < text.size() && (digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    any = true;
    if (kept < 30) {
      d.digits = d.digits * 10 + (text[i] - '0');
      if (d.digits != 0) ++kept;
      if (point) --d.power;
    } else if (!point) {
      ++d.power;
    }
  }
  if (!any) return std::nullopt;
  if (i == text.size()) return d;
  if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
  std::string_view exponent = text.substr(i + 1);
  const bool negative = take(exponent, '-');
  if (!negative) take(exponent, '+');
  const int value = exponent.empty() || exponent.size() > 4 ? -1 : take_digits(exponent, exponent.size());
  if (value < 0) return std::nullopt;
  d.power += negative ? -value : value;
  return d;
}

/// Nanoseconds of `.fffffff`, digits beyond the ninth ignored; -1 when a point stands without digits.
std::int64_t take_fraction(std::string_view& text) {
  if (!take(text, '.')) return 0;
  if (text.empty() || !digit(text.front())) return -1;
  std::int64_t value = 0, unit = 100'000'000;
  for (; !text.empty() && digit(text.front()); text.remove_prefix(1), unit /= 10)
    value += unit * (text.front() - '0');
  return value;
}

/// Seconds east of UTC of `Z`, `+HH:MM`, `-HHMM`, `+HH` or nothing at the end.
std::optional<int> zone_offset(std::string_view text) {
  if (text.empty() || text == "Z") return 0;
  const int sign = take(text, '+') ? 1 : take(text, '-') ? -1 : 0;
  const int hours = take_digits(text, 2);
  take(text, ':');
  const int minutes = text.empty() ? 0 : take_digits(text, 2);
  if (sign == 0 || hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || !text.empty())
    return std::nullopt;
  return sign * (hours * 3600 + minutes * 60);
}

}  // namespace

std::optional<std::int64_t> scaled_decimal(std::string_view text, int power) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  const auto d = read_decimal(text);
  if (!d) return std::nullopt;
  constexpr Int128 limit = std::numeric_limits<std::int64_t>::max();
  Int128 value = d->digits;
  int shift = d->power + power;
  for (; shift > 0 && value != 0; --shift)
    if ((value *= 10) > limit) return std::nullopt;
  if (shift < -40) value = 0;
  if (shift < 0 && value != 0) {
    for (; shift < -1; ++shift) value /= 10;         // a truncated tail below a half changes no rounding ...
    value = value / 10 + (value % 10 >= 5 ? 1 : 0);  // ... which the first dropped digit decides
  }
  if (value > limit) return std::nullopt;
  return static_cast<std::int64_t>(negative ? -value : value);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    if (text.find_first_not_of('0', point + 1) != std::string_view::npos) return std::nullopt;
    text = text.substr(0, point);
  }
  const bool negative = take(text, '-');
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

std::optional<std::int64_t> civil_time(std::string_view text) {
  const int year = take_digits(text, 4);
  const bool dash = take(text, '-');
  const int month = take_digits(text, 2);
  const bool dash2 = take(text, '-');
  const int day = take_digits(text, 2);
  const bool separated = take(text, ' ') || take(text, 'T');
  const int hour = take_digits(text, 2);
  const bool colon = take(text, ':');
  const int minute = take_digits(text, 2);
  const bool colon2 = take(text, ':');
  const int second = take_digits(text, 2);
  if (!dash || !dash2 || !separated || !colon || !colon2 || month < 0 || day < 0 || hour < 0 || hour > 23 ||
      minute < 0 || minute > 59 || second < 0 || second > 59 || year < 1900 || year > 2200)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  const std::int64_t fraction = take_fraction(text);
  const auto zone = zone_offset(text);
  if (!date.ok() || fraction < 0 || !zone) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * 86400 + hour * 3600 + minute * 60 + second - *zone;
  return seconds * 1'000'000'000 + fraction;
}

}  // namespace ridgepoint

// Numbers and times as trace files write them, parsed exactly: no rounding through binary fractions.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ridgepoint {

/// value * 10^power of a decimal text ("0.098189", "19440110.0", "5e-06"), rounded to the nearest whole
/// number (halves away from 0). Seconds to nanoseconds: power 9. Empty when it is no number or does not fit
/// 64 bits.
std::optional<std::int64_t> scaled_decimal(std::string_view text, int power);

/// A whole number, also where a table program wrote it as "12.0". Empty for anything else.
std::optional<std::int64_t> whole_number(std::string_view text);

/// `YYYY-MM-DD HH:MM:SS` with T or blank, up to nine digits of fraction, and Z, +HH:MM or nothing (UTC):
/// nanoseconds since 1970. Empty for anything else.
std::optional<std::int64_t> civil_time(std::string_view text);

}  // namespace ridgepoint

// Numbers and quantities: what is accepted means one thing only, and everything written reads back.
#include "scenario/units_text.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace ridgepoint;

TEST_CASE("units: GB is 1e9 and GiB is 2^30") {
  CHECK(parse_quantity("80 GB", Dimension::bytes).value == 80e9);
  CHECK(parse_quantity("80GB", Dimension::bytes).value == 80e9);
  CHECK(parse_quantity("2 GiB", Dimension::bytes).value == 2147483648.0);
  CHECK(parse_quantity("1.5 KiB", Dimension::bytes).value == 1536.0);
  CHECK(parse_quantity("3.35 TB/s", Dimension::bytes_per_second).value == 3.35e12);
  CHECK(parse_quantity("400 Gbit/s", Dimension::bytes_per_second).value == 50e9);
  CHECK(parse_quantity("989.4 TFLOP/s", Dimension::flops_per_second).value == 989.4e12);
  CHECK(parse_quantity("660.6 TOP/s", Dimension::flops_per_second).value == 660.6e12);
  CHECK(parse_quantity("1.98 GHz", Dimension::hertz).value == 1.98e9);
  CHECK(parse_quantity("10.2 kW", Dimension::watts).value == 10.2e3);
  CHECK(parse_quantity("2.5 USD/h", Dimension::money_per_hour).value == 2.5);
}

TEST_CASE("units: rates by second, minute and hour") {
  CHECK(parse_quantity("12 /s", Dimension::rate).value == 12.0);
  CHECK(parse_quantity("12/s", Dimension::rate).value == 12.0);
  CHECK(parse_quantity("90 /min", Dimension::rate).value == 1.5);
  CHECK(parse_quantity("1800 /h", Dimension::rate).value == 0.5);
}

TEST_CASE("units: durations are exact in whole nanoseconds") {
  const auto ns = [](const char* text) { return parse_duration(text).value.value_or(Nanos{-1}).count(); };
  CHECK(ns("0 s") == 0);
  CHECK(ns("1 ns") == 1);
  CHECK(ns("0.1 us") == 100);
  CHECK(ns("500 ms") == 500'000'000);
  CHECK(ns("1.000000001 s") == 1'000'000'001);
  CHECK(ns("90 min") == 5'400'000'000'000);
  CHECK(ns("365.25 d") == 31'557'600'000'000'000);
  // a double second could not hold this one
  CHECK(ns("31557600.000000001 s") == 31'557'600'000'000'001);
  CHECK(ns("1e3 ms") == 1'000'000'000);
  CHECK(ns("1.5 ns") == 2);
  CHECK(parse_duration("-1 s").value == Nanos{-1'000'000'000});
  CHECK_FALSE(parse_duration("0.1 ns").value);
  CHECK_FALSE(parse_duration("36526 d").value);
  CHECK_FALSE(parse_duration("1e300 s").value);
  CHECK_FALSE(parse_duration("1e-300 s").value);
  CHECK_FALSE(parse_duration("12345678901234567890123 ns").value);
}

TEST_CASE("units: a bare number, a wrong dimension and an unknown unit each say what is due") {
  const auto bare = parse_quantity("80", Dimension::bytes);
  CHECK_FALSE(bare.value);
  CHECK(bare.what == "a bare number, `80`, where a unit is due");
  CHECK(bare.remedy.find("GiB") != std::string::npos);
  const auto wrong = parse_quantity("80 GB", Dimension::bytes_per_second);
  CHECK(wrong.what == "`80 GB` is an amount of memory");
  CHECK(wrong.remedy.find("3.35 TB/s") != std::string::npos);
  CHECK(parse_quantity("80 gb", Dimension::bytes).what == "`gb` is no unit of amount of memory");
  CHECK_FALSE(parse_quantity("GB", Dimension::bytes).value);
  CHECK_FALSE(parse_quantity("", Dimension::bytes).value);
  CHECK_FALSE(parse_quantity("1 2 GB", Dimension::bytes).value);
}

TEST_CASE("units: octal-looking, hexadecimal, infinite and odd numbers are refused") {
  for (const char* text :
       {"010",   "-010",          "00",    "0x10",  "0o10", "0b1", ".inf",  "-.inf", "+.INF", "inf",
        ".nan",  "NaN",           "1_000", "1,000", ".5",   "5.",  "1e",    "e5",    "--1",   "+-1",
        "1e400", "1e99999999999", "",      "-",     "1 ",   " 1",  "1.2.3", "١"}) {
    INFO(text);
    CHECK_FALSE(parse_number(text).value);
    CHECK_FALSE(parse_integer(text).value);
    CHECK_FALSE(parse_unsigned(text).value);
  }
  CHECK(parse_integer("010").remedy == "write 10");
  CHECK(parse_integer("-007").remedy == "write -7");
  CHECK_FALSE(parse_quantity("010 GB", Dimension::bytes).value);
  CHECK_FALSE(parse_quantity(".inf GB", Dimension::bytes).value);
  CHECK_FALSE(parse_quantity("0x10 GB", Dimension::bytes).value);
  CHECK_FALSE(parse_duration("010 s").value);
}

TEST_CASE("units: whole numbers do not overflow silently") {
  CHECK(parse_integer("9223372036854775807").value == INT64_MAX);
  CHECK_FALSE(parse_integer("9223372036854775808").value);
  CHECK(parse_unsigned("18446744073709551615").value == UINT64_MAX);
  CHECK_FALSE(parse_unsigned("18446744073709551616").value);
  CHECK_FALSE(parse_unsigned("-1").value);
  CHECK_FALSE(parse_integer("1.0").value);
  CHECK_FALSE(parse_integer("1e3").value);
  CHECK_FALSE(parse_quantity("1e308 TB", Dimension::bytes).value);
}

TEST_CASE("units: whatever is written reads back to the same value") {
  for (const double v :
       {0.0, 1.0, 80e9, 85045157888.0, 2147483648.0, 1.0 / 3.0, 989.4e12, 1e-30, 1.7e300, 0.2}) {
    for (int d = 0; d <= static_cast<int>(Dimension::money_per_hour); ++d) {
      const auto dimension = static_cast<Dimension>(d);
      INFO(format_quantity(v, dimension));
      CHECK(parse_quantity(format_quantity(v, dimension), dimension).value == v);
    }
    CHECK(parse_number(format_number(v)).value == v);
  }
  for (const std::int64_t t : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1'000},
                               std::int64_t{5'400'000'000'000}, std::int64_t{31'557'600'000'000'001}})
    CHECK(parse_duration(format_duration(Nanos{t})).value == Nanos{t});
  CHECK(format_quantity(80e9, Dimension::bytes) == "80 GB");
  CHECK(format_quantity(2147483648.0, Dimension::bytes) == "2 GiB");
  CHECK(format_quantity(0.0, Dimension::bytes) == "0 B");
  CHECK(format_duration(Nanos{500'000'000}) == "500 ms");
}

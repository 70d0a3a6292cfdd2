#include <catch2/catch.hpp>

#include "workload/trace/numbers.hpp"

using namespace ridgepoint;

TEST_CASE("numbers: decimal seconds become nanoseconds exactly") {
  CHECK(scaled_decimal("0.098189", 9) == 98'189'000);
  CHECK(scaled_decimal("19440110.0", 9) == 19'440'110'000'000'000);
  CHECK(scaled_decimal("5e-06", 9) == 5000);
  CHECK(scaled_decimal("1.5E3", 9) == 1'500'000'000'000);
  CHECK(scaled_decimal("9223372036.854775807", 9) == 9223372036854775807);
  CHECK(scaled_decimal("3501.721937000000001", 9) == 3501721937000);
  CHECK(scaled_decimal("0.0000000005", 9) == 1);  // halves go up
  CHECK(scaled_decimal("0.00000000049999", 9) == 0);
  CHECK(scaled_decimal("-2.5", 0) == -3);
  CHECK(scaled_decimal(".5", 1) == 5);
  CHECK(scaled_decimal("7", 0) == 7);
  CHECK(scaled_decimal("0.1234567890123456789012345678901234567890", 9) == 123456789);
}

TEST_CASE("numbers: what is no number, or too large, is none") {
  for (const char* text : {"", "-", ".", "abc", "1.2.3", "1e", "1e999", "nan", "inf", "0x10", "1 2",
                           "9223372036.854775808", "99999999999999999999999999999999999999999999", "1e-"})
    CHECK_FALSE(scaled_decimal(text, 9).has_value());
  CHECK(scaled_decimal("1e-999", 9) == 0);
  CHECK(scaled_decimal("0e999", 9) == 0);
}

TEST_CASE("numbers: whole numbers may carry a table program's .0") {
  CHECK(whole_number("12") == 12);
  CHECK(whole_number("12.0") == 12);
  CHECK(whole_number("-3") == -3);
  for (const char* text : {"", "-", "1.5", "1e3", "12a", " 12", "9999999999999999999", ".0"})
    CHECK_FALSE(whole_number(text).has_value());
}

TEST_CASE("numbers: civil times with and without fraction, T, Z and zone") {
  const std::int64_t second = 1'000'000'000;
  CHECK(civil_time("1970-01-01 00:00:00") == 0);
  CHECK(civil_time("2023-11-16 18:15:46.6805900") == 1700158546 * second + 680'590'000);
  CHECK(civil_time("2024-05-10 00:00:00+00:00") == 1715299200 * second);
  CHECK(civil_time("2024-05-10 02:00:00+02:00") == 1715299200 * second);
  CHECK(civil_time("2024-05-09T19:30:00.5-0430") == 1715299200 * second + second / 2);
  CHECK(civil_time("2024-10-15T12:00:00.269Z") == 1728993600 * second + 269'000'000);
  CHECK(civil_time("2024-02-29 00:00:00").has_value());
  for (const char* text :
       {"", "2023-02-29 00:00:00", "2023-13-01 00:00:00", "2023-01-01", "2023-01-01 24:00:00",
        "2023-01-01 00:60:00", "2023-01-01 00:00:00.", "2023-01-01 00:00:00 UTC", "2023-01-01 00:00:00+",
        "23-01-01 00:00:00", "2023-01-01 00:00:00+25:00"})
    CHECK_FALSE(civil_time(text).has_value());
}

#include "base/units.hpp"

#include <catch2/catch.hpp>

using namespace ridgepoint;

TEST_CASE("units: bytes over a bandwidth are seconds, by hand") {
  const Seconds t = Bytes{2e9} / BytesPerSecond{450e9};
  CHECK(t.v == Approx(0.0044444444));
  CHECK((Flops{1e12} / Bytes{1e9}) == FlopsPerByte{1000});
  CHECK((Watts{700} * Seconds{2}) == Joules{1400});
  CHECK(Bytes{6} / Bytes{3} == 2.0);
}

TEST_CASE("units: seconds round to the nearest nanosecond and never below the least") {
  CHECK(to_nanos(Seconds{1.5e-9}) == Nanos{2});
  CHECK(to_nanos(Seconds{1e-12}, Nanos{1}) == Nanos{1});
  CHECK(to_nanos(Seconds{3600}) == Nanos{3'600'000'000'000});
}

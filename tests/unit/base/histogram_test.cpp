#include "base/histogram.hpp"

#include <catch2/catch.hpp>

using namespace ridgepoint;

TEST_CASE("histogram: every value falls into the bin whose edges enclose it") {
  LogHistogram h(16);
  std::int64_t added = 0;
  for (std::int64_t v : {0LL, 1LL, 15LL, 16LL, 17LL, 31LL, 32LL, 33LL, 1000LL, 123456789LL, 1LL << 40}) {
    LogHistogram one(16);
    one.add(v);
    const std::size_t bin = one.bins() - 1;
    CHECK(one.lower_edge(bin) <= v);
    CHECK(v < one.lower_edge(bin + 1));
    CHECK(one.count(bin) == 1);
    h.merge(one);
    ++added;
  }
  CHECK(h.total() == added);
  CHECK_THROWS_AS(h.merge(LogHistogram(8)), std::invalid_argument);
  CHECK_THROWS_AS(LogHistogram(12), std::invalid_argument);
}

// |error| of predictions against measurements: median, 90th percentile, and the assertion on them.
#pragma once
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace ridgepoint::test {

class Errors {
 public:
  void add(double predicted, double measured) { errors_.push_back(std::abs(predicted / measured - 1)); }
  /// Asserts both, and says what was reached.
  void check(const std::string& what, double median_at_most, double p90_at_most) {
    REQUIRE(errors_.size() >= 10);
    std::sort(errors_.begin(), errors_.end());
    const double median = errors_[errors_.size() / 2], p90 = errors_[errors_.size() * 9 / 10];
    INFO(what << ": " << errors_.size() << " rows, median " << median << ", 90th percentile " << p90);
    CHECK(median <= median_at_most);
    CHECK(p90 <= p90_at_most);
  }

 private:
  std::vector<double> errors_;
};

}  // namespace ridgepoint::test

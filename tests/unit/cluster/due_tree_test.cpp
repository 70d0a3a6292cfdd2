// The earliest of many due times.
#include "cluster/due_tree.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/random.hpp"

using namespace ridgepoint;

TEST_CASE("due tree: the earliest entry wins, and of equal ones the lowest") {
  for (const std::size_t entries : {1, 2, 3, 7, 8, 13}) {
    DueTree tree(entries);
    CHECK(tree.earliest() == kNever);
    std::vector<Nanos> plain(entries, kNever);
    RandomStream random(entries);
    for (int i = 0; i < 500; ++i) {
      const auto entry = static_cast<std::size_t>(random.below(entries));
      const Nanos due = random.below(5) == 0 ? kNever : Nanos{static_cast<std::int64_t>(random.below(6))};
      tree.set(entry, due);
      plain[entry] = due;
      const auto least = std::min_element(plain.begin(), plain.end());
      REQUIRE(tree.earliest() == *least);
      if (*least != kNever) REQUIRE(tree.first() == static_cast<std::size_t>(least - plain.begin()));
      REQUIRE(tree.at(entry) == due);
    }
  }
}

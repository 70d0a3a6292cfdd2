// The way from the client to the router.
#include "cluster/frontend.hpp"

#include <catch2/catch.hpp>

using namespace ridgepoint;

namespace {
Request request(std::int64_t id, std::int64_t arrival_ns) {
  Request r;
  r.id = id;
  r.arrival = Nanos{arrival_ns};
  return r;
}
}  // namespace

TEST_CASE("front end: requests leave in order, each a delay after it came") {
  Frontend frontend(Nanos{100});
  CHECK(frontend.due() == kNever);
  std::int64_t in = 0, out = 0;
  // Longer than it takes to compact, at several fill levels.
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 20; ++i, ++in) frontend.push(request(in, 10 * in));
    for (int i = 0; i < (round % 3 == 0 ? 10 : 22) && !frontend.empty(); ++i, ++out) {
      REQUIRE(frontend.due() == Nanos{10 * out + 100});
      REQUIRE(frontend.pop().id == out);
    }
    REQUIRE(frontend.size() == static_cast<std::size_t>(in - out));
  }
}

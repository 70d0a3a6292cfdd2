#include <catch2/catch.hpp>

#include "spec/request.hpp"

using namespace ridgepoint;

TEST_CASE("request: a waiting one takes at most 112 bytes") {
  // a million unfinished requests hold a million of these, at most 128 bytes each with what is kept beside
  // them
  CHECK(sizeof(Request) <= 112);
}

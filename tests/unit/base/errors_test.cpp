#include "base/errors.hpp"

#include <catch2/catch.hpp>

using namespace ridgepoint;

TEST_CASE("errors: a problem reads file:line:column: key: what; remedy") {
  const Problem p{"a.yaml", 3, 7, "seed", "'x' is not a whole number", "write a whole number"};
  CHECK(p.text() == "a.yaml:3:7: seed: 'x' is not a whole number; write a whole number");
  const ConfigError two({p, {"", 0, 0, "", "w", "r"}});
  CHECK(std::string(two.what()) == p.text() + "\nw; r");
}

TEST_CASE("errors: the nearest name is offered, a far one is not") {
  CHECK(nearest_name("block_sise", {"block_size", "max_num_seqs"}) == "block_size");
  CHECK(nearest_name("zebra", {"block_size", "max_num_seqs"}).empty());
}

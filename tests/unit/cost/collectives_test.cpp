// Collectives: traffic, latencies, links in use, and refusals.
#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "cost/collectives.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using cost::Collectives;

TEST_CASE("collectives: a rank sends 2(n-1)/n of an all-reduced message and half of that when gathering") {
  const Gpu g = h100();
  const Collectives c(g, node_of(g), h100_calibration().all_reduce, 4);
  CHECK(c.all_reduce(8e6, false).sent == 12e6);
  CHECK(c.gather(8e6, false).sent == 6e6);
  CHECK(c.all_reduce(0, false).seconds == 0);
}

TEST_CASE("collectives: half of the bus rate is reached at half_size, eager launches cost extra") {
  const Gpu g = h100();
  CollectiveFit fit = h100_calibration().all_reduce;
  fit.latency[4] = Seconds{0};
  const Collectives c(g, node_of(g), fit, 4);
  const double s = 0.54e6;
  CHECK(c.all_reduce(s, false).seconds == Approx(s * 1.5 / (306e9 / 2)));
  CHECK(c.all_reduce(s, true).seconds - c.all_reduce(s, false).seconds == Approx(18e-6));
}

TEST_CASE("collectives: one rank exchanges nothing") {
  const Gpu g = rtx_4090();
  CHECK(Collectives(g, node_of(g), {}, 1).all_reduce(1e6, true).seconds == 0);
}

TEST_CASE("collectives: rates scale with the link, and pair links are used only to the group's members") {
  Gpu g = h100();
  const CollectiveFit fit = h100_calibration().all_reduce;
  const double large = 1e9, base = Collectives(g, node_of(g), fit, 2).all_reduce(large, false).seconds;
  g.scale_up_bandwidth = BytesPerSecond{900e9};
  CHECK(Collectives(g, node_of(g), fit, 2).all_reduce(large, false).seconds ==
        Approx(base / 2).epsilon(0.01));
  g = h100();
  Node mesh = node_of(g);
  mesh.scale_up = ScaleUp::mesh;
  CHECK(Collectives(g, mesh, fit, 2).all_reduce(large, false).seconds == Approx(base * 7).epsilon(0.01));
  Node pcie = node_of(g);
  pcie.scale_up = ScaleUp::pcie;
  CHECK(Collectives(g, pcie, fit, 2).all_reduce(large, false).seconds ==
        Approx(base * 450 / 64).epsilon(0.01));
}

TEST_CASE("collectives: more ranks than the node has GPUs are refused") {
  const Gpu g = h100();
  CHECK_THROWS_AS(Collectives(g, node_of(g, 4), {}, 8), ConfigError);
}

// The SimGrid platform. One Engine a test case, since its clock and its platform are static.
#include "cluster/platform.hpp"

#include <catch2/catch.hpp>
#include <simgrid/s4u.hpp>

#include "base/errors.hpp"

using namespace ridgepoint;

namespace {

/// A replica on each of the first nodes.
void occupy(Scenario& scenario, int nodes) {
  Deployment& d = scenario.deployments.emplace_back();
  for (int n = 0; n < nodes; ++n) d.placements.push_back({0, n, 0});
}

Scenario cluster(int nodes, int nodes_per_leaf, ScaleUp scale_up = ScaleUp::switched) {
  NodeGroup group;
  group.name = "n";
  group.count = nodes;
  group.node.name = "dgx";
  group.node.gpus = 8;
  group.node.nics = 8;
  group.node.nic_bandwidth = BytesPerSecond{50e9};
  group.node.scale_up = scale_up;
  group.gpu.name = "gpu";
  group.gpu.scale_up_bandwidth = BytesPerSecond{450e9};
  group.gpu.pcie_bandwidth = BytesPerSecond{64e9};
  Scenario scenario;
  scenario.nodes.push_back(group);
  scenario.fabric.link_bandwidth = BytesPerSecond{50e9};
  scenario.fabric.nodes_per_leaf = nodes_per_leaf;
  scenario.fabric.oversubscription = 2;
  occupy(scenario, nodes);
  return scenario;
}

struct QuietEngine {
  char name[5] = "test", quiet[26] = "--log=root.thresh:warning";
  char* argv[3] = {name, quiet, nullptr};
  int argc = 2;
  simgrid::s4u::Engine engine{&argc, argv};
};

std::vector<std::string> route(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to) {
  std::vector<simgrid::s4u::Link*> links;
  double latency = 0;
  from->route_to(to, links, &latency);
  std::vector<std::string> names;
  for (const auto* link : links) names.push_back(link->get_name());
  CHECK(latency == 0);
  return names;
}

}  // namespace

TEST_CASE("platform: ten thousand GPUs are built, and any two of them have a route") {
  QuietEngine engine;
  const Platform platform = build_platform(cluster(1250, 32));
  CHECK(engine.engine.get_host_count() == 10'001);
  CHECK(route(platform.gpus[0][0][0], platform.gpus[0][1249][7]).size() == 6);
  CHECK(route(platform.gpus[0][700][3], platform.gpus[0][701][3]).size() >= 4);
}

TEST_CASE("platform: a route takes the links that lie between, each with its bandwidth") {
  QuietEngine engine;
  const Platform platform = build_platform(cluster(3, 2));
  const auto& nodes = platform.gpus[0];
  CHECK(route(nodes[0][0], nodes[0][1]) ==
        std::vector<std::string>{"n-0-gpu0-link_UP", "n-0-gpu1-link_DOWN"});
  CHECK(route(nodes[0][0], nodes[1][1]) == std::vector<std::string>{"n-0-gpu0-link_UP", "n-0-uplink_UP",
                                                                    "n-1-uplink_DOWN", "n-1-gpu1-link_DOWN"});
  CHECK(route(nodes[0][0], nodes[2][1]) == std::vector<std::string>{"n-0-gpu0-link_UP", "n-0-uplink_UP",
                                                                    "leaf0-uplink_UP", "leaf1-uplink_DOWN",
                                                                    "n-2-uplink_DOWN", "n-2-gpu1-link_DOWN"});
  CHECK(route(platform.management, nodes[0][4]).back() == "n-0-gpu4-link_DOWN");
  CHECK(simgrid::s4u::Link::by_name("n-0-gpu0-link_UP")->get_bandwidth() == 450e9);
  CHECK(simgrid::s4u::Link::by_name("n-0-uplink_UP")->get_bandwidth() == 8 * 50e9);
  // Two nodes under leaf 0, oversubscribed two to one: half of what they can send.
  CHECK(simgrid::s4u::Link::by_name("leaf0-uplink_UP")->get_bandwidth() == 2 * 8 * 50e9 / 2);
}

TEST_CASE("platform: in a mesh each pair of GPUs has a link of its own") {
  QuietEngine engine;
  const Platform platform = build_platform(cluster(2, 2, ScaleUp::mesh));
  const auto& nodes = platform.gpus[0];
  CHECK(route(nodes[0][2], nodes[0][5]) == std::vector<std::string>{"n-0-mesh5-2_DOWN"});
  CHECK(simgrid::s4u::Link::by_name("n-0-mesh5-2_DOWN")->get_bandwidth() == Approx(450e9 / 7));
  CHECK(route(nodes[0][2], nodes[1][5]) == std::vector<std::string>{"n-0-gpu2-pcie_UP", "n-0-uplink_UP",
                                                                    "n-1-uplink_DOWN", "n-1-gpu5-pcie_DOWN"});
}

TEST_CASE("platform: one node needs no network interface") {
  QuietEngine engine;
  Scenario scenario = cluster(1, 0, ScaleUp::pcie);
  scenario.nodes[0].node.nics = 0;
  scenario.fabric = Fabric{};
  const Platform platform = build_platform(scenario);
  CHECK(route(platform.gpus[0][0][0], platform.gpus[0][0][7]).size() == 2);
  CHECK(simgrid::s4u::Link::by_name("n-0-gpu0-link_UP")->get_bandwidth() == 64e9);
}

TEST_CASE("platform: nodes without a replica are not built, but count for their leaf's uplink") {
  QuietEngine engine;
  Scenario scenario = cluster(100'000, 2);
  scenario.deployments[0].placements = {{0, 1, 0}, {0, 99'998, 0}};
  const Platform platform = build_platform(scenario);
  CHECK(engine.engine.get_host_count() == 2 * 8 + 1);
  CHECK(platform.gpus[0][0].empty());
  CHECK(route(platform.gpus[0][1][0], platform.gpus[0][99'998][7]).size() == 6);
  CHECK(simgrid::s4u::Link::by_name("leaf0-uplink_UP")->get_bandwidth() == 2 * 8 * 50e9 / 2);
  occupy(scenario, 2501);
  CHECK_THROWS_WITH(validate_platform(scenario), Catch::Contains("at most 2500"));
}

TEST_CASE("platform: several nodes need neither a fabric nor network interfaces") {
  QuietEngine engine;
  Scenario scenario = cluster(2, 0);
  scenario.nodes[0].node.nics = 0;
  scenario.fabric = Fabric{};
  CHECK(build_platform(scenario).gpus[0].size() == 2);
}

TEST_CASE("platform: what SimGrid would abort on is refused first, all of it at once") {
  Scenario scenario = cluster(2, 2);
  scenario.nodes[0].node.nics = 0;
  scenario.nodes.push_back(scenario.nodes[0]);
  scenario.nodes[1].gpu.scale_up_bandwidth = scenario.nodes[1].gpu.pcie_bandwidth = BytesPerSecond{0};
  try {
    validate_platform(scenario);
    FAIL("accepted");
  } catch (const ConfigError& error) {
    CHECK(error.problems().size() == 4);  // two without interface, a name twice, a GPU without a link
    CHECK_THAT(error.what(), Catch::Contains("cluster.nodes.1") && Catch::Contains("nic_bandwidth"));
  }
}

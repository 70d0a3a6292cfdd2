#include "cluster/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <simgrid/s4u.hpp>
#include <string>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {

namespace sg = simgrid::s4u;
using Point = simgrid::kernel::routing::NetPoint;

/// SimGrid looks through all zones whenever a link is named, so that building takes time with the square of
/// the nodes: about 8 s for this many of 8 GPUs.
constexpr std::size_t kMostOccupiedNodes = 2500;

/// Of what stands below it, never a bottleneck of its own: the management network carries no payload.
constexpr double kManagementBandwidth = 1e12;

/// A host's speed is not used (step times come from the cost model), but SimGrid wants one above zero.
double host_speed(const Gpu& gpu) {
  double best = 1;
  for (const auto& [dtype, peak] : gpu.peak) best = std::max(best, peak.v);
  return best;
}

BytesPerSecond gpu_link(const NodeGroup& group) {
  return group.node.scale_up == ScaleUp::pcie || group.gpu.scale_up_bandwidth.v <= 0
             ? group.gpu.pcie_bandwidth
             : group.gpu.scale_up_bandwidth;
}

/// What one node can send into the fabric: its NICs, each no faster than a switch port.
BytesPerSecond uplink(const NodeGroup& group, const Fabric& fabric) {
  double nic = group.node.nic_bandwidth.v;
  if (fabric.link_bandwidth.v > 0) nic = std::min(nic, fabric.link_bandwidth.v);
  return BytesPerSecond{nic * group.node.nics};
}

std::int64_t total_nodes(const Scenario& scenario) {
  std::int64_t nodes = 0;
  for (const NodeGroup& group : scenario.nodes) nodes += group.count;
  return nodes;
}

/// Nodes on which a replica stands, by group: the others carry nothing and are not built.
std::vector<std::set<int>> occupied_nodes(const Scenario& scenario) {
  std::vector<std::set<int>> nodes(scenario.nodes.size());
  for (const Deployment& d : scenario.deployments)
    for (const Placement& p : d.placements) nodes.at(static_cast<std::size_t>(p.group)).insert(p.node);
  return nodes;
}

/// A zone whose members reach each other, and through `gateway` the world, over links of their own.
struct Star {
  sg::NetZone* zone;
  Point* gateway;
};

/// A star whose members are hosts.
Star make_node_star(const std::string& name, const sg::NetZone* parent) {
  sg::NetZone* zone = sg::create_star_zone(name);
  zone->set_parent(parent);
  return {zone, zone->create_router(name + "-switch")};
}

/// A star whose members are zones. SimGrid finds no route to a point that stands beside zones, only to points
/// inside them: the gateway gets a zone of its own, joined without a link.
Star make_leaf_star(const std::string& name, const sg::NetZone* parent) {
  sg::NetZone* zone = sg::create_star_zone(name);
  zone->set_parent(parent);
  const Star port = make_node_star(name + "-port", zone);
  port.zone->seal();
  zone->add_route(port.zone->get_netpoint(), nullptr, port.gateway, nullptr, {}, true);
  return {zone, port.gateway};
}

void join(sg::NetZone* upper, const Star& lower, const std::string& name, double bandwidth) {
  const sg::Link* link = upper->create_split_duplex_link(name, bandwidth)->set_latency(0);
  upper->add_route(lower.zone->get_netpoint(), nullptr, lower.gateway, nullptr,
                   {{link, sg::LinkInRoute::Direction::UP}}, true);
}

void add_member(const Star& star, const sg::Host* host, const std::string& name, double bandwidth) {
  const sg::Link* link = star.zone->create_split_duplex_link(name, bandwidth)->set_latency(0);
  star.zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                       {{link, sg::LinkInRoute::Direction::UP}}, true);
}

/// NVSwitch or PCIe: every GPU has one link into the switch.
std::vector<sg::Host*> add_switched_node(const Star& leaf, const std::string& name, const NodeGroup& group,
                                         double node_uplink) {
  const Star node = make_node_star(name, leaf.zone);
  std::vector<sg::Host*> gpus;
  for (int g = 0; g < group.node.gpus; ++g) {
    const std::string gpu = fmt::format("{}-gpu{}", name, g);
    gpus.push_back(node.zone->create_host(gpu, host_speed(group.gpu)));
    add_member(node, gpus.back(), gpu + "-link", gpu_link(group).v);
  }
  node.zone->seal();
  join(leaf.zone, node, name + "-uplink", node_uplink);
  return gpus;
}

/// All-to-all pair links: a GPU's scale-up bandwidth is spread over its peers. The way out is over PCIe.
std::vector<sg::Host*> add_mesh_node(const Star& leaf, const std::string& name, const NodeGroup& group,
                                     double node_uplink) {
  sg::NetZone* zone = sg::create_full_zone(name);
  zone->set_parent(leaf.zone);
  Point* gateway = zone->create_router(name + "-switch");
  std::vector<sg::Host*> gpus;
  const int n = group.node.gpus;
  const double pair = gpu_link(group).v / std::max(1, n - 1);
  for (int g = 0; g < n; ++g) {
    const std::string gpu = fmt::format("{}-gpu{}", name, g);
    gpus.push_back(zone->create_host(gpu, host_speed(group.gpu)));
    const sg::Link* out =
        zone->create_split_duplex_link(gpu + "-pcie", group.gpu.pcie_bandwidth.v)->set_latency(0);
    zone->add_route(gpus.back()->get_netpoint(), gateway, nullptr, nullptr,
                    {{out, sg::LinkInRoute::Direction::UP}}, true);
    for (int peer = 0; peer < g; ++peer) {
      const sg::Link* link =
          zone->create_split_duplex_link(fmt::format("{}-mesh{}-{}", name, g, peer), pair)->set_latency(0);
      zone->add_route(gpus.back()->get_netpoint(), gpus[static_cast<std::size_t>(peer)]->get_netpoint(),
                      nullptr, nullptr, {{link, sg::LinkInRoute::Direction::UP}}, true);
    }
  }
  zone->seal();
  join(leaf.zone, {zone, gateway}, name + "-uplink", node_uplink);
  return gpus;
}

}  // namespace

void validate_platform(const Scenario& scenario) {
  std::vector<Problem> problems;
  const auto refuse = [&problems](std::string key, std::string what, std::string remedy) {
    problems.push_back({"", 0, 0, std::move(key), std::move(what), std::move(remedy)});
  };
  if (scenario.nodes.empty()) refuse("cluster.nodes", "no nodes", "at least one");
  std::size_t occupied = 0;
  for (const std::set<int>& nodes : occupied_nodes(scenario)) occupied += nodes.size();
  if (occupied > kMostOccupiedNodes)
    refuse("deployments", fmt::format("replicas stand on {} nodes", occupied),
           fmt::format("use at most {}; nodes without a replica do not count", kMostOccupiedNodes));
  const bool joined = total_nodes(scenario) > 1 && scenario.fabric.link_bandwidth.v > 0;
  std::set<std::string> names;
  for (std::size_t i = 0; i < scenario.nodes.size(); ++i) {
    const NodeGroup& group = scenario.nodes[i];
    const std::string key = fmt::format("cluster.nodes.{}", i);
    if (!names.insert(group.name).second)
      refuse(key + ".name", fmt::format("two node groups are called '{}'", group.name), "a name for each");
    if (group.count < 1) refuse(key + ".count", fmt::format("{} nodes", group.count), "at least 1");
    if (group.node.gpus < 1)
      refuse(key, fmt::format("node {} has {} GPUs", group.node.name, group.node.gpus), "at least 1");
    if (gpu_link(group).v <= 0)
      refuse(key, fmt::format("{} has no link to its node", group.gpu.name),
             "give pcie_bandwidth or scale_up_bandwidth");
    if (group.node.scale_up == ScaleUp::mesh && group.gpu.pcie_bandwidth.v <= 0)
      refuse(key, fmt::format("{} has no PCIe link, the way out of a mesh", group.gpu.name),
             "give pcie_bandwidth");
    if (joined && uplink(group, scenario.fabric).v <= 0)
      refuse(key,
             fmt::format("node {} has no network interface, but a fabric joins the nodes", group.node.name),
             "give nics and nic_bandwidth, or leave the fabric out");
  }
  if (joined && scenario.fabric.oversubscription <= 0)
    refuse("cluster.fabric", "oversubscription is not positive", "1 for full bisection");
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

Platform build_platform(const Scenario& scenario) {
  validate_platform(scenario);
  Platform platform;
  sg::NetZone* root = sg::create_star_zone("cluster");
  const Star management = make_node_star("management-zone", root);
  platform.management = management.zone->create_host("management", 1e9);
  management.zone->seal();
  join(root, management, "management-link", kManagementBandwidth);

  const std::int64_t nodes = total_nodes(scenario);
  const std::int64_t per_leaf = scenario.fabric.nodes_per_leaf > 0 ? scenario.fabric.nodes_per_leaf : nodes;
  int in_leaf = 0, leaves = 0;
  double leaf_bandwidth = 0;
  Star leaf{nullptr, nullptr};
  const auto close_leaf = [&] {
    if (leaf.zone != nullptr) {
      leaf.zone->seal();
      join(root, leaf, fmt::format("leaf{}-uplink", leaves),
           leaf_bandwidth / scenario.fabric.oversubscription);
    }
    leaf = {nullptr, nullptr};
    ++leaves;
    in_leaf = 0;
    leaf_bandwidth = 0;
  };
  const std::vector<std::set<int>> occupied = occupied_nodes(scenario);
  for (std::size_t g = 0; g < scenario.nodes.size(); ++g) {
    const NodeGroup& group = scenario.nodes[g];
    // A node that stands alone, or without a fabric, sends nothing out, but SimGrid wants a bandwidth above
    // zero.
    double node_uplink = uplink(group, scenario.fabric).v;
    if (node_uplink <= 0) node_uplink = kManagementBandwidth;
    auto& built = platform.gpus.emplace_back(static_cast<std::size_t>(group.count));
    for (int n = 0; n < group.count; ++n) {
      if (occupied[g].contains(n)) {
        if (leaf.zone == nullptr) leaf = make_leaf_star(fmt::format("leaf{}", leaves), root);
        const std::string name = fmt::format("{}-{}", group.name, n);
        built[static_cast<std::size_t>(n)] = group.node.scale_up == ScaleUp::mesh
                                                 ? add_mesh_node(leaf, name, group, node_uplink)
                                                 : add_switched_node(leaf, name, group, node_uplink);
      }
      leaf_bandwidth += node_uplink;
      if (++in_leaf == per_leaf) close_leaf();
    }
  }
  if (in_leaf > 0) close_leaf();
  root->seal();
  return platform;
}

}  // namespace ridgepoint

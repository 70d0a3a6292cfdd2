// Which GPUs each replica stands on: packed in the order of the file, a tensor-parallel group in one node.
#include <algorithm>

#include "scenario/resolve.hpp"

namespace ridgepoint {
namespace {

/// GPUs of a node are handed out from the first on; what is free are the last ones.
struct FreeGpus {
  std::vector<std::vector<int>> used;  ///< by group, node
  explicit FreeGpus(const std::vector<NodeGroup>& groups) {
    for (const NodeGroup& g : groups) used.emplace_back(static_cast<std::size_t>(g.count), 0);
  }
};

std::string count_of(std::int64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// Replicas of `width` GPUs that still fit into these groups.
std::int64_t capacity(const Scenario& s, const FreeGpus& free, const std::vector<std::size_t>& groups,
                      int width) {
  std::int64_t n = 0;
  for (const std::size_t g : groups)
    for (const int used : free.used[g]) n += (s.nodes[g].node.gpus - used) / width;
  return n;
}

std::vector<Placement> take(const Scenario& s, FreeGpus& free, const std::vector<std::size_t>& groups,
                            int width, int replicas) {
  std::vector<Placement> placed;
  for (const std::size_t g : groups)
    for (std::size_t node = 0; node < free.used[g].size(); ++node)
      while (static_cast<int>(placed.size()) < replicas &&
             free.used[g][node] + width <= s.nodes[g].node.gpus) {
        placed.push_back({static_cast<int>(g), static_cast<int>(node), free.used[g][node]});
        free.used[g][node] += width;
      }
  return placed;
}

/// The groups a deployment may use, those of one kind of GPU and node together, in the order of the file.
std::vector<std::vector<std::size_t>> choices(const Scenario& s, const std::optional<std::string>& only) {
  std::vector<std::vector<std::size_t>> sets;
  for (std::size_t g = 0; g < s.nodes.size(); ++g) {
    if (only && s.nodes[g].name != *only) continue;
    const auto same = std::find_if(sets.begin(), sets.end(), [&](const auto& set) {
      return s.nodes[set.front()].gpu.name == s.nodes[g].gpu.name &&
             s.nodes[set.front()].node.scale_up == s.nodes[g].node.scale_up;
    });
    if (same == sets.end())
      sets.push_back({g});
    else
      same->push_back(g);
  }
  return sets;
}

void check_degree(const Deployment& d, const std::string& key, const ResolveContext& c) {
  if (c.bad(key + ".model") || c.bad(key + ".engine.tensor_parallel_size")) return;
  const std::vector<int> valid = valid_tensor_parallel(d.model);
  const int tp = d.engine.tensor_parallel_size;
  if (std::find(valid.begin(), valid.end(), tp) != valid.end()) return;
  std::string all;
  for (const int v : valid) all += (all.empty() ? "" : ", ") + std::to_string(v);
  c.problem(key + ".engine.tensor_parallel_size",
            d.model.name + " has " + count_of(d.model.heads, "head") + ", which do not divide by " +
                std::to_string(tp),
            "valid degrees: " + all);
}

/// The node group that a deployment names, whether or not the groups themselves are in order.
void check_group(const Scenario& s, const std::optional<std::string>& only, const std::string& key,
                 const ResolveContext& c) {
  if (!only || c.bad(key + ".nodes")) return;
  std::vector<std::string> names;
  for (const NodeGroup& g : s.nodes) names.push_back(g.name);
  const auto there = [&](const std::string& n) { return n == *only || n.empty(); };
  if (names.empty() || std::any_of(names.begin(), names.end(), there)) return;  // or one that is unreadable
  c.problem(key + ".nodes", "there is no node group `" + *only + "`", choose_from(*only, names, "add one"));
}

void report_shortage(const Scenario& s, const FreeGpus& free,
                     const std::vector<std::vector<std::size_t>>& sets, const Deployment& d,
                     const std::string& key, const ResolveContext& c) {
  const int tp = d.engine.tensor_parallel_size;
  int widest = 0;
  for (const auto& set : sets)
    for (const std::size_t g : set) widest = std::max(widest, s.nodes[g].node.gpus);
  if (tp > widest) {
    c.problem(key + ".engine.tensor_parallel_size",
              "a group of " + count_of(tp, "GPU") + " must stand in one node, and the largest has " +
                  std::to_string(widest),
              "use at most " + std::to_string(widest) + ", or larger nodes");
    return;
  }
  std::int64_t best = 0, gpus = 0;
  for (const auto& set : sets) {
    best = std::max(best, capacity(s, free, set, tp));
    std::int64_t left = 0;
    for (const std::size_t g : set)
      for (const int used : free.used[g]) left += s.nodes[g].node.gpus - used;
    gpus = std::max(gpus, left);
  }
  c.problem(key + ".replicas",
            count_of(d.replicas, "replica") + " of " + count_of(tp, "GPU") + " need " +
                std::to_string(std::int64_t{d.replicas} * tp) + "; " + std::to_string(gpus) +
                " of one kind are free, with room for " + std::to_string(best),
            best > 0 ? "use at most " + count_of(best, "replica") + ", or more nodes" : "add nodes");
}

}  // namespace

void place_replicas(Scenario& s, const ScenarioDoc& doc, const ResolveContext& c) {
  for (std::size_t i = 0; i < s.deployments.size(); ++i) {
    check_degree(s.deployments[i], "deployments." + std::to_string(i), c);
    check_group(s, doc.deployments[i].nodes, "deployments." + std::to_string(i), c);
  }
  if (c.bad("cluster.nodes")) return;
  FreeGpus free(s.nodes);
  for (std::size_t i = 0; i < s.deployments.size(); ++i) {
    Deployment& d = s.deployments[i];
    const std::string key = "deployments." + std::to_string(i);
    const auto sets = choices(s, doc.deployments[i].nodes);
    const bool settled = !c.bad(key + ".model") && !c.bad(key + ".replicas") && !c.bad(key + ".nodes") &&
                         !c.bad(key + ".engine.tensor_parallel_size");
    if (!settled) continue;
    const int tp = d.engine.tensor_parallel_size;
    const auto set = std::find_if(sets.begin(), sets.end(),
                                  [&](const auto& g) { return capacity(s, free, g, tp) >= d.replicas; });
    if (set == sets.end())
      report_shortage(s, free, sets, d, key, c);
    else
      d.placements = take(s, free, *set, tp, d.replicas);
  }
}

}  // namespace ridgepoint

// The cluster as SimGrid sees it: a star of leaf switches, each a star of nodes, each a star (or mesh) of
// GPUs with one host a GPU; and a management host on which the control actors live.
#pragma once
#include <simgrid/forward.h>

#include <cstddef>
#include <vector>

#include "spec/scenario.hpp"

namespace ridgepoint {

/// Own pointers to what was built: SimGrid's own list is sorted by name.
struct Platform {
  simgrid::s4u::Host* management = nullptr;
  /// [node group][node][gpu]; a node without a replica is empty
  std::vector<std::vector<std::vector<simgrid::s4u::Host*>>> gpus;

  simgrid::s4u::Host* gpu(const Placement& p) const {
    return gpus[static_cast<std::size_t>(p.group)][static_cast<std::size_t>(p.node)]
               [static_cast<std::size_t>(p.first_gpu)];
  }
};

/// Throws ConfigError for what SimGrid would abort on (no GPUs, a link of no bandwidth, ...), naming the key.
void validate_platform(const Scenario& scenario);

/// Validates, builds the nodes on which replicas stand, and seals. Needs an Engine; one platform a process.
/// Links have no latency: SimGrid shares bandwidth by inverse latency, without it sharing is max-min fair,
/// and whoever sends adds the alpha term.
Platform build_platform(const Scenario& scenario);

}  // namespace ridgepoint

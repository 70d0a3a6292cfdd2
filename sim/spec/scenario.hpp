// Everything about a run, resolved: no name left to look up, no default left to fill in.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/calibration.hpp"
#include "spec/engine.hpp"
#include "spec/hardware.hpp"
#include "spec/model.hpp"
#include "spec/workload.hpp"

namespace ridgepoint {

/// A run of equal nodes in the cluster.
struct NodeGroup {
  std::string name;
  Node node;
  Gpu gpu;
  Calibration calibration;
  int count = 1;
};

/// Where a replica stands: node group, index of the node in it, first of its consecutive GPUs.
struct Placement {
  int group = 0;
  int node = 0;
  int first_gpu = 0;
};

struct Deployment {
  std::string name;
  Model model;
  Engine engine;
  int replicas = 1;
  std::vector<Placement> placements;  ///< one a replica; all in node groups of one GPU type
  const NodeGroup& group(const struct Scenario& s) const;
};

struct RecordOptions {
  bool requests = true, timeseries = true, steps = false;
};

struct RunOptions {
  std::optional<Nanos> until;  ///< empty = all done
  Nanos warmup{0};             ///< requests that arrive before it are left out of the statistics
  Nanos sample_period{1'000'000'000};
  std::int64_t max_stride = 0;  ///< 0 = unlimited; steps fast-forwarded at once, never changes a result
  RecordOptions record;
};

struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  std::vector<NodeGroup> nodes;
  Fabric fabric;
  std::vector<Deployment> deployments;
  std::string router_policy = "round_robin";
  Workload workload;
  RunOptions run;
  std::string output;         ///< path of the HDF5 file; not recorded in it
  std::string resolved_yaml;  ///< the scenario with every default filled in, without output and max_stride
};

inline const NodeGroup& Deployment::group(const Scenario& s) const {
  return s.nodes[static_cast<std::size_t>(placements.front().group)];
}

}  // namespace ridgepoint

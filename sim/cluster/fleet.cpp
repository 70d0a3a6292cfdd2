#include "cluster/fleet.hpp"

#include <fmt/format.h>

#include <map>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "cost/memory.hpp"

namespace ridgepoint {

Fleet::Fleet(const Scenario& scenario) : scenario_(scenario) {
  for (std::size_t d = 0; d < scenario.deployments.size(); ++d) {
    const Deployment& deployment = scenario.deployments[d];
    if (deployment.placements.size() != static_cast<std::size_t>(deployment.replicas))
      throw ConfigError(fmt::format("deployment '{}' has {} replicas but {} places", deployment.name,
                                    deployment.replicas, deployment.placements.size()),
                        "one place a replica");
    std::map<int, const CostModel*> by_group;  // nodes of one GPU type may differ in how they join the GPUs
    for (std::size_t r = 0; r < deployment.placements.size(); ++r) {
      const int group = deployment.placements[r].group;
      const CostModel*& cost = by_group[group];
      if (cost == nullptr) {
        const NodeGroup& nodes = scenario.nodes.at(static_cast<std::size_t>(group));
        costs_.push_back(
            make_cost_model(deployment.model, deployment.engine, nodes.gpu, nodes.node, nodes.calibration));
        cost = costs_.back().get();
      }
      if (r == 0) frontend_seconds_.push_back(cost->frontend_seconds());
      slots_.push_back({d, r, cost});
    }
  }
}

std::vector<TimelineDeployment> Fleet::deployments() const {
  std::vector<TimelineDeployment> result;
  const RandomRoot root(scenario_.seed);
  for (std::size_t d = 0; d < scenario_.deployments.size(); ++d) {
    const Deployment& deployment = scenario_.deployments[d];
    result.push_back({deployment.name, to_nanos(Seconds{frontend_seconds_[d]}),
                      make_router(scenario_.router_policy, root.stream("router/" + deployment.name)),
                      deployment.replicas});
  }
  return result;
}

std::vector<std::unique_ptr<Replica>> Fleet::make_replicas(ReplicaSink& sink) const {
  std::vector<MemoryPlan> plans;
  for (const Deployment& d : scenario_.deployments)
    plans.push_back(plan_memory(d.model, d.engine, d.group(scenario_).gpu));
  std::vector<std::unique_ptr<Replica>> replicas;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const MemoryPlan& plan = plans[slots_[i].deployment];
    ReplicaConfig config;
    config.index = static_cast<std::int32_t>(i);
    config.engine = scenario_.deployments[slots_[i].deployment].engine;
    config.num_blocks = plan.blocks;
    config.groups = plan.groups;
    config.max_stride = scenario_.run.max_stride;
    config.record_steps = scenario_.run.record.steps;
    replicas.push_back(std::make_unique<Replica>(std::move(config), *slots_[i].cost, sink));
  }
  return replicas;
}

double Fleet::price_per_hour(std::size_t replica) const {
  const NodeGroup& nodes = scenario_.nodes[static_cast<std::size_t>(placement(replica).group)];
  if (nodes.node.price_per_hour > 0) return nodes.node.price_per_hour * gpus(replica) / nodes.node.gpus;
  return nodes.gpu.price_per_hour * gpus(replica);
}

const Placement& Fleet::placement(std::size_t replica) const {
  const Slot& slot = slots_[replica];
  return scenario_.deployments[slot.deployment].placements[slot.ordinal];
}

int Fleet::gpus(std::size_t replica) const {
  const Engine& engine = scenario_.deployments[slots_[replica].deployment].engine;
  return engine.tensor_parallel_size * engine.pipeline_parallel_size;
}

}  // namespace ridgepoint

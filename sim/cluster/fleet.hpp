// What a scenario's deployments come to: cost models, memory plans and the replicas that use them.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/timeline.hpp"
#include "cost/cost_model.hpp"
#include "record/recorder.hpp"
#include "serving/replica.hpp"
#include "spec/scenario.hpp"

namespace ridgepoint {

/// Owns the cost models; must outlive the replicas.
class Fleet {
 public:
  explicit Fleet(const Scenario& scenario);

  /// For the timeline: routers and front-end delays.
  std::vector<TimelineDeployment> deployments() const;
  /// Every replica of every deployment, in order, reporting to `sink`.
  std::vector<std::unique_ptr<Replica>> make_replicas(ReplicaSink& sink) const;
  /// USD an hour of one replica's GPUs; 0 = unknown.
  double price_per_hour(std::size_t replica) const;
  const Placement& placement(std::size_t replica) const;
  int gpus(std::size_t replica) const;

 private:
  struct Slot {
    std::size_t deployment = 0;
    std::size_t ordinal = 0;  ///< within the deployment
    const CostModel* cost = nullptr;
  };
  const Scenario& scenario_;
  std::vector<std::unique_ptr<CostModel>> costs_;
  std::vector<double> frontend_seconds_;  ///< by deployment
  std::vector<Slot> slots_;               ///< by replica
};

}  // namespace ridgepoint

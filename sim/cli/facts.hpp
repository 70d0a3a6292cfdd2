// What follows from a scenario before anything runs: sizes, what fits, where the ridge points are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cost/memory.hpp"
#include "spec/scenario.hpp"

namespace ridgepoint::cli {

struct DeploymentFacts {
  const Deployment* deployment = nullptr;  ///< of the scenario, which must outlive this
  const NodeGroup* group = nullptr;
  std::string name, model, gpu, node;
  int replicas = 0, gpus_per_replica = 0;
  std::int64_t parameters = 0, active_parameters = 0;
  Bytes weights_per_gpu, kv_per_token;
  MemoryPlan memory;
  std::int64_t longest_request =
      0;                        ///< tokens: of the model's own limit and what the KV cache holds, the lesser
  double decode_intensity = 0;  ///< FLOP per HBM byte of a step that decodes one sequence
  int intensity_context = 0;    ///< tokens of context it was computed at
};

struct GpuFacts {
  std::string name, title;
  struct Ridge {
    Dtype dtype;
    FlopsPerSecond peak;
    FlopsPerByte ridge;
  };
  BytesPerSecond bandwidth;
  std::vector<Ridge> ridges;
};

/// Throws ConfigError when a model does not fit.
std::vector<DeploymentFacts> deployment_facts(const Scenario& scenario);
struct GpuUse {
  std::int64_t all = 0, used = 0;
};
GpuUse gpu_use(const Scenario& scenario);
/// Each GPU type of the cluster once, in the order in which they stand in the scenario.
std::vector<GpuFacts> gpu_facts(const Scenario& scenario);

}  // namespace ridgepoint::cli

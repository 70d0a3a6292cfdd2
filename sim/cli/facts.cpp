#include "cli/facts.hpp"

#include <algorithm>

#include "cost/cost_model.hpp"

namespace ridgepoint::cli {
namespace {

/// Typical of a chat, where weights dominate the bytes; only a reference point, and printed with the number.
constexpr int kIntensityContext = 1024;

}  // namespace

std::vector<DeploymentFacts> deployment_facts(const Scenario& scenario) {
  std::vector<DeploymentFacts> result;
  for (const Deployment& d : scenario.deployments) {
    const NodeGroup& group = d.group(scenario);
    DeploymentFacts facts;
    facts.deployment = &d;
    facts.group = &group;
    facts.name = d.name;
    facts.model = d.model.name;
    facts.gpu = group.gpu.name;
    facts.node = group.node.name;
    facts.replicas = d.replicas;
    facts.gpus_per_replica = d.engine.tensor_parallel_size * d.engine.pipeline_parallel_size;
    facts.parameters = count_parameters(d.model).total();
    facts.active_parameters = active_parameters(d.model);
    facts.weights_per_gpu = weight_bytes_per_rank(d.model, d.engine);
    facts.kv_per_token = kv_bytes_per_token(d.model, d.engine.kv_cache_dtype);
    facts.memory = plan_memory(d.model, d.engine, group.gpu);
    facts.longest_request = std::min<std::int64_t>(facts.memory.longest, d.model.max_position);
    facts.intensity_context = std::min(kIntensityContext, d.engine.max_model_len);
    facts.decode_intensity = decode_intensity(d.model, d.engine, 1, facts.intensity_context).v;
    result.push_back(std::move(facts));
  }
  return result;
}

GpuUse gpu_use(const Scenario& scenario) {
  GpuUse use;
  for (const NodeGroup& group : scenario.nodes) use.all += std::int64_t{group.count} * group.node.gpus;
  for (const Deployment& d : scenario.deployments)
    use.used += std::int64_t{d.replicas} * d.engine.tensor_parallel_size * d.engine.pipeline_parallel_size;
  return use;
}

std::vector<GpuFacts> gpu_facts(const Scenario& scenario) {
  std::vector<GpuFacts> result;
  for (const NodeGroup& group : scenario.nodes) {
    const bool seen = std::any_of(result.begin(), result.end(),
                                  [&group](const GpuFacts& g) { return g.name == group.gpu.name; });
    if (seen) continue;
    GpuFacts facts{group.gpu.name, group.gpu.title, group.gpu.hbm_bandwidth, {}};
    for (const auto& [dtype, peak] : group.gpu.peak)
      facts.ridges.push_back({dtype, peak, ridge_point(group.gpu, dtype)});
    result.push_back(std::move(facts));
  }
  return result;
}

}  // namespace ridgepoint::cli

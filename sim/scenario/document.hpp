// The scenario file as it is written: names not looked up, defaults that depend on something still open.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "scenario/strict_yaml.hpp"
#include "spec/scenario.hpp"

namespace ridgepoint {

struct NodeGroupDoc {
  std::string type;
  int count = 1;
  std::optional<std::string> name;
};

/// A fabric of the catalog, or one written out in the scenario.
struct FabricDoc {
  std::string name;
  std::optional<Fabric> written_out;
};

struct ClusterDoc {
  std::vector<NodeGroupDoc> nodes;
  std::optional<FabricDoc> fabric;
};

/// vLLM's settings; what is empty is filled in by engine version, device and model.
struct EngineDoc {
  EngineVersion version = EngineVersion::v0_19;
  int tensor_parallel_size = 1;
  std::optional<Dtype> dtype;  ///< empty = auto
  std::optional<std::string> quantization;
  std::optional<Dtype> kv_cache_dtype;  ///< empty = auto
  std::optional<int> max_model_len, block_size, max_num_seqs, max_num_batched_tokens;
  std::optional<double> gpu_memory_utilization;
  MemoryBasis gpu_memory_basis = MemoryBasis::total;
  bool enable_chunked_prefill = true, enable_prefix_caching = true, enforce_eager = false;
  int long_prefill_token_threshold = 0;
  std::string scheduling_policy = "fcfs";
  std::optional<bool> async_scheduling, scheduler_reserve_full_isl;
  std::optional<std::int64_t> num_gpu_blocks_override;
  std::optional<Bytes> kv_cache_memory_bytes;
};

struct DeploymentDoc {
  std::string name, model;
  int replicas = 1;
  std::optional<std::string> nodes;
  EngineDoc engine;
};

struct RouterDoc {
  std::string policy = "round_robin";
};

struct PrefixDoc {
  std::string group;
};

/// A stream whose deployment, SLO class and prefix group are still names.
struct StreamDoc : Stream {
  std::optional<std::string> tenant_name, deployment_name, slo_class_name;
  std::optional<Distribution> input_length, output_length;
  std::optional<Arrival> arrival_process;
  std::optional<RateProfile> profile;
  std::optional<PrefixDoc> prefix;
};

struct WorkloadDoc {
  std::vector<SloClass> slo_classes;
  std::vector<PrefixGroup> prefix_groups;
  std::vector<StreamDoc> streams;
};

struct ScenarioDoc {
  std::string name;
  std::uint64_t seed = 1;
  ClusterDoc cluster;
  std::vector<DeploymentDoc> deployments;
  RouterDoc router;
  WorkloadDoc workload;
  RunOptions run;
  std::optional<std::string> output;
};

/// What a distribution is over: decides how its values are written.
enum class Over { tokens, turns, seconds };
Codec<Distribution> distribution(Over over);
const Table<WorkloadDoc>& workload_table();
const Table<ScenarioDoc>& scenario_table();

}  // namespace ridgepoint

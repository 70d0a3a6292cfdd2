// Keys of the scenario file itself, its cluster and deployments.
#include "scenario/catalog_tables.hpp"
#include "scenario/codecs.hpp"
#include "scenario/document.hpp"
#include "spec/policies.hpp"

namespace ridgepoint {
namespace {

template <std::size_t N>
std::vector<std::string> names(const std::array<PolicyName, N>& policies) {
  std::vector<std::string> v;
  for (const PolicyName& p : policies) v.emplace_back(p.name);
  return v;
}

template <std::size_t N>
std::string explain(const std::array<PolicyName, N>& policies) {
  std::string s;
  for (const PolicyName& p : policies)
    s += (s.empty() ? "" : "; ") + std::string(p.name) + ": " + std::string(p.what);
  return s;
}

Codec<EngineVersion> engine_version() {
  std::vector<Choice<EngineVersion>> choices;
  for (const std::string& n : engine_version_names()) choices.push_back({n, *parse_engine_version(n)});
  const auto listed = engine_version_names();
  for (const std::string& n : listed)  // patch releases under their full names: vllm-0.19.0
    for (const char* patch : {".0", ".1", ".2"})
      if (const auto v = parse_engine_version(n + patch);
          v && std::find(listed.begin(), listed.end(), n + patch) == listed.end())
        choices.push_back({n + patch, *v});
  return choice<EngineVersion>(choices);
}

Codec<Dtype> float_dtype() {
  return choice<Dtype>({{"bfloat16", Dtype::bf16},
                        {"bf16", Dtype::bf16},
                        {"float16", Dtype::fp16},
                        {"fp16", Dtype::fp16},
                        {"half", Dtype::fp16},
                        {"float32", Dtype::fp32},
                        {"fp32", Dtype::fp32},
                        {"float", Dtype::fp32}});
}

Codec<Dtype> cache_dtype() {
  return choice<Dtype>({{"bfloat16", Dtype::bf16},
                        {"bf16", Dtype::bf16},
                        {"float16", Dtype::fp16},
                        {"fp16", Dtype::fp16},
                        {"float32", Dtype::fp32},
                        {"fp32", Dtype::fp32},
                        {"fp8", Dtype::fp8},
                        {"fp8_e4m3", Dtype::fp8},
                        {"fp8_e5m2", Dtype::fp8}});
}

void add_parallelism(Table<EngineDoc>& t) {
  using E = EngineDoc;
  t.add("engine_version", &E::version, engine_version(),
        "Selects defaults and decisions that changed between versions");
  t.add("tensor_parallel_size", &E::tensor_parallel_size, whole(1, 4096), "GPUs that share each layer");
  t.not_yet("pipeline_parallel_size", {"1"}, "pipeline parallelism");
  t.not_yet("data_parallel_size", {"1"}, "data parallelism inside an engine (use replicas)");
  t.not_yet("enable_expert_parallel", {"false"}, "expert parallelism");
}

void add_formats(Table<EngineDoc>& t) {
  using E = EngineDoc;
  t.add("dtype", &E::dtype, word_or("auto", std::optional<Dtype>(), maybe(float_dtype())),
        "Of activations and unquantised weights; auto: the checkpoint's");
  t.add(
      "quantization", &E::quantization,
      one_of({"none", "fp8", "mxfp4", "awq", "gptq", "compressed-tensors", "modelopt", "modelopt_fp4"},
             {"bitsandbytes", "int8", "int4", "fp4"}),
      "Of the weights; default: what the checkpoint is published in. fp8 also quantises a 16-bit checkpoint");
  t.add("kv_cache_dtype", &E::kv_cache_dtype, word_or("auto", std::optional<Dtype>(), maybe(cache_dtype())),
        "Of keys and values; auto: dtype");
}

void add_capacity(Table<EngineDoc>& t) {
  using E = EngineDoc;
  t.add("max_model_len", &E::max_model_len, whole(1, 1 << 30),
        "Longest prompt plus output; default: the model's");
  t.add("gpu_memory_utilization", &E::gpu_memory_utilization, number({0, 1, true}),
        "Share of the memory the engine takes; default 0.9, from vllm-0.20 0.92");
  t.add("gpu_memory_basis", &E::gpu_memory_basis,
        choice<MemoryBasis>({{"total", MemoryBasis::total}, {"free", MemoryBasis::free}}),
        "What that is a share of: all memory (vLLM), or what weights and activations leave free");
  t.add("block_size", &E::block_size, whole_in({1, 8, 16, 32, 64, 128, 256}),
        "Tokens in a KV block; default 16, with latent attention 64");
  t.add("num_gpu_blocks_override", &E::num_gpu_blocks_override, whole64(2, 1LL << 40),
        "KV blocks, instead of deriving them");
  t.add("kv_cache_memory_bytes", &E::kv_cache_memory_bytes, quantity<Bytes>(Dimension::bytes, kPositive),
        "Memory of a GPU for the KV cache, instead of deriving it");
  t.not_yet("kv_offloading_size", {"0 GiB", "0 GB", "0 B"}, "offloading of KV blocks to host memory");
}

void add_scheduling(Table<EngineDoc>& t) {
  using E = EngineDoc;
  t.add("max_num_seqs", &E::max_num_seqs, whole(1, 1 << 20),
        "Sequences in a batch; default by device: 1024 or 256");
  t.add("max_num_batched_tokens", &E::max_num_batched_tokens, whole(1, 1 << 28),
        "Tokens in a step; default by device: 8192 or 2048");
  t.add("enable_chunked_prefill", &E::enable_chunked_prefill, flag(), "Prompts may be cut into chunks");
  t.add("enable_prefix_caching", &E::enable_prefix_caching, flag(), "Blocks of equal prefixes are shared");
  t.add("long_prefill_token_threshold", &E::long_prefill_token_threshold, whole(0, 1 << 30),
        "Longest chunk of a prompt; 0 = no limit");
  t.add("scheduling_policy", &E::scheduling_policy, one_of(names(kSchedulingPolicies), {"sjf"}),
        explain(kSchedulingPolicies));
  t.add("enforce_eager", &E::enforce_eager, flag(), "No CUDA graphs");
  t.add("async_scheduling", &E::async_scheduling, flag(),
        "A step is scheduled while the last one runs; default from vllm-0.14 on");
  t.add("scheduler_reserve_full_isl", &E::scheduler_reserve_full_isl, flag(),
        "Admit only when the whole prompt's blocks are free; default from vllm-0.19 on");
  t.not_yet("speculative_config", {}, "speculative decoding");
}

const Table<EngineDoc>& engine_table() {
  static const Table<EngineDoc> table = [] {
    Table<EngineDoc> t("engine");
    add_parallelism(t);
    add_formats(t);
    add_capacity(t);
    add_scheduling(t);
    return t;
  }();
  return table;
}

const Table<DeploymentDoc>& deployment_table() {
  static const Table<DeploymentDoc> table = [] {
    using D = DeploymentDoc;
    Table<D> t("a deployment");
    t.add("name", &D::name, text(), "Name of the deployment").required();
    t.add("model", &D::model, name_or_path(".json"), "workloads/models/NAME.json, or a path to a config.json")
        .required();
    t.add("replicas", &D::replicas, whole(1, 100'000), "Engines that serve it");
    t.add("nodes", &D::nodes, text(), "Node group to stand on; default: anywhere it fits, packed");
    t.not_yet("role", {"unified"}, "disaggregated prefill and decode");
    t.add("engine", &D::engine, engine_table().codec(), "vLLM's settings by vLLM's names");
    return t;
  }();
  return table;
}

Codec<FabricDoc> fabric_codec() {
  const Codec<std::string> word = name_or_path(".yaml");
  const Table<Fabric>& table = fabric_table();
  return {[=, &table](const YamlNode& n, Reader& r) -> std::optional<FabricDoc> {
            FabricDoc d;
            if (n.kind == YamlNode::Kind::map) {
              d.written_out = table.read(n, r);
              if (d.written_out && d.written_out->name.empty()) d.written_out->name = "inline";
              return d;
            }
            const std::optional<std::string> name = word.read(n, r);
            if (!name) return std::nullopt;
            d.name = *name;
            return d;
          },
          [=, &table](const FabricDoc& d) {
            return d.written_out ? table.write(*d.written_out) : YamlNode::scalar(d.name);
          },
          [=, &table] {
            return Json{{"anyOf", Json::array({word.schema(), table.schema()})}};
          }};
}

const Table<ClusterDoc>& cluster_table() {
  static const Table<ClusterDoc> table = [] {
    Table<NodeGroupDoc> group("a node group");
    group
        .add("type", &NodeGroupDoc::type, name_or_path(".yaml"),
             "hw/nodes/NAME.yaml, or a path to such a file")
        .required();
    group.add("count", &NodeGroupDoc::count, whole(1, 100'000), "Nodes of this type");
    group.add("name", &NodeGroupDoc::name, text(), "Name to refer to; default: the type, or its file's name");
    Table<ClusterDoc> t("cluster");
    t.add("nodes", &ClusterDoc::nodes, list_of(group.codec(), 1), "Groups of equal nodes").required();
    t.add("fabric", &ClusterDoc::fabric, fabric_codec(),
          "hw/fabrics/NAME.yaml, a path to such a file, or its keys; carries nothing yet: no replica spans "
          "nodes");
    return t;
  }();
  return table;
}

const Table<RunOptions>& run_table() {
  static const Table<RunOptions> table = [] {
    using R = RunOptions;
    Table<RecordOptions> record("record");
    record.add("requests", &RecordOptions::requests, flag(), "One row for each request");
    record.add("timeseries", &RecordOptions::timeseries, flag(), "Samples of every replica");
    record.add("steps", &RecordOptions::steps, flag(), "One row for each engine step");
    Table<R> t("run");
    t.add("until", &R::until, word_or("all_done", std::optional<Nanos>(), maybe(duration(kPositive))),
          "all_done, or a duration");
    t.add("warmup", &R::warmup, duration(), "Requests that arrive in it are left out of the statistics");
    // every replica is sampled at each: far below the length of a step there is nothing new to see
    t.add("sample_period", &R::sample_period, duration({1e-3}), "Of the time series; at least 1 ms");
    t.add("max_stride", &R::max_stride, word_or("unlimited", std::int64_t{0}, whole64(1, INT64_MAX)),
          "Steps fast-forwarded at once; never changes a result")
        .unrecorded();
    t.add("record", &R::record, record.codec(), "What is written to the result file");
    return t;
  }();
  return table;
}

}  // namespace

const Table<ScenarioDoc>& scenario_table() {
  static const Table<ScenarioDoc> table = [] {
    using S = ScenarioDoc;
    Table<RouterDoc> router("router");
    router.add("policy", &RouterDoc::policy, one_of(names(kRouterPolicies), {"prefix_affinity", "kv_aware"}),
               explain(kRouterPolicies));
    Table<S> t("a scenario");
    t.add("name", &S::name, text(), "Name of the run; default: the file's");
    t.add("seed", &S::seed, unsigned64(), "The same seed gives the same result");
    t.add("cluster", &S::cluster, cluster_table().codec(), "The hardware").required();
    t.add("deployments", &S::deployments, list_of(deployment_table().codec(), 1),
          "Models and how they are served")
        .required();
    t.add("router", &S::router, router.codec(), "Chooses a replica for each request");
    t.not_yet("disaggregation", {}, "disaggregated prefill and decode");
    t.add("workload", &S::workload, workload_table().codec(), "The requests").required();
    t.not_yet("power", {}, "power and clock limits");
    t.add("run", &S::run, run_table().codec(), "How long, and what is recorded");
    t.add("output", &S::output, text(), "The result file, relative to the working directory").unrecorded();
    return t;
  }();
  return table;
}

}  // namespace ridgepoint

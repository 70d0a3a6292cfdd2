// ridgepoint check: reads a scenario, prints what would run and what follows from it; simulates nothing.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/facts.hpp"
#include "cli/scenario_options.hpp"
#include "cluster/platform.hpp"

namespace ridgepoint::cli {
namespace {

std::string indented(const std::string& text) {
  std::string result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += "    " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return result;
}

std::string deployment_text(const DeploymentFacts& d) {
  std::string text =
      fmt::format("\nDeployment {}: {} on {}, {} replica{} of {} GPU{}\n", d.name, d.model, d.gpu, d.replicas,
                  d.replicas == 1 ? "" : "s", d.gpus_per_replica, d.gpus_per_replica == 1 ? "" : "s");
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<34} {}\n", name, value);
  };
  const Engine& engine = d.deployment->engine;
  const Model& model = d.deployment->model;
  const Calibration& calibration = d.group->calibration;
  line("Engine:", std::string(name(engine.version)));
  line("Formats:",
       fmt::format("dtype {}, weights {}, KV cache {}", name(engine.dtype),
                   model.quantization.method == "none"
                       ? std::string(name(engine.dtype))
                       : fmt::format("{} ({})", name(model.quantization.weights), model.quantization.method),
                   name(engine.kv_cache_dtype)));
  line("Batch limits:",
       fmt::format("max_num_seqs {}, max_num_batched_tokens {}, max_model_len {}", engine.max_num_seqs,
                   engine.max_num_batched_tokens, engine.max_model_len));
  line("Calibration:", fmt::format("{}{}; error of a step: median {:.0f} %, 90th percentile {:.0f} %",
                                   calibration.name, calibration.by_analogy ? " (by analogy)" : "",
                                   100 * calibration.band.median, 100 * calibration.band.p90));
  std::string parameters = fmt::format("{:.3f} billion", static_cast<double>(d.parameters) * 1e-9);
  if (model.moe())
    parameters += fmt::format(", {:.3f} active a token (without the input embedding)",
                              static_cast<double>(d.active_parameters) * 1e-9);
  line("Parameters:", parameters);
  line("Weights a GPU:", fmt::format("{:.2f} GB", d.weights_per_gpu.v * 1e-9));
  line("KV cache a token:",
       fmt::format("{:.1f} KiB over all GPUs, each head counted once", d.kv_per_token.v / 1024));
  line("KV blocks a replica:", fmt::format("{} of {} tokens", d.memory.blocks, d.memory.block_size));
  text += indented(d.memory.derivation());
  line("Longest request that fits:", fmt::format("{} tokens", d.longest_request));
  if (d.memory.longest > d.longest_request)
    line("", fmt::format("the model's own limit; the KV cache would hold {}", d.memory.longest));
  line("Concurrency at max_model_len:", fmt::format("{:.2f} requests", d.memory.concurrency));
  line("Decode intensity at batch 1:",
       fmt::format("{:.2f} FLOP/B (context {})", d.decode_intensity, d.intensity_context));
  return text;
}

std::string gpu_text(const GpuFacts& gpu) {
  std::string text =
      fmt::format("\nGPU {} ({}): {:.3f} TB/s\n", gpu.name, gpu.title, gpu.bandwidth.v * 1e-12);
  for (const GpuFacts::Ridge& r : gpu.ridges)
    text += fmt::format("  {:<8} {:8.1f} TFLOP/s   ridge point {:7.1f} FLOP/B\n", name(r.dtype),
                        r.peak.v * 1e-12, r.ridge.v);
  return text;
}

std::string cluster_text(const Scenario& scenario) {
  std::string text = fmt::format("Scenario {}, seed {}\n", scenario.name, scenario.seed);
  for (const NodeGroup& group : scenario.nodes)
    text += fmt::format("  {:<10} {} x {} ({} x {} each)\n", "Nodes:", group.count, group.node.name,
                        group.node.gpus, group.gpu.name);
  const GpuUse use = gpu_use(scenario);
  text += fmt::format("  {:<10} {}, {} used, {} left over\n", "GPUs:", use.all, use.used, use.all - use.used);
  if (!scenario.fabric.name.empty())
    text += fmt::format("  {:<10} {} (carries nothing yet: each replica stands in one node)\n",
                        "Fabric:", scenario.fabric.name);
  text += fmt::format("  {:<10} {}\n", "Router:", scenario.router_policy);
  for (const Stream& stream : scenario.workload.streams) {
    std::string how = stream.trace ? "trace " + stream.trace->path : std::string();
    const auto add = [&how](const std::string& part) { how += (how.empty() ? "" : ", ") + part; };
    if (stream.rate)
      add(fmt::format("{:g} {} a second", *stream.rate, stream.session ? "sessions" : "requests"));
    if (stream.concurrency) add(fmt::format("{} users in a closed loop", *stream.concurrency));
    if (stream.num_requests > 0) add(fmt::format("{} requests", stream.num_requests));
    if (stream.duration > Nanos{0}) add(fmt::format("for {:g} s", to_seconds(stream.duration).v));
    text += fmt::format("  {:<10} {} -> {}: {}\n", "Stream:", stream.name,
                        scenario.deployments[static_cast<std::size_t>(stream.deployment)].name, how);
  }
  return text;
}

nlohmann::ordered_json to_json(const Scenario& scenario) {
  nlohmann::ordered_json json{{"scenario", scenario.name}, {"seed", scenario.seed}};
  const GpuUse use = gpu_use(scenario);
  json["gpu_count"] = use.all;
  json["gpus_unused"] = use.all - use.used;
  json["deployments"] = nlohmann::ordered_json::array();
  for (const DeploymentFacts& d : deployment_facts(scenario))
    json["deployments"].push_back({{"name", d.name},
                                   {"model", d.model},
                                   {"gpu", d.gpu},
                                   {"node", d.node},
                                   {"replicas", d.replicas},
                                   {"gpus_per_replica", d.gpus_per_replica},
                                   {"engine_version", name(d.deployment->engine.version)},
                                   {"dtype", name(d.deployment->engine.dtype)},
                                   {"quantization", d.deployment->model.quantization.method},
                                   {"kv_cache_dtype", name(d.deployment->engine.kv_cache_dtype)},
                                   {"max_num_seqs", d.deployment->engine.max_num_seqs},
                                   {"max_num_batched_tokens", d.deployment->engine.max_num_batched_tokens},
                                   {"max_model_len", d.deployment->engine.max_model_len},
                                   {"calibration", d.group->calibration.name},
                                   {"calibration_by_analogy", d.group->calibration.by_analogy},
                                   {"error_median", d.group->calibration.band.median},
                                   {"error_p90", d.group->calibration.band.p90},
                                   {"parameters", d.parameters},
                                   {"active_parameters", d.active_parameters},
                                   {"weight_bytes_per_gpu", d.weights_per_gpu.v},
                                   {"kv_bytes_per_token", d.kv_per_token.v},
                                   {"kv_blocks", d.memory.blocks},
                                   {"kv_block_bytes_per_gpu", d.memory.block_bytes},
                                   {"block_size", d.memory.block_size},
                                   {"hbm_bytes", d.memory.hbm.v},
                                   {"requested_bytes", d.memory.requested.v},
                                   {"activation_bytes", d.memory.activations.v},
                                   {"reserve_bytes", d.memory.reserve.v},
                                   {"kv_bytes_available", d.memory.available.v},
                                   {"longest_request_tokens", d.longest_request},
                                   {"longest_request_kv_tokens", d.memory.longest},
                                   {"max_concurrency", d.memory.concurrency},
                                   {"decode_intensity_flop_per_byte", d.decode_intensity},
                                   {"decode_intensity_context", d.intensity_context}});
  json["gpus"] = nlohmann::ordered_json::array();
  for (const GpuFacts& gpu : gpu_facts(scenario)) {
    nlohmann::ordered_json entry{{"name", gpu.name}, {"hbm_bytes_per_s", gpu.bandwidth.v}};
    for (const GpuFacts::Ridge& r : gpu.ridges)
      entry["ridge_point_flop_per_byte"][std::string(name(r.dtype))] = r.ridge.v;
    json["gpus"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

int check_command(const Arguments& arguments) {
  OptionSet set;
  set.command = "check";
  set.details =
      "Reads the scenario, refuses what cannot be right, and prints the sizes that follow from it: weights, "
      "KV\n"
      "blocks with their derivation, concurrency, ridge points. Opens no trace and simulates nothing.";
  add_scenario_options(set);
  set.options.add_options()("json", "print as JSON");
  const auto values = parse_options(set, arguments);
  if (!values) return 0;
  const Scenario scenario = load_scenario_from(*values);
  validate_platform(scenario);
  if (values->count("json") > 0) {
    fmt::print("{}\n", to_json(scenario).dump(2));
    return 0;
  }
  std::string text = cluster_text(scenario);
  for (const DeploymentFacts& d : deployment_facts(scenario)) text += deployment_text(d);
  for (const GpuFacts& gpu : gpu_facts(scenario)) text += gpu_text(gpu);
  fmt::print("{}", text);
  return 0;
}

}  // namespace ridgepoint::cli

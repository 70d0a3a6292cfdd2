// ridgepoint check: reads a scenario, prints what would run and what follows from it; simulates nothing.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/facts.hpp"
#include "cli/scenario_options.hpp"

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
  line("Parameters:",
       fmt::format("{:.3f} billion, {:.3f} active a token", static_cast<double>(d.parameters) * 1e-9,
                   static_cast<double>(d.active_parameters) * 1e-9));
  line("Weights a GPU:", fmt::format("{:.2f} GB", d.weights_per_gpu.v * 1e-9));
  line("KV cache a token:",
       fmt::format("{:.1f} KiB over all GPUs, each head counted once", d.kv_per_token.v / 1024));
  line("KV blocks a replica:", fmt::format("{} of {} tokens", d.memory.blocks, d.memory.block_size));
  text += indented(d.memory.derivation());
  line("Longest request that fits:", fmt::format("{} tokens", d.memory.longest));
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
  if (!scenario.fabric.name.empty()) text += fmt::format("  {:<10} {}\n", "Fabric:", scenario.fabric.name);
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
  json["deployments"] = nlohmann::ordered_json::array();
  for (const DeploymentFacts& d : deployment_facts(scenario))
    json["deployments"].push_back({{"name", d.name},
                                   {"model", d.model},
                                   {"gpu", d.gpu},
                                   {"node", d.node},
                                   {"replicas", d.replicas},
                                   {"gpus_per_replica", d.gpus_per_replica},
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
                                   {"longest_request_tokens", d.memory.longest},
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

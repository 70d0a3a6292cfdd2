#include "scenario/resolve.hpp"

#include <set>

#include "cost/memory.hpp"
#include "scenario/load.hpp"

namespace ridgepoint {
namespace {

/// The node groups, with the files they name.
std::vector<NodeGroup> resolve_nodes(ClusterDoc& cluster, const ResolveContext& c) {
  std::vector<NodeGroup> groups;
  std::set<std::string> names;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    NodeGroupDoc& doc = cluster.nodes[i];
    const std::string key = "cluster.nodes." + std::to_string(i);
    NodeGroup g;
    g.count = doc.count;
    if (!doc.name) doc.name = doc.type;
    if (!c.bad(key + ".name")) g.name = *doc.name;  // else unknown: it is not the type's
    if (!c.bad(key + ".type")) try {
        g.node = load_node(c.data_root, doc.type);
        g.gpu = load_gpu(c.data_root, g.node.gpu);
        g.calibration = load_calibration(c.data_root, g.gpu.calibration);
      } catch (const ConfigError& e) {
        c.take(e, key + ".type");
      }
    if (!g.name.empty() && !names.insert(g.name).second)
      c.problem(key + ".name", "another node group is called `" + g.name + "`",
                "give each a `name` of its own");
    groups.push_back(std::move(g));
  }
  return groups;
}

Fabric resolve_fabric(const ClusterDoc& cluster, const ResolveContext& c) {
  if (c.bad("cluster.fabric")) return {};
  if (!cluster.fabric) {
    std::int64_t nodes = 0;  // at least: a count that cannot be read is taken for 1
    for (const NodeGroupDoc& g : cluster.nodes) nodes += g.count;
    if (nodes > 1)
      c.problem("cluster.fabric", "several nodes, and nothing that joins them",
                "give a fabric; `list fabrics` names those of the catalog");
    return {};
  }
  if (cluster.fabric->written_out) return *cluster.fabric->written_out;
  try {
    return load_fabric(c.data_root, cluster.fabric->name);
  } catch (const ConfigError& e) {
    c.take(e, "cluster.fabric");
  }
  return {};
}

/// Names and models; engines follow once the GPUs are known.
std::vector<Deployment> name_deployments(ScenarioDoc& doc, const ResolveContext& c) {
  std::vector<Deployment> deployments;
  std::set<std::string> names;
  for (std::size_t i = 0; i < doc.deployments.size(); ++i) {
    const DeploymentDoc& d = doc.deployments[i];
    const std::string key = "deployments." + std::to_string(i);
    Deployment out;
    out.name = d.name;
    out.replicas = d.replicas;
    out.engine.tensor_parallel_size = d.engine.tensor_parallel_size;
    if (!c.bad(key + ".name") && !names.insert(d.name).second)
      c.problem(key + ".name", "another deployment is called `" + d.name + "`", "give each its own name");
    const bool is_path = d.model.find('/') != std::string::npos || d.model.ends_with(".json");
    if (!c.bad(key + ".model")) try {
        out.model = load_model(c.data_root, is_path ? locate(d.model, c.base) : d.model);
      } catch (const ConfigError& e) {
        c.take(e, key + ".model");
      }
    deployments.push_back(std::move(out));
  }
  return deployments;
}

/// The setting without which the model would fit.
std::string to_blame(const Deployment& d, const Gpu& gpu) {
  Engine e = d.engine;
  const auto fits = [&] {
    try {
      plan_memory(d.model, e, gpu);
      return true;
    } catch (const ConfigError&) {
      return false;
    }
  };
  e.max_model_len = 1;
  if (fits()) return "max_model_len";
  e.num_gpu_blocks_override.reset();
  if (fits()) return "num_gpu_blocks_override";
  e.kv_cache_memory_bytes.reset();
  if (fits()) return "kv_cache_memory_bytes";
  return "tensor_parallel_size";
}

/// A model that does not fit is a problem of the key that would make it fit.
void check_memory(const Deployment& d, const Gpu& gpu, const std::string& key, const ResolveContext& c) {
  try {
    plan_memory(d.model, d.engine, gpu);
  } catch (const ConfigError& e) {
    const std::string& named = e.problems().front().key;
    c.take(e, key + ".engine." + (named.empty() ? to_blame(d, gpu) : named));
  }
}

void resolve_engines(Scenario& s, ScenarioDoc& doc, const ResolveContext& c) {
  for (std::size_t i = 0; i < s.deployments.size(); ++i) {
    Deployment& d = s.deployments[i];
    const std::string key = "deployments." + std::to_string(i);
    EngineDoc& engine = doc.deployments[i].engine;
    if (d.placements.empty() || c.bad(key + ".engine")) {
      check_engine(engine, c.bad(key + ".model") ? nullptr : &d.model, key + ".engine", c);
      continue;
    }
    const Gpu& gpu = d.group(s).gpu;
    d.engine = resolve_engine(engine, d.model, gpu, key + ".engine", c);
    if (!c.bad(key + ".engine")) check_memory(d, gpu, key, c);
  }
}

void check_run(const RunOptions& run, const ResolveContext& c) {
  if (run.until && run.warmup >= *run.until)
    c.problem("run.warmup", "nothing is left after it: the run ends earlier", "give less than run.until");
}

}  // namespace

void ResolveContext::take(const ConfigError& e, const std::string& key) const {
  std::vector<Problem> problems = e.problems();
  for (Problem& p : problems) {
    if (!p.file.empty()) continue;
    const Problem placed = problem_at(place_of(root, key), key, p.what, p.remedy);
    p = placed;
  }
  reader.take(ConfigError(problems));
  // A file that is named here has problems: what follows from it need not be said.
  if (!problems.empty() && !reader.bad(key))
    problem(key, "the file it names has problems, listed apart", "correct that file");
}

std::string choose_from(const std::string& given, const std::vector<std::string>& names,
                        const std::string& none) {
  if (names.empty()) return none;
  const std::string near = nearest_name(given, names);
  if (!near.empty()) return "did you mean `" + near + "`?";
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  return "there are: " + all;
}

Scenario resolve(ScenarioDoc& doc, const ResolveContext& c) {
  Scenario s;
  s.name = doc.name;
  s.seed = doc.seed;
  s.nodes = resolve_nodes(doc.cluster, c);
  s.fabric = resolve_fabric(doc.cluster, c);
  s.deployments = name_deployments(doc, c);
  place_replicas(s, doc, c);
  resolve_engines(s, doc, c);
  s.router_policy = doc.router.policy;
  s.run = doc.run;
  check_run(s.run, c);
  s.workload = resolve_workload(doc.workload, s, c);
  s.output = doc.output.value_or("");
  return s;
}

}  // namespace ridgepoint

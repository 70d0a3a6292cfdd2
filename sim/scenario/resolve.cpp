#include "scenario/resolve.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "cost/memory.hpp"
#include "scenario/load.hpp"
#include "scenario/units_text.hpp"

namespace ridgepoint {
namespace {

constexpr std::int64_t kMostSamples =
    5'000'000;  // of each replica: minutes of sampling, gigabytes of results
constexpr std::int64_t kMostNodes = 1'000'000;

/// What a hardware file is called: its path from the working directory, or a name of the catalog.
std::string locate_hardware(const std::string& given, const ResolveContext& c) {
  const bool is_path = given.find('/') != std::string::npos || given.ends_with(".yaml");
  return is_path ? locate(given, c.base) : given;
}

/// The node groups, with the files they name.
std::vector<NodeGroup> resolve_nodes(ClusterDoc& cluster, const ResolveContext& c) {
  std::vector<NodeGroup> groups;
  std::set<std::string> names;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    NodeGroupDoc& doc = cluster.nodes[i];
    const std::string key = "cluster.nodes." + std::to_string(i);
    NodeGroup g;
    g.count = doc.count;
    if (!doc.name)
      doc.name = doc.type.ends_with(".yaml") ? std::filesystem::path(doc.type).stem().string() : doc.type;
    if (!c.bad(key + ".name")) g.name = *doc.name;  // else unknown: it is not the type's
    if (!c.bad(key + ".type")) try {
        g.node = load_node(c.data_root, locate_hardware(doc.type, c));
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
  std::int64_t nodes = 0;
  for (const NodeGroup& g : groups) nodes += g.count;
  if (nodes > kMostNodes)
    c.problem("cluster.nodes", std::to_string(nodes) + " nodes in all",
              "give at most " + std::to_string(kMostNodes));
  return groups;
}

Fabric resolve_fabric(const ClusterDoc& cluster, const ResolveContext& c) {
  if (c.bad("cluster.fabric")) return {};
  if (!cluster.fabric) return {};  // nothing crosses nodes: a replica stands in one
  if (cluster.fabric->written_out) return *cluster.fabric->written_out;
  try {
    return load_fabric(c.data_root, locate_hardware(cluster.fabric->name, c));
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

/// When the run is over at the latest, as far as the file says: idle time is sampled too.
Nanos known_end(const Scenario& s) {
  if (s.run.until) return *s.run.until;
  double end = 0;  // s; the sum of two long times may leave the integer's range
  for (const Stream& stream : s.workload.streams) {
    double last = to_seconds(stream.duration).v;
    if (stream.duration == Nanos{0} && stream.rate && !stream.concurrency) {
      const bool steps = stream.rate_profile.type == RateProfile::Type::steps;
      if (steps && !stream.rate_profile.steps.empty())
        last = to_seconds(stream.rate_profile.steps.back().start).v;
      else if (!steps && !stream.session)
        last = static_cast<double>(stream.num_requests) / *stream.rate;
    }
    end = std::max(end, to_seconds(stream.start).v + last);
  }
  return to_nanos(Seconds{std::min(end, kLongestRun)});
}

void check_samples(const Scenario& s, const ResolveContext& c) {
  if (!s.run.record.timeseries || s.run.sample_period <= Nanos{0} || c.bad("run")) return;
  const Nanos end = known_end(s);
  if (end / s.run.sample_period <= kMostSamples) return;
  const Nanos unit = end / kMostSamples < std::chrono::seconds(1) ? Nanos(1'000'000) : Nanos(1'000'000'000);
  const std::int64_t enough = end.count() / (kMostSamples * unit.count()) + 1;
  c.problem("run.sample_period",
            format_duration(s.run.sample_period) + " makes " + std::to_string(end / s.run.sample_period) +
                " samples of a run of " + format_duration(end) + "; a run may have 5 million",
            "give at least " + format_duration(unit * enough) + ", or record: {timeseries: false}");
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
  check_samples(s, c);
  s.output = doc.output.value_or("");
  return s;
}

}  // namespace ridgepoint

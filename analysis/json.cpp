// The summary for machines: names as in the result file of `vllm bench serve`, own ones where it has none.
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/summary.hpp"

namespace ridgepoint::analysis {
namespace {

using Json = nlohmann::ordered_json;
using Attributes = std::vector<std::pair<std::string, double>>;

void add_statistics(Attributes& into, const std::string& name, const Statistics& s) {
  if (s.count == 0) return;
  into.emplace_back("mean_" + name + "_ms", s.mean);
  into.emplace_back("median_" + name + "_ms", s.median);
  into.emplace_back("std_" + name + "_ms", s.std);
  into.emplace_back("p90_" + name + "_ms", s.p90);
  into.emplace_back("p95_" + name + "_ms", s.p95);
  into.emplace_back("p99_" + name + "_ms", s.p99);
  into.emplace_back("max_" + name + "_ms", s.max);
}

Attributes group_attributes(const GroupSummary& g) {
  Attributes a{{"completed", static_cast<double>(g.completed)},
               {"refused", static_cast<double>(g.refused)},
               {"unfinished", static_cast<double>(g.unfinished)},
               {"warmup_requests", static_cast<double>(g.warmup)},
               {"measured_requests", static_cast<double>(g.measured)},
               {"total_input_tokens", static_cast<double>(g.input_tokens)},
               {"total_output_tokens", static_cast<double>(g.output_tokens)},
               {"request_throughput", g.request_throughput},
               {"output_throughput", g.output_throughput},
               {"total_token_throughput", g.total_token_throughput}};
  if (g.request_goodput >= 0) a.emplace_back("request_goodput", g.request_goodput);
  for (const auto& [name, share] : {std::pair{"slo_attainment", g.slo_attainment},
                                    {"ttft_slo_attainment", g.ttft_attainment},
                                    {"tpot_slo_attainment", g.tpot_attainment},
                                    {"e2el_slo_attainment", g.e2e_attainment}})
    if (share >= 0) a.emplace_back(name, share);
  add_statistics(a, "ttft", g.ttft);
  add_statistics(a, "tpot", g.tpot);
  add_statistics(a, "e2el", g.e2el);
  add_statistics(a, "queued", g.queued);
  return a;
}

/// Whole numbers without a decimal point.
Json number(double v) {
  if (!std::isfinite(v)) return nullptr;
  if (v == std::floor(v) && std::abs(v) < 9e15) return static_cast<std::int64_t>(v);
  return v;
}

Json object(const Attributes& attributes) {
  Json o = Json::object();
  for (const auto& [name, value] : attributes) o[name] = number(value);
  return o;
}

}  // namespace

Attributes summary_attributes(const Summary& s) {
  Attributes a{{"duration", s.duration_s}};
  const Attributes all = group_attributes(s.all);
  a.insert(a.end(), all.begin(), all.end());
  add_statistics(a, "itl", s.itl);
  for (const auto& [part, share] : s.ledger) a.emplace_back(part + "_share", share);
  a.emplace_back("prefix_cache_hit_rate", s.prefix_cache_hit_rate);
  a.emplace_back("preemptions", static_cast<double>(s.preemptions));
  if (s.cost_per_million_output >= 0)
    a.emplace_back("usd_per_million_output_tokens", s.cost_per_million_output);
  if (s.cost_per_million_total >= 0) a.emplace_back("usd_per_million_total_tokens", s.cost_per_million_total);
  return a;
}

std::string to_json(const Summary& s) {
  Json j = Json::object();
  j["scenario"] = s.scenario;
  j.update(object(summary_attributes(s)));
  j["binds"] = s.binds;
  Json streams = Json::object(), classes = Json::object();
  for (const GroupSummary& g : s.streams) streams[g.name] = object(group_attributes(g));
  for (const GroupSummary& g : s.slo_classes) classes[g.name] = object(group_attributes(g));
  j["streams"] = streams;
  j["slo_classes"] = classes;
  j["warnings"] = s.warnings;
  j["notes"] = s.notes;
  return j.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ridgepoint::analysis

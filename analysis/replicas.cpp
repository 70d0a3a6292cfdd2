#include "analysis/replicas.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analysis/statistics.hpp"

namespace ridgepoint::analysis {
namespace {

struct Part {
  const char* name;
  const char* words;  ///< what binds when this share is the largest; nullptr: it is not work
};
constexpr std::array<Part, 5> kParts{{{"compute", "compute"},
                                      {"memory", "memory bandwidth"},
                                      {"interconnect", "interconnect"},
                                      {"overhead", "host and launch overhead"},
                                      {"idle", nullptr}}};

constexpr double kRounding = 1e-9;  ///< of sums of nanoseconds in doubles

double sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

void summarize_ledger(const ResultReader& file, std::int64_t replicas, Summary& summary) {
  const double wall = sum(file.values("/replicas/wall_ns", replicas));
  double parts = 0;
  for (const Part& p : kParts) {
    const double part = sum(file.values(std::string("/replicas/") + p.name + "_ns", replicas));
    parts += part;
    // A run of no length was idle all through.
    summary.ledger.emplace_back(p.name, wall > 0 ? part / wall : (p.words == nullptr ? 1 : 0));
  }
  if (std::abs(parts - wall) > kRounding * wall)
    refuse(file.name(), "/replicas/wall_ns is not the sum of compute_ns, memory_ns, ... idle_ns");
}

void summarize_itl(const ResultReader& file, Summary& summary) {
  const std::vector<double> lower = file.values("/histograms/itl_s");
  const auto bins = static_cast<std::int64_t>(lower.size());
  const std::vector<double> upper = file.values("/histograms/itl_upper", bins);
  const NumberColumn column = file.column("/histograms/itl");
  if (column.width() != bins) refuse(file.name(), "/histograms/itl has other bins than /histograms/itl_s");
  for (std::size_t b = 0; b < lower.size(); ++b)
    if (upper[b] < lower[b])
      refuse(file.name(), fmt::format("/histograms/itl_upper holds {} below its bin's start", upper[b]));
  std::vector<double> counts(lower.size(), 0), row(lower.size());
  for (std::int64_t r = 0; r < column.rows(); ++r) {
    column.read(r, row);
    for (std::size_t b = 0; b < row.size(); ++b) counts[b] += row[b];
  }
  summary.itl = statistics_of_bins(lower, upper, counts);
}

std::vector<double> limits_by_replica(const ResultReader& file, const std::vector<double>& deployment) {
  const std::vector<double> limit = file.values("/deployments/max_num_seqs");
  std::vector<double> limits;
  for (const double d : deployment) {
    if (!(d >= 0 && d < static_cast<double>(limit.size())))
      refuse(file.name(), "/replicas/deployment points outside /deployments");
    limits.push_back(limit[static_cast<std::size_t>(d)]);
  }
  return limits;
}

}  // namespace

ReplicaFacts summarize_replicas(const ResultReader& file, Summary& summary) {
  ReplicaFacts facts;
  const std::vector<double> deployment = file.values("/replicas/deployment");
  facts.replicas = static_cast<std::int64_t>(deployment.size());
  const auto total = [&](const char* column) {
    const double n = sum(file.values(std::string("/replicas/") + column, facts.replicas));
    if (!(n <= Range{}.most)) refuse(file.name(), fmt::format("/replicas/{} adds up to {}", column, n));
    return n;
  };
  facts.requests = total("requests");
  facts.prompt_tokens = total("prompt_tokens");
  facts.cached_tokens = total("cached_tokens");
  facts.output_tokens = total("output_tokens");
  facts.max_num_seqs = limits_by_replica(file, deployment);
  const std::vector<double> prices = file.values("/replicas/price_per_hour", facts.replicas);
  const bool known =
      !prices.empty() && std::all_of(prices.begin(), prices.end(), [](double p) { return p > 0; });
  facts.price_per_hour = known ? sum(prices) : 0;
  const double queried = total("queried_tokens");
  if (facts.cached_tokens > queried)
    refuse(file.name(), "/replicas/cached_tokens holds more than /replicas/queried_tokens");
  summary.prefix_cache_hit_rate = queried > 0 ? facts.cached_tokens / queried : 0;
  summary.preemptions = static_cast<std::int64_t>(total("preemptions"));
  summarize_ledger(file, facts.replicas, summary);
  summarize_itl(file, summary);
  return facts;
}

std::string largest_busy_share(const Summary& summary) {
  const char* words = "";
  double largest = 0;
  for (std::size_t i = 0; i < summary.ledger.size() && i < kParts.size(); ++i)
    if (kParts[i].words != nullptr && summary.ledger[i].second > largest) {
      largest = summary.ledger[i].second;
      words = kParts[i].words;
    }
  return words;
}

}  // namespace ridgepoint::analysis

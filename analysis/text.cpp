// The summary for people, laid out as `vllm bench serve` prints its own.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "analysis/summary.hpp"

namespace ridgepoint::analysis {
namespace {

constexpr std::size_t kWidth = 50;

/// The title centred in a line of `fill`.
std::string rule(const std::string& title, char fill) {
  const auto left = title.size() < kWidth ? (kWidth - title.size()) / 2 : 0;
  std::string line = std::string(left, fill) + title;
  if (line.size() < kWidth) line.append(kWidth - line.size(), fill);
  return line + "\n";
}
std::string row(const std::string& name, std::int64_t value) {
  return fmt::format("{:<40} {:<10}\n", name, value);
}
std::string row(const std::string& name, double value, int digits = 2) {
  return fmt::format("{:<40} {:<10.{}f}\n", name, value, digits);
}

std::string section(const std::string& title, const std::string& name, const Statistics& s) {
  if (s.count == 0) return "";
  return rule(title, '-') + row("Mean " + name + " (ms):", s.mean) +
         row("Median " + name + " (ms):", s.median) + row("P90 " + name + " (ms):", s.p90) +
         row("P95 " + name + " (ms):", s.p95) + row("P99 " + name + " (ms):", s.p99);
}

struct Limit {
  const char *row, *column;
  double GroupSummary::*attained;
};
constexpr std::array<Limit, 4> kLimits{
    {{"SLO attainment (%):", "SLO met", &GroupSummary::slo_attainment},
     {"TTFT limit attained (%):", "by TTFT", &GroupSummary::ttft_attainment},
     {"TPOT limit attained (%):", "by TPOT", &GroupSummary::tpot_attainment},
     {"E2EL limit attained (%):", "by E2EL", &GroupSummary::e2e_attainment}}};

std::string totals(const Summary& s) {
  const GroupSummary& g = s.all;
  std::string t = row("Successful requests:", g.completed);
  if (g.refused > 0) t += row("Refused requests:", g.refused);
  if (g.unfinished > 0) t += row("Unfinished requests:", g.unfinished);
  if (g.warmup > 0) t += row("Arrived in warm-up (not in latencies):", g.warmup);
  t += row("Benchmark duration (s):", s.duration_s);
  t += row("Total input tokens:", g.input_tokens);
  t += row("Total generated tokens:", g.output_tokens);
  t += row("Request throughput (req/s):", g.request_throughput);
  if (g.request_goodput >= 0) t += row("Request goodput (req/s):", g.request_goodput);
  for (const Limit& l : kLimits)
    if (g.*l.attained >= 0) t += row(l.row, g.*l.attained * 100);
  t += row("Output token throughput (tok/s):", g.output_throughput);
  t += row("Total Token throughput (tok/s):", g.total_token_throughput);
  return t;
}

/// One line a group; columns as wide as their longest entry.
std::string table(const std::string& heading, const std::vector<GroupSummary>& groups) {
  std::vector<std::vector<std::string>> cells{{heading, "done", "refused", "unfin.", "req/s", "tok/s",
                                               "TTFT mean", "P99", "TPOT mean", "P99", "goodput"}};
  const auto ms = [](const Statistics& s, double v) { return s.count > 0 ? fmt::format("{:.1f}", v) : "-"; };
  for (const GroupSummary& g : groups)
    cells.push_back({g.name, std::to_string(g.completed), std::to_string(g.refused),
                     std::to_string(g.unfinished), fmt::format("{:.2f}", g.request_throughput),
                     fmt::format("{:.1f}", g.output_throughput), ms(g.ttft, g.ttft.mean),
                     ms(g.ttft, g.ttft.p99), ms(g.tpot, g.tpot.mean), ms(g.tpot, g.tpot.p99),
                     g.request_goodput >= 0 ? fmt::format("{:.2f}", g.request_goodput) : "-"});
  for (const Limit& l : kLimits) {
    const auto limited = [&](const GroupSummary& g) { return g.*l.attained >= 0; };
    if (std::none_of(groups.begin(), groups.end(), limited)) continue;
    cells[0].push_back(l.column);
    for (std::size_t i = 0; i < groups.size(); ++i)
      cells[i + 1].push_back(limited(groups[i]) ? fmt::format("{:.1f} %", groups[i].*l.attained * 100) : "-");
  }
  std::string t;
  for (const auto& line : cells) {
    std::string text;
    for (std::size_t c = 0; c < line.size(); ++c) {
      std::size_t width = 0;
      for (const auto& other : cells) width = std::max(width, other[c].size());
      text += c == 0 ? fmt::format("{:<{}}", line[c], width) : fmt::format("  {:>{}}", line[c], width);
    }
    t += text + "\n";
  }
  return t;
}

std::string ledger(const Summary& s) {
  std::string t = rule("Where the replicas' time went", '-');
  for (const auto& [part, share] : s.ledger) t += row(part + " (%):", share * 100);
  t += fmt::format("{:<40} {}\n", "Bound by:", s.binds);
  if (s.preemptions > 0) t += row("Preemptions:", s.preemptions);
  if (s.prefix_cache_hit_rate > 0) t += row("Prefix cache hit rate (%):", s.prefix_cache_hit_rate * 100);
  if (s.cost_per_million_output >= 0)
    t += row("Cost per million output tokens (USD):", s.cost_per_million_output, 3);
  if (s.cost_per_million_total >= 0) t += row("Cost per million tokens (USD):", s.cost_per_million_total, 3);
  return t;
}

}  // namespace

std::string to_text(const Summary& s) {
  std::string t = rule(" Serving Benchmark Result ", '=');
  if (!s.scenario.empty()) t += fmt::format("{:<40} {}\n", "Scenario:", s.scenario);
  t += totals(s);
  t += section("Time to First Token", "TTFT", s.all.ttft);
  t += section("Time per Output Token (excl. 1st token)", "TPOT", s.all.tpot);
  t += section("Inter-token Latency", "ITL", s.itl);
  t += section("End-to-end Latency", "E2EL", s.all.e2el);
  t += section("Time in Queue", "queueing", s.all.queued);
  t += ledger(s);
  t += rule("", '=');
  if (s.streams.size() > 1) t += table("Stream (ms)", s.streams);
  if (!s.slo_classes.empty()) t += table("SLO class (ms)", s.slo_classes);
  for (const std::string& w : s.warnings) t += "warning: " + w + "\n";
  for (const std::string& n : s.notes) t += "note: " + n + "\n";
  return t;
}

}  // namespace ridgepoint::analysis

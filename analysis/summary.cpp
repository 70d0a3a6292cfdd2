#include "analysis/summary.hpp"

#include <fmt/core.h>

#include "analysis/queue.hpp"
#include "analysis/reader.hpp"
#include "analysis/replicas.hpp"
#include "analysis/requests.hpp"
#include "record/hdf5_file.hpp"

namespace ridgepoint::analysis {
namespace {

/// Without /requests (run.record.requests: false) the replicas' totals are what is left.
RequestSpan summarize_without_requests(const ResultReader& file, const ReplicaFacts& facts, Summary& s) {
  const double end = file.amount("/", "end_s");
  s.duration_s = end;
  GroupSummary& g = s.all;
  g.name = "all";
  g.completed = static_cast<std::int64_t>(file.amount("/", "completed_requests", facts.requests));
  g.refused = static_cast<std::int64_t>(file.amount("/", "refused_requests"));
  g.unfinished = static_cast<std::int64_t>(file.amount("/", "unfinished_requests"));
  g.measured = g.completed;
  g.input_tokens = static_cast<std::int64_t>(facts.prompt_tokens + facts.cached_tokens);
  g.output_tokens = static_cast<std::int64_t>(facts.output_tokens);
  if (end > 0) {
    g.request_throughput = static_cast<double>(g.completed) / end;
    g.output_throughput = facts.output_tokens / end;
    g.total_token_throughput = static_cast<double>(g.input_tokens + g.output_tokens) / end;
  }
  s.notes.push_back(
      "requests were not recorded (run.record.requests): no latencies but the gaps between tokens; tokens "
      "are the replicas' totals, warm-up included");
  return {0, end, end};
}

void add_costs(double price_per_hour, Summary& s) {
  if (price_per_hour <= 0) return;
  const double per_second = price_per_hour / 3600;
  if (s.all.output_throughput > 0) s.cost_per_million_output = per_second / s.all.output_throughput * 1e6;
  if (s.all.total_token_throughput > 0)
    s.cost_per_million_total = per_second / s.all.total_token_throughput * 1e6;
}

std::string what_binds(const Summary& s, const std::string& limit) {
  const std::string busy = largest_busy_share(s);
  const double idle = s.ledger.empty() ? 0 : s.ledger.back().second;
  if (busy.empty()) return "nothing: no request ran";
  if (!limit.empty()) return fmt::format("{} (requests wait for it), steps: {}", limit, busy);
  if (idle > 0.5) return fmt::format("idle: arrivals, steps: {}", busy);
  return busy;
}

void add_warnings(const QueueFacts& queue, Summary& s) {
  if (queue.grew)
    s.warnings.push_back(
        fmt::format("the queue grew all through the run ({0} in the first third of the arrivals, {1} in the "
                    "second, {2} in the "
                    "last): latency percentiles measure the length of the run, not the system",
                    queue.thirds_are_requests ? fmt::format("{:.1f} requests waiting", queue.thirds[0])
                                              : fmt::format("{:.2f} s queued", queue.thirds[0]),
                    queue.thirds_are_requests ? fmt::format("{:.1f}", queue.thirds[1])
                                              : fmt::format("{:.2f} s", queue.thirds[1]),
                    queue.thirds_are_requests ? fmt::format("{:.1f}", queue.thirds[2])
                                              : fmt::format("{:.2f} s", queue.thirds[2])));
}

void add_request_warnings(const ResultReader& file, Summary& s) {
  const double unfinished = file.amount("/", "unfinished_requests");
  if (unfinished > 0)
    s.warnings.push_back(fmt::format(
        "unfinished when the run ended: {:.0f} (censored); latencies are those of the requests that "
        "finished, SLO attainment counts the others as misses",
        unfinished));
  if (s.all.refused > 0)
    s.warnings.push_back(
        fmt::format("refused because they could never run: {}; SLO attainment counts them as misses, "
                    "throughputs and latencies leave them out",
                    s.all.refused));
  if (s.all.measured == 0 && s.all.warmup > 0)
    s.warnings.push_back("no request that completed arrived after the warm-up: there are no latencies");
}

void add_calibrations(const ResultReader& file, Summary& s) {
  const auto names = file.texts("/provenance", "calibrations");
  const auto basis = file.texts("/provenance", "calibration_basis");
  const auto median = file.numbers("/provenance", "calibration_median_error");
  const auto p90 = file.numbers("/provenance", "calibration_p90_error");
  const auto analogy = file.numbers("/provenance", "calibration_by_analogy");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string from = i < basis.size() ? basis[i] : "";
    const bool known = i < median.size() && i < p90.size() && p90[i] > 0;
    const std::string band = known ? fmt::format("within {:.0f} % (median), {:.0f} % (90th percentile)",
                                                 median[i] * 100, p90[i] * 100)
                                   : "";
    std::string note = "calibration " + names[i] + ": ";
    if (i < analogy.size() && analogy[i] != 0) {
      note += from.empty() ? "by analogy, this device was not measured" : from;
      note += known ? "; step times assumed " + band : "; error not known";
    } else {
      note += known ? "step times " + band : "error not known";
      if (!from.empty()) note += known ? " of " + from : ", from " + from;
    }
    s.notes.push_back(note);
  }
}

void add_traces(const ResultReader& file, Summary& s) {
  if (!file.has("/traces")) return;
  const auto read = file.values("/traces/read");
  const auto rows = static_cast<std::int64_t>(read.size());
  const auto accepted = file.values("/traces/accepted", rows);
  const auto streams = file.texts("/traces/trace", "streams");
  const auto paths = file.texts("/traces/trace", "paths");
  const auto reasons = file.texts("/traces/reason", "names");
  const auto dropped =
      file.has("/traces/dropped") ? file.values("/traces/dropped", rows) : std::vector<double>{};
  const std::size_t width = read.empty() ? 0 : dropped.size() / read.size();
  for (std::size_t i = 0; i < read.size(); ++i) {
    std::string note = fmt::format("trace {} (stream {}): {:.0f} rows read, {:.0f} accepted",
                                   i < paths.size() ? paths[i] : "?", i < streams.size() ? streams[i] : "?",
                                   read[i], accepted[i]);
    for (std::size_t r = 0; r < width && r < reasons.size(); ++r)
      if (dropped[i * width + r] > 0)
        note += fmt::format(", {:.0f} dropped: {}", dropped[i * width + r], reasons[r]);
    s.notes.push_back(note);
  }
}

/// What the numbers count, in one line each.
void add_definitions(const ResultReader& file, const RequestSpan& span, Summary& s) {
  if (file.has("/requests") && s.duration_s > 0)
    s.notes.push_back(fmt::format(
        "measured span: {:g} s to {:.2f} s (the last completion); throughputs, goodput and cost count what "
        "finished in it, whenever it arrived",
        span.warmup, span.last_completion));
  if (s.cost_per_million_total >= 0)
    s.notes.push_back(
        "cost: the GPUs in use, each at its share of its node's price; idle GPUs of a node are not charged");
  if (span.warmup > 0)
    s.notes.push_back(fmt::format(
        "arrived in the first {:g} s and left out of latencies and SLO attainment: {}; gaps between "
        "tokens, ledger, prefix cache and preemptions cover the whole run",
        span.warmup, s.all.warmup));
}

}  // namespace

Summary summarize(const std::filesystem::path& path) {
  const ResultReader file(path);
  Summary s;
  s.scenario = file.text("/", "title");
  const ReplicaFacts replicas = summarize_replicas(file, s);
  const RequestSpan span =
      file.has("/requests") ? summarize_requests(file, s) : summarize_without_requests(file, replicas, s);
  const QueueFacts queue = inspect_queues(file, span, replicas);
  add_costs(replicas.price_per_hour, s);
  s.binds = what_binds(s, queue.limit);
  add_warnings(queue, s);
  add_request_warnings(file, s);
  add_definitions(file, span, s);
  add_calibrations(file, s);
  add_traces(file, s);
  return s;
}

void store_summary(const std::filesystem::path& path, const Summary& s) {
  h5::File file = h5::File::open_existing(path.string());
  {
    const h5::Group group = h5::Group::open_or_create(file, "summary", "what `ridgepoint summary` prints");
    for (const auto& [name, value] : summary_attributes(s)) h5::set_attribute(group.id(), name, value);
    h5::set_attribute(group.id(), "binds", s.binds);
    if (!s.warnings.empty()) h5::set_attribute(group.id(), "warnings", s.warnings);
  }
  file.close();
}

}  // namespace ridgepoint::analysis

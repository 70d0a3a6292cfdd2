// The summary of one result file, computed from its columns: what `run` and `summary` print.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ridgepoint::analysis {

/// One metric over the counted requests of a group: milliseconds.
struct Statistics {
  std::int64_t count = 0;
  double mean = 0, std = 0, median = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

/// One group of requests (all, a stream, an SLO class). Throughputs, goodput and cost are of the measured
/// span, from the end of warm-up to the last completion: they count every completion in it, whenever the
/// request arrived, as the time in which it was worked on counts too. Latencies and attainment are of the
/// requests that arrived after the warm-up. Without a warm-up both are what `vllm bench serve` counts.
struct GroupSummary {
  std::string name;
  std::int64_t completed = 0;                        ///< finished in the measured span
  std::int64_t input_tokens = 0, output_tokens = 0;  ///< of these
  std::int64_t measured = 0;                         ///< arrived after the warm-up and completed
  std::int64_t refused = 0, unfinished = 0;          ///< arrived after the warm-up
  std::int64_t warmup = 0;                           ///< arrived in the warm-up
  Statistics ttft, tpot, e2el, queued;
  double request_throughput = 0, output_throughput = 0,
         total_token_throughput = 0;  ///< per second of the measured span
  /// Share of the requests arrived after the warm-up that met every limit, refused and unfinished ones being
  /// misses; -1 = no limits. Then the same of each limit alone.
  double slo_attainment = -1, ttft_attainment = -1, tpot_attainment = -1, e2e_attainment = -1;
  double request_goodput = -1;  ///< requests per second that met every limit; -1 = no limits
};

struct Summary {
  std::string scenario;
  double duration_s = 0;  ///< measured span: from the end of warm-up to the last completion
  GroupSummary all;
  std::vector<GroupSummary> streams, slo_classes;
  Statistics itl;  ///< from the histogram: its bins bound the error (below 1/16)
  std::vector<std::pair<std::string, double>> ledger;  ///< share of replica time: compute, memory, ... idle
  std::string binds;                                   ///< name of the largest busy share, in words
  double cost_per_million_output = -1, cost_per_million_total = -1;  ///< USD; -1 = no price known
  double prefix_cache_hit_rate = 0;                                  ///< of first admissions
  std::int64_t preemptions = 0;
  std::vector<std::string> warnings;  ///< the queue grew all through the run; censored requests; ...
  std::vector<std::string> notes;     ///< calibration and its band; trace rows read, accepted, dropped
};

/// Reads one column at a time. Throws ConfigError naming the file when it is not a result file.
Summary summarize(const std::filesystem::path& file);
/// Attributes of /summary under vllm bench serve's names (mean_ttft_ms, p99_tpot_ms, request_throughput ...).
std::vector<std::pair<std::string, double>> summary_attributes(const Summary& s);
/// Writes them into the file.
void store_summary(const std::filesystem::path& file, const Summary& s);
std::string to_text(const Summary& s);
std::string to_json(const Summary& s);

}  // namespace ridgepoint::analysis

// Request streams: when requests come, how long they are, what they share. Plain data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace ridgepoint {

/// A distribution over non-negative numbers (token counts, seconds, turns). Which fields count depends on
/// type. After drawing: clamp to [min, max]; token counts are rounded to the nearest whole number.
struct Distribution {
  enum class Type { fixed, uniform, normal, lognormal, exponential, geometric, zipf, empirical };
  Type type = Type::fixed;
  double value = 0;              ///< fixed
  double mean = 0, std_dev = 0;  ///< of the variable itself (lognormal: not of its logarithm)
  double alpha = 1;              ///< zipf: weight of k is k^-alpha over [min, max]
  double min = 0;
  double max = 0;    ///< 0 = no upper limit
  std::string file;  ///< empirical: CSV `value[,weight]`, with a header or without
};

struct Arrival {
  enum class Process { constant, poisson, gamma, weibull, burst };
  Process process = Process::poisson;
  double cv = 1;       ///< gamma, weibull: coefficient of variation of the gaps
  int burst_size = 1;  ///< burst: this many at one instant, bursts at constant spacing
};

/// Multiplies the stream's rate over time. steps: (start, factor or rate) pairs.
struct RateProfile {
  enum class Type { flat, steps, diurnal };
  struct Step {
    Nanos start{0};
    double rate = 0;
  };  ///< requests per second from `start` on
  Type type = Type::flat;
  /// Ascending starts counted from the stream's start, the first at 0; absolute rates, they replace
  /// Stream::rate.
  std::vector<Step> steps;
  /// diurnal: rate(t) = rate * (1 + a cos(2 pi (t - peak)/period)), t simulated time: all streams share a day
  Nanos period{0};
  Nanos peak{0};                    ///< time of the peak within the period
  double peak_to_trough_ratio = 1;  ///< a = (r - 1)/(r + 1)
};

/// A set of shared prefixes; a request of a stream that names it begins with one of them, in front of its
/// input (or of its trace's prompt). All requests of a session have the same one.
struct PrefixGroup {
  std::string name;
  int count = 1;
  Distribution length;
  Distribution popularity;  ///< zipf (alpha) or uniform over the `count` prefixes
};

/// In a closed loop a user thinks before the first turn of its next session too.
struct Session {
  Distribution turns;
  Distribution think_time;  ///< seconds between the end of a turn and the arrival of the next
  enum class Growth { accumulate, none };
  Growth context_growth = Growth::accumulate;  ///< accumulate: prompt n+1 = prompt n + its output + new input
};

enum class TraceFormat { azure, burstgpt, mooncake, vidur, sharegpt, llmservingsim, ridgepoint };

struct Trace {
  /// Rows without output tokens (BurstGPT: failures) or without prompt tokens; keep: with one token instead.
  enum class Failed { drop, keep };
  /// prompt + output > max_model_len. reject: the row never becomes a request and is counted as dropped,
  /// "overlong"; truncate cuts the prompt, then the output, to at least one token each.
  enum class Overlong { reject, truncate };
  TraceFormat format = TraceFormat::ridgepoint;
  std::string path;
  double rate_scale = 1;   ///< 2 = twice as fast: arrival times are divided by it
  std::int64_t limit = 0;  ///< rows read; 0 = all. A turn of a session counts as a row
  Failed failed = Failed::drop;
  Overlong overlong = Overlong::reject;
  std::int64_t reorder_window = 65536;  ///< rows held back to sort slightly unsorted files
  double chars_per_token = 4;           ///< sharegpt, which has text but no counts
  /// Spreads rows with the time of the row before them over this span of simulated time (Mooncake's batches
  /// of 3 s); 0 = as is.
  Nanos jitter{0};
};

enum class OutputStop { max_tokens, eos };

/// One source of requests. Exactly one of: rate (open loop), concurrency (closed loop), trace with its own
/// times. A trace brings its own sessions: it goes with no `session`.
struct Stream {
  std::string name;
  std::string tenant;              ///< defaults to name
  int deployment = 0;              ///< index into Scenario::deployments
  int slo_class = -1;              ///< index into Workload::slo_classes; -1 = none
  std::optional<double> rate;      ///< requests (or sessions) per second
  std::optional<int> concurrency;  ///< closed loop: this many users, each waits for its answer
  Arrival arrival;
  RateProfile rate_profile;
  std::int64_t num_requests = 0;  ///< 0 = until `duration` (or all of the trace); sessions count each turn
  Nanos start{0};
  Nanos duration{0};           ///< 0 = no limit
  Distribution input, output;  ///< lengths in tokens, >= 1
  OutputStop output_stop = OutputStop::max_tokens;
  std::optional<int> prefix_group;  ///< index into Workload::prefix_groups
  std::optional<Session> session;
  std::optional<Trace> trace;  ///< with rate or concurrency set too: lengths from the trace, times from those
};

/// A service-level objective; every limit that is set must hold. Requests of no class have none.
struct SloClass {
  std::string name;
  std::optional<Nanos> ttft, tpot, e2e;
  int priority = 0;
};

struct Workload {
  std::vector<SloClass> slo_classes;
  std::vector<PrefixGroup> prefix_groups;
  std::vector<Stream> streams;
};

}  // namespace ridgepoint

// Groups of /requests: counts, tokens, latencies, SLO attainment. One column in memory at a time.
#pragma once
#include "analysis/reader.hpp"
#include "analysis/summary.hpp"

namespace ridgepoint::analysis {

/// Seconds since the start of the simulation.
struct RequestSpan {
  double warmup = 0;           ///< the measured span begins: nothing that finished before counts
  double last_arrival = 0;     ///< of all
  double last_completion = 0;  ///< of all: the measured span ends
};

/// Fills all, streams, slo_classes and duration_s of the summary. Throws ConfigError.
RequestSpan summarize_requests(const ResultReader& file, Summary& summary);

}  // namespace ridgepoint::analysis

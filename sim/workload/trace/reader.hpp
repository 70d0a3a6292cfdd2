// One reader a trace format: rows of the file as units of work, in file order.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spec/request.hpp"
#include "spec/workload.hpp"

namespace ridgepoint {

/// One request as a trace states it. Content ids are the file's own (below 2^48).
struct TraceTurn {
  std::int32_t prompt_tokens = 0, output_tokens = 0;
  std::int32_t shared_tokens = 0;  ///< leading tokens that another row may also contain
  std::int32_t priority = 0;
  bool has_priority = false;
  bool has_output_content = false;
  std::int64_t think = 0;        ///< ns from the end of the turn before to this one's arrival
  std::vector<TokenRun> prompt;  ///< may cover less than the prompt: the rest is content of no other
  TokenRun output;               ///< counts when has_output_content
};

/// A request, or a session of several: the turns after the first come when the one before has ended.
struct TraceUnit {
  std::int64_t arrival = 0;  ///< ns on the file's own clock
  bool has_arrival = false;
  int line = 0;                   ///< of the first turn
  const char* dropped = nullptr;  ///< why the reader itself leaves this row out
  TraceTurn first;
  std::vector<TraceTurn> rest;
  std::string session;  ///< the file's name for the session; empty = none
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;
  /// The next unit; false at the end of the file. Throws ConfigError with file and line for a malformed row.
  virtual bool next(TraceUnit& unit) = 0;
  /// Whether rows can hold more than a time and two lengths (then `trace convert` writes the wide table).
  virtual bool wide() const { return false; }
};

/// Opens trace.path. Throws ConfigError.
std::unique_ptr<TraceReader> make_trace_reader(const Trace& trace);

// One for each format, in a file of its own.
std::unique_ptr<TraceReader> make_azure_reader(const Trace& trace);
std::unique_ptr<TraceReader> make_burstgpt_reader(const Trace& trace);
std::unique_ptr<TraceReader> make_mooncake_reader(const Trace& trace);
std::unique_ptr<TraceReader> make_vidur_reader(const Trace& trace);
std::unique_ptr<TraceReader> make_sharegpt_reader(const Trace& trace);
std::unique_ptr<TraceReader> make_llmservingsim_reader(const Trace& trace);
std::unique_ptr<TraceReader> make_ridgepoint_reader(const Trace& trace);

}  // namespace ridgepoint

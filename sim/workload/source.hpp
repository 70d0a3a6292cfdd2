// Where requests come from: all streams of a workload merged into one sequence in arrival order.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/units.hpp"
#include "spec/request.hpp"
#include "spec/scenario.hpp"

namespace ridgepoint {

/// Rows of one trace: read = accepted + the sum of dropped.
struct TraceCount {
  std::string stream, path;
  std::int64_t read = 0, accepted = 0;
  std::vector<std::pair<std::string, std::int64_t>> dropped;  ///< reason, rows
};

/// Yields requests with rising arrival (ties: stream order, then file order) and ids 0, 1, 2 ...
/// Feedback: closed loops and sessions put their next request in when told that one ended.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// Arrival of the next request; kNever when none is known (until some on_finish, perhaps).
  virtual Nanos next_arrival() = 0;
  /// The next request; precondition: next_arrival() != kNever.
  virtual Request pop() = 0;
  /// The request ended at `now` (completed or refused). May make an arrival at or after `now`.
  virtual void on_finish(std::int64_t id, Nanos now) = 0;
  virtual std::vector<TraceCount> trace_counts() const = 0;
  /// Requests still to come as far as known (progress bar); empty when open-ended.
  virtual std::optional<std::int64_t> expected_requests() const = 0;
};

/// Opens trace files (throws ConfigError). Constant memory however long the traces are.
std::unique_ptr<RequestSource> make_request_source(const Scenario& scenario);

}  // namespace ridgepoint

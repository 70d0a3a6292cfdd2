// What a stream sees of a trace: usable rows in arrival order, from time 0, with every row accounted for.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_set>
#include <vector>

#include "workload/source.hpp"
#include "workload/trace/reader.hpp"
#include "workload/trace/ring.hpp"

namespace ridgepoint {

struct FeedOptions {
  bool timed = true;               ///< false: file order, times not looked at
  std::int32_t max_model_len = 0;  ///< prompt + output above it is overlong; 0 = no limit
  std::uint64_t jitter_seed = 0;
};

/// Constant memory: at most trace.reorder_window rows (fewer where rows hold many content runs).
class TraceFeed {
 public:
  /// Throws ConfigError when the file cannot be read.
  TraceFeed(const Trace& trace, const FeedOptions& options);
  /// The next unit; arrivals rise, relative to the earliest row and divided by rate_scale. False at the end.
  /// Throws ConfigError for a malformed row, one too far out of order, and a file without a usable row.
  bool next(TraceUnit& unit);
  /// Ends the feed early: `in_hand` accepted rows and all those held back count as dropped for this reason.
  void stop(const char* reason, std::int64_t in_hand);
  const TraceCount& count() const { return count_; }
  /// Earliest arrival read so far on the file's own clock, dropped rows included.
  std::int64_t earliest() const { return earliest_; }
  bool wide() const { return reader_->wide(); }
  std::size_t most_held() const { return most_held_; }  ///< units held back at once, at most

 private:
  struct Held {
    std::int64_t key = 0;  ///< arrival on the file's clock, jitter included
    std::int64_t order = 0;
    TraceUnit unit;
    bool operator>(const Held& o) const { return key != o.key ? key > o.key : order > o.order; }
  };
  bool read(TraceUnit& unit);
  bool admit(TraceUnit& unit);
  const char* fault(TraceTurn& turn) const;
  void drop(const char* reason, std::int64_t rows);
  void hold(TraceUnit unit);
  Held release();
  std::int64_t jittered(const TraceUnit& unit);
  void check_session(const TraceUnit& unit);
  void check_any() const;

  Trace trace_;
  FeedOptions options_;
  std::unique_ptr<TraceReader> reader_;
  TraceCount count_;
  bool ended_ = false, emitted_ = false, earliest_known_ = false;
  std::int64_t earliest_ = 0, last_key_ = 0, order_ = 0, before_ = -1;
  Ring<Held> sorted_;           ///< rows that came in order
  std::vector<Held> unsorted_;  ///< heap of those that did not
  std::size_t held_runs_ = 0, most_held_ = 0;
  std::deque<std::size_t> recent_sessions_;
  std::unordered_set<std::size_t> recent_;
};

}  // namespace ridgepoint

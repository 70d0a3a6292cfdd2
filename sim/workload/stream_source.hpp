// One stream of requests: bodies (UnitSource) joined with the times at which they come.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "workload/arrival.hpp"
#include "workload/unit_source.hpp"

namespace ridgepoint {

class StreamSource {
 public:
  static constexpr std::int64_t kNoFeedback = -1;

  /// `sessions` numbers the sessions of all streams. Throws ConfigError.
  StreamSource(const Scenario& scenario, std::size_t index, std::uint32_t& sessions);
  /// kNever when none is known. What has been announced here stays due, whatever ends meanwhile.
  Nanos next_arrival() const;
  /// The next request, without its id. `handle`: what on_finish wants back, or kNoFeedback.
  Request pop(std::int64_t& handle);
  /// Throws SimulationError when an endless closed loop makes no headway in simulated time.
  void on_finish(std::int64_t handle, Nanos arrival, Nanos now);
  std::optional<TraceCount> count() const { return units_->count(); }

 private:
  struct Due {
    Nanos at{0};
    std::int64_t unit = 0;  ///< ties go to what began first
    std::size_t slot = 0;
  };
  void check() const;
  void make_arrivals(const Scenario& scenario);
  void announce();
  void join(Nanos at);
  void schedule(std::size_t slot, Nanos at);
  bool may_commit(Nanos at) const;
  std::size_t keep(Live live);
  Live release(std::size_t slot);
  Request make(Live& live, Nanos arrival) const;
  void watch_headway(Nanos arrival, Nanos now);

  const Stream stream_;
  std::size_t index_;
  std::uint32_t* sessions_;
  std::int32_t max_model_len_, priority_;
  Nanos end_;
  bool bounded_ = false;  ///< something ends the stream: a count, a time or a trace
  std::unique_ptr<UnitSource> units_;
  std::unique_ptr<UnitProcess> process_;  ///< open loop with times of its own
  std::unique_ptr<RateMap> rate_;
  std::optional<RandomStream> arrivals_;
  std::optional<Live> open_;  ///< the next unit of an open loop, and when it comes
  Nanos open_at_{0};
  std::vector<Due> due_;  ///< heap: later turns, and users of a closed loop
  std::vector<Live> slots_;
  std::vector<std::size_t> free_;
  std::int64_t committed_ = 0, at_once_ = 0;
};

}  // namespace ridgepoint

// Where the bodies of requests come from (a distribution or a trace), apart from when they come.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "spec/request.hpp"
#include "spec/scenario.hpp"
#include "workload/source.hpp"
#include "workload/trace/reader.hpp"

namespace ridgepoint {

/// A request, or a session of several, while it goes on.
struct Live {
  std::int64_t index = 0;  ///< of the unit within its stream, in order of their starts
  std::int32_t turn = 0;   ///< turns filled so far
  std::int32_t turns = 1;
  std::int32_t context = 0;  ///< tokens said so far in the session, without the shared prefix
  std::int32_t prefix_tokens = 0;
  std::uint64_t prefix_content = 0;
  std::uint32_t session = 0;  ///< what Request::session becomes
  TraceUnit unit;             ///< from a trace: all its turns
  bool more() const { return turn < turns; }
};

class UnitSource {
 public:
  virtual ~UnitSource() = default;
  /// Begins the next unit; false when there are no more.
  virtual bool start(Live& live) = 0;
  /// Fills lengths and contents of the next turn into `request` and counts it. Contents of this request alone
  /// are left out; precondition: live.more().
  virtual void fill(Live& live, Request& request) = 0;
  /// Time from the end of the turn before to the arrival of the next (or, in a closed loop, of the user's
  /// next unit).
  virtual Nanos think(const Live& live) const = 0;
  /// Whether live.unit.arrival says when the unit starts.
  virtual bool timed() const { return false; }
  virtual void stop(const char* /*reason*/, std::int64_t /*in_hand*/) {}
  virtual std::optional<TraceCount> count() const { return std::nullopt; }
};

/// Bodies drawn from distributions. Every draw comes from a random stream keyed by purpose, unit and turn, so
/// that no draw depends on the order in which the cluster serves requests. Throws ConfigError.
std::unique_ptr<UnitSource> make_synthetic_units(const Scenario& scenario, std::size_t stream);
/// Bodies from stream.trace; with `timed` arrivals as well. Throws ConfigError.
std::unique_ptr<UnitSource> make_trace_units(const Scenario& scenario, std::size_t stream, bool timed);

/// `workload.streams.3`: how errors name a stream's keys.
std::string stream_key(std::size_t stream);

}  // namespace ridgepoint

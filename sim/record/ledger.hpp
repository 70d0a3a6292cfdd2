// Where a replica's time went, in whole nanoseconds that add up to the span of the run exactly.
#pragma once
#include "base/units.hpp"
#include "serving/events.hpp"

namespace ridgepoint {

struct TimeLedger {
  Nanos compute{0}, memory{0}, interconnect{0}, overhead{0}, idle{0};
  Nanos busy() const { return compute + memory + interconnect + overhead; }
  Nanos total() const { return busy() + idle; }
};

/// Splits totals.busy in the proportions of its four parts and calls the rest of `wall` idle. Cumulative sums
/// are rounded, so each part is within 1 ns of its share and the parts add up to busy, whatever the rounding.
/// Throws SimulationError when busy exceeds wall or a part is negative or not finite.
TimeLedger split_time(const ReplicaTotals& totals, Nanos wall);

}  // namespace ridgepoint

#include "record/ledger.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "base/errors.hpp"

namespace ridgepoint {

TimeLedger split_time(const ReplicaTotals& totals, Nanos wall) {
  if (totals.busy < Nanos{0} || totals.busy > wall)
    throw SimulationError(
        fmt::format("time ledger: busy for {} ns of a span of {} ns", totals.busy.count(), wall.count()));
  const std::array<double, 4> parts{totals.compute, totals.memory, totals.interconnect, totals.overhead};
  long double sum = 0;
  for (const double p : parts) {
    if (!std::isfinite(p) || p < 0)
      throw SimulationError(fmt::format("time ledger: a part of the busy time is {} s", p));
    sum += p;
  }
  const std::int64_t busy = totals.busy.count();
  std::array<std::int64_t, 4> split{};
  if (sum > 0) {
    long double cumulative = 0;
    std::int64_t given = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      cumulative += parts[i];
      const auto upto =
          std::min<std::int64_t>(busy, std::llround(static_cast<long double>(busy) * (cumulative / sum)));
      split[i] = upto - given;
      given = upto;
    }
    split[3] = busy - given;
  } else {
    split[3] = busy;  // busy without any step's cost: the host held it up
  }
  return {Nanos{split[0]}, Nanos{split[1]}, Nanos{split[2]}, Nanos{split[3]}, wall - totals.busy};
}

}  // namespace ridgepoint

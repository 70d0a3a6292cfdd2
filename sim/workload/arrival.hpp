// When open-loop requests come: a process of unit rate, mapped through the integrated rate of the stream.
#pragma once
#include <memory>
#include <string>

#include "base/random.hpp"
#include "base/units.hpp"
#include "spec/workload.hpp"

namespace ridgepoint {

/// Arrival instants of a process whose mean rate is 1, in rising order.
class UnitProcess {
 public:
  virtual ~UnitProcess() = default;
  virtual double next(RandomStream& random) = 0;
};

/// Throws ConfigError (key in it) for parameters no process has.
std::unique_ptr<UnitProcess> make_unit_process(const Arrival& arrival, const std::string& key);

/// The shape k of the Weibull distribution with this coefficient of variation.
double weibull_shape(double cv);

/// Exact time change: unit-rate instant u happens at the t with u = integral of the rate from start to t.
/// A Poisson process so mapped is the inhomogeneous Poisson process of that rate; no thinning is needed.
class RateMap {
 public:
  virtual ~RateMap() = default;
  /// kNever when the rate falls to 0 for good before that.
  virtual Nanos at(double u) const = 0;
};

/// Steps count from the stream's start; the diurnal period counts from time 0 of the simulation, so that all
/// streams share one day. Throws ConfigError (key in it) for rates that give no process.
std::unique_ptr<RateMap> make_rate_map(const Stream& stream, const std::string& key);

}  // namespace ridgepoint

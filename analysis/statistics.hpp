// Mean, population deviation and exact percentiles of a column; the same from a histogram, to its bins'
// width.
#pragma once
#include <span>
#include <vector>

#include "analysis/summary.hpp"

namespace ridgepoint::analysis {

/// Of values in seconds, in milliseconds. Percentiles interpolate linearly between ranks as numpy's default
/// does. Reorders the values, needs no second copy of them.
Statistics statistics_of(std::span<double> seconds);

/// The same from counts over [lower, upper) in seconds: values are taken as spread evenly over their bin.
Statistics statistics_of_bins(std::span<const double> lower, std::span<const double> upper,
                              std::span<const double> counts);

}  // namespace ridgepoint::analysis

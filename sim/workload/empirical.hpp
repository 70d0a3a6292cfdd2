// Reads the file of an empirical distribution: CSV `value[,weight]`, with a header or without.
#pragma once
#include <string>
#include <vector>

namespace ridgepoint {

/// Appends values and cumulative weights (weight 1 where there is no second column). Throws ConfigError with
/// file and line for anything that is not a non-negative number, and when the weights sum to 0.
void read_empirical(const std::string& path, std::vector<double>& values, std::vector<double>& upto);

}  // namespace ridgepoint

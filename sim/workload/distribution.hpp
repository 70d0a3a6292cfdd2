// Draws from a Distribution of the scenario: lengths in tokens, turns, think times.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "spec/workload.hpp"

namespace ridgepoint {

/// A Distribution made ready to draw from: parameters solved, empirical files read.
class Sampler {
 public:
  /// `key` names the distribution in errors (`workload.streams.0.input`). Throws ConfigError when no such
  /// distribution exists (lognormal of mean 0, min above max, zipf without max) or its file cannot be used.
  Sampler(const Distribution& distribution, std::string key);
  /// A value within [min, max].
  double draw(RandomStream& random) const;
  /// A whole number within [min, max], the nearest to a draw. `uniform` gives every whole number equal
  /// weight.
  std::int64_t count(RandomStream& random) const;

  /// What the rows of the registry table work on.
  struct State {
    Distribution d;
    double a = 0, b = 0, c = 0;        ///< solved parameters; their meaning is the row's own
    std::vector<double> values, upto;  ///< empirical: values and cumulative weights
  };

 private:
  State state_;
  double (*draw_)(const State&, RandomStream&);
};

}  // namespace ridgepoint

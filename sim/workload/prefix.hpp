// Shared prefixes: which one a request begins with, and how long it is.
#pragma once
#include <cstdint>

#include "base/random.hpp"
#include "spec/scenario.hpp"
#include "workload/distribution.hpp"
#include "workload/unit_source.hpp"

namespace ridgepoint {

/// Lengths belong to the group (the same for all streams), choices to the stream. Memory does not grow with
/// the number of prefixes.
class PrefixPicker {
 public:
  /// Throws ConfigError for a group without prefixes or with a popularity that is neither zipf nor uniform.
  PrefixPicker(const Scenario& scenario, std::size_t stream);
  /// Chooses for the unit `live.index`.
  void pick(Live& live) const;
  /// Puts the prefix in front of the prompt and moves the shared tokens behind it.
  static void prepend(const Live& live, Request& request);

 private:
  std::uint64_t group_;
  std::uint64_t choice_seed_, length_seed_;
  Sampler popularity_, length_;
};

}  // namespace ridgepoint

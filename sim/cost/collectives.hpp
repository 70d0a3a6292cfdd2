// Collectives among the GPUs of one node: latency + traffic over a bus rate that small messages do not reach.
#pragma once
#include "spec/calibration.hpp"
#include "spec/hardware.hpp"

namespace ridgepoint::cost {

struct CollectiveTime {
  double seconds = 0;
  double sent = 0;  ///< bytes that one rank sends
};

class Collectives {
 public:
  /// Throws ConfigError when the node has fewer GPUs than ranks, or nothing that links them.
  Collectives(const Gpu& gpu, const Node& node, const CollectiveFit& fit, int ranks);
  /// `message` bytes on every rank, summed: 2(n-1)/n of it crosses each rank's link.
  CollectiveTime all_reduce(double message, bool eager) const;
  /// `message` bytes in all after gathering: (n-1)/n of it crosses each rank's link.
  CollectiveTime gather(double message, bool eager) const;

 private:
  int ranks_;
  double latency_ = 0, eager_extra_ = 0, busbw_ = 0, half_size_ = 0;
  CollectiveTime time(double message, double traffic, bool eager) const;
};

}  // namespace ridgepoint::cost

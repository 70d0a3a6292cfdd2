// All-reduce and gather inside a node, from measured fits or from the link's rate where there is none.
#include "cost/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "base/errors.hpp"

namespace ridgepoint::cost {
namespace {

/// Measured large-message rates over the one-way link rate are 0.5 to 0.9 inside a node (A100, H100, B200
/// NVLink, NCCL); peer traffic over PCIe through a host bridge reaches about as much.
constexpr double kLinkShare = 0.7;
/// Start-up of a collective for which nothing was measured (NCCL over PCIe with 2 ranks: 10 to 20 us).
constexpr double kUnmeasuredLatency = 12e-6;

/// Value for n ranks: measured, or of the next larger group, or of the largest one.
template <class T>
const T* for_ranks(const std::map<int, T>& by_ranks, int n) {
  if (by_ranks.empty()) return nullptr;
  const auto it = by_ranks.lower_bound(n);
  return it != by_ranks.end() ? &it->second : &std::prev(by_ranks.end())->second;
}

/// One-way rate at which a rank exchanges data with the others of its group.
double link_rate(const Gpu& gpu, const Node& node, int ranks) {
  if (node.scale_up == ScaleUp::pcie || gpu.scale_up_bandwidth.v <= 0) return gpu.pcie_bandwidth.v;
  // Pair links: a group of n of the node's GPUs uses n - 1 of each one's links.
  if (node.scale_up == ScaleUp::mesh && node.gpus > 1)
    return gpu.scale_up_bandwidth.v * std::min(1.0, (ranks - 1.0) / (node.gpus - 1.0));
  return gpu.scale_up_bandwidth.v;
}

}  // namespace

Collectives::Collectives(const Gpu& gpu, const Node& node, const CollectiveFit& fit, int ranks)
    : ranks_(ranks) {
  if (ranks <= 1) return;
  if (ranks > node.gpus)
    throw ConfigError("tensor_parallel_size " + std::to_string(ranks) + " exceeds the " +
                          std::to_string(node.gpus) + " GPUs of node " + node.name,
                      "tensor parallelism stays inside a node: use a larger node or a smaller degree");
  const double link = link_rate(gpu, node, ranks);
  if (link <= 0)
    throw ConfigError("nothing links the GPUs of node " + node.name,
                      "give GPU " + gpu.name + " a scale_up_bandwidth or a pcie_bandwidth");
  const Seconds* latency = for_ranks(fit.latency, ranks);
  const BytesPerSecond* busbw = for_ranks(fit.busbw, ranks);
  const Bytes* half = for_ranks(fit.half_size, ranks);
  latency_ = latency != nullptr ? latency->v : kUnmeasuredLatency;
  busbw_ = busbw != nullptr ? busbw->v : kLinkShare * link;
  half_size_ = half != nullptr ? half->v : 0;
  eager_extra_ = fit.eager_extra.v;
  // What was measured holds for the link it was measured on.
  if (busbw != nullptr && fit.link.v > 0) busbw_ *= link / fit.link.v;
}

CollectiveTime Collectives::time(double message, double traffic, bool eager) const {
  if (ranks_ <= 1 || message <= 0) return {};
  const double seconds = latency_ + traffic / busbw_ * std::sqrt((message + 3 * half_size_) / message);
  return {eager ? seconds + eager_extra_ : seconds, traffic};
}

CollectiveTime Collectives::all_reduce(double message, bool eager) const {
  return time(message, message * 2 * (ranks_ - 1) / ranks_, eager);
}

CollectiveTime Collectives::gather(double message, bool eager) const {
  return time(message, message * (ranks_ - 1) / ranks_, eager);
}

}  // namespace ridgepoint::cost

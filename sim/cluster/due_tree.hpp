// Keeps the earliest due time of many replicas: a winner tree, where changing one entry costs log2(n) and
// nothing is ever allocated.
#pragma once
#include <bit>
#include <cstddef>
#include <vector>

#include "base/units.hpp"

namespace ridgepoint {

/// Entries 0..n-1, all kNever at first. Equal times: the lowest index is first.
class DueTree {
 public:
  explicit DueTree(std::size_t entries)
      : leaves_(std::bit_ceil(entries == 0 ? std::size_t{1} : entries)),
        due_(leaves_, kNever),
        winner_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) winner_[leaves_ + i] = i;
    for (std::size_t node = leaves_ - 1; node > 0; --node) winner_[node] = winner_[2 * node];
  }

  void set(std::size_t entry, Nanos due) {
    if (due_[entry] == due) return;
    due_[entry] = due;
    for (std::size_t node = (leaves_ + entry) / 2; node > 0; node /= 2) {
      const std::size_t left = winner_[2 * node], right = winner_[2 * node + 1];
      winner_[node] = due_[right] < due_[left] ? right : left;  // left holds the lower indices
    }
  }
  Nanos at(std::size_t entry) const { return due_[entry]; }
  std::size_t first() const { return winner_[1]; }
  Nanos earliest() const { return due_[first()]; }

 private:
  std::size_t leaves_;
  std::vector<Nanos> due_;
  std::vector<std::size_t> winner_;  ///< winner_[1] is the root, the leaves begin at leaves_
};

}  // namespace ridgepoint

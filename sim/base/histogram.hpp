// Counts over logarithmically spaced bins: constant memory, and independent of the order of the values.
#pragma once
#include <cstdint>
#include <vector>

namespace ridgepoint {

/// Bins are exact in integers: `per_octave` (a power of two) linear bins in every octave [2^k, 2^(k+1)), one
/// bin for each value below per_octave. Values are non-negative integers (nanoseconds, tokens, requests).
class LogHistogram {
 public:
  explicit LogHistogram(int per_octave = 16);
  void add(std::int64_t value, std::int64_t count = 1);
  void merge(const LogHistogram& other);  ///< throws std::invalid_argument when the binning differs
  std::int64_t total() const { return total_; }
  int per_octave() const { return per_octave_; }
  std::size_t bins() const { return counts_.size(); }
  std::int64_t count(std::size_t bin) const { return counts_[bin]; }
  std::int64_t lower_edge(
      std::size_t bin) const;  ///< smallest value of the bin; lower_edge(bins()) closes the last

 private:
  std::size_t bin_of(std::int64_t value) const;
  int per_octave_;
  int shift_;  ///< log2(per_octave)
  std::int64_t total_ = 0;
  std::vector<std::int64_t> counts_;
};

}  // namespace ridgepoint

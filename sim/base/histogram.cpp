#include "base/histogram.hpp"

#include <bit>
#include <stdexcept>

namespace ridgepoint {

LogHistogram::LogHistogram(int per_octave)
    : per_octave_(per_octave), shift_(std::countr_zero(static_cast<unsigned>(per_octave))) {
  if (per_octave <= 0 || !std::has_single_bit(static_cast<unsigned>(per_octave)))
    throw std::invalid_argument("LogHistogram: bins per octave must be a power of two");
}

std::size_t LogHistogram::bin_of(std::int64_t value) const {
  const auto u = static_cast<std::uint64_t>(value < 0 ? 0 : value);
  const auto n = static_cast<std::uint64_t>(per_octave_);
  if (u < n) return static_cast<std::size_t>(u);
  const int octave = static_cast<int>(std::bit_width(u)) - 1 - shift_;  // 0 for [n, 2n)
  return static_cast<std::size_t>(n * static_cast<std::uint64_t>(octave) + (u >> octave));
}

std::int64_t LogHistogram::lower_edge(std::size_t bin) const {
  const auto n = static_cast<std::size_t>(per_octave_);
  if (bin < n) return static_cast<std::int64_t>(bin);
  const std::size_t octave = bin / n - 1;
  return static_cast<std::int64_t>((n + bin % n) << octave);
}

void LogHistogram::add(std::int64_t value, std::int64_t count) {
  const std::size_t bin = bin_of(value);
  if (bin >= counts_.size()) counts_.resize(bin + 1);
  counts_[bin] += count;
  total_ += count;
}

void LogHistogram::merge(const LogHistogram& other) {
  if (other.per_octave_ != per_octave_)
    throw std::invalid_argument("LogHistogram: cannot merge different binnings");
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  total_ += other.total_;
}

}  // namespace ridgepoint

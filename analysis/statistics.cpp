#include "analysis/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace ridgepoint::analysis {
namespace {

constexpr double kMilliseconds = 1e3;

/// Percentiles of one span, asked for in rising order: each selection starts where the last one ended.
class Selection {
 public:
  explicit Selection(std::span<double> values) : values_(values) {}
  double at(double share) {
    const double rank = share * static_cast<double>(values_.size() - 1);
    const auto lower = static_cast<std::size_t>(rank);
    const auto nth = values_.begin() + static_cast<std::ptrdiff_t>(lower);
    std::nth_element(values_.begin() + static_cast<std::ptrdiff_t>(done_), nth, values_.end());
    done_ = lower;
    const double a = *nth, t = rank - static_cast<double>(lower);
    if (lower + 1 == values_.size()) return a;
    const double b = *std::min_element(nth + 1, values_.end());
    return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);  // symmetric, so never beyond b
  }

 private:
  std::span<double> values_;
  std::size_t done_ = 0;
};

}  // namespace

Statistics statistics_of(std::span<double> seconds) {
  Statistics s;
  s.count = static_cast<std::int64_t>(seconds.size());
  if (seconds.empty()) return s;
  const auto n = static_cast<long double>(seconds.size());
  long double sum = 0, squares = 0;
  for (const double v : seconds) sum += v;
  const long double mean = sum / n;
  for (const double v : seconds) squares += (v - mean) * (v - mean);
  s.mean = static_cast<double>(mean) * kMilliseconds;
  s.std = static_cast<double>(std::sqrt(squares / n)) * kMilliseconds;
  s.max = *std::max_element(seconds.begin(), seconds.end()) * kMilliseconds;
  Selection selection(seconds);
  s.median = selection.at(0.5) * kMilliseconds;
  s.p90 = selection.at(0.9) * kMilliseconds;
  s.p95 = selection.at(0.95) * kMilliseconds;
  s.p99 = selection.at(0.99) * kMilliseconds;
  return s;
}

Statistics statistics_of_bins(std::span<const double> lower, std::span<const double> upper,
                              std::span<const double> counts) {
  Statistics s;
  double total = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    sum += counts[i] * (lower[i] + upper[i]) / 2;
    if (counts[i] > 0) s.max = upper[i] * kMilliseconds;
  }
  s.count = static_cast<std::int64_t>(total);
  if (s.count == 0) return s;
  const double mean = sum / total;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double off = (lower[i] + upper[i]) / 2 - mean;
    squares += counts[i] * off * off;
  }
  const auto at = [&](double share) {
    const double rank = share * (total - 1) + 0.5;  // the k-th of n values stands at (k + 1/2)/n of its bin
    double before = 0;
    std::size_t i = 0;
    while (i + 1 < counts.size() && before + counts[i] < rank) before += counts[i++];
    const double within = counts[i] > 0 ? std::clamp((rank - before) / counts[i], 0.0, 1.0) : 0;
    return (lower[i] + (upper[i] - lower[i]) * within) * kMilliseconds;
  };
  s.mean = mean * kMilliseconds;
  s.std = std::sqrt(squares / total) * kMilliseconds;
  s.median = at(0.5);
  s.p90 = at(0.9);
  s.p95 = at(0.95);
  s.p99 = at(0.99);
  return s;
}

}  // namespace ridgepoint::analysis

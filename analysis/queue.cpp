#include "analysis/queue.hpp"

#include <algorithm>
#include <cmath>

namespace ridgepoint::analysis {
namespace {

constexpr std::int64_t kBlockValues = 65536;
constexpr double kFull = 0.9;     ///< share of the KV blocks from which no request's need may fit
constexpr int kLeastSamples = 9;  ///< three a third; with fewer the requests' own queueing times tell more
constexpr double kLeastQueued = 0.05;  ///< seconds
/// Growth at a constant pace from nothing gives 1 : 3 : 5; a stationary queue strays by less than this.
constexpr double kRise = 1.2;

/// Sums over thirds of [from, to].
struct Thirds {
  double from, to;
  std::array<double, 3> sum{}, count{};
  void add(double at, double value) {
    if (!(at >= from && at <= to) || to <= from) return;
    const auto third = static_cast<std::size_t>(std::min(2.0, std::floor(3 * (at - from) / (to - from))));
    sum[third] += value;
    ++count[third];
  }
  std::array<double, 3> means() const {
    std::array<double, 3> m{};
    for (std::size_t i = 0; i < 3; ++i) m[i] = count[i] > 0 ? sum[i] / count[i] : 0;
    return m;
  }
};

/// Samples of busy replicas, and among them those whose requests waited, by what was full.
struct Blocked {
  double busy = 0, waiting = 0, sequences = 0, memory = 0;
  void add(double running, double waits, double kv_used, double max_num_seqs) {
    if (running + waits <= 0) return;
    ++busy;
    if (waits <= 0) return;
    ++waiting;
    if (max_num_seqs > 0 && running >= max_num_seqs)
      ++sequences;
    else if (kv_used >= kFull || (running > 0 && kv_used * (1 + 1 / running) > 1))  // no room for one more
      ++memory;
  }
  std::string limit() const {
    if (busy == 0 || waiting < busy / 2) return "";
    if (sequences >= waiting / 2) return "max_num_seqs";
    if (memory >= waiting / 2) return "KV capacity";
    return "";
  }
};

struct Series {
  Thirds waiting, running;
  Blocked blocked;
};

void read_series(const ResultReader& file, const ReplicaFacts& replicas, Series& series) {
  const NumberColumn time = file.column("/timeseries/time_s");
  const std::array<NumberColumn, 3> columns{file.column("/timeseries/running", time.rows()),
                                            file.column("/timeseries/waiting", time.rows()),
                                            file.column("/timeseries/kv_used", time.rows(), {0, 1})};
  const std::int64_t width = replicas.replicas;
  for (const NumberColumn& c : columns)
    if (c.width() != width || time.width() != 1)
      refuse(file.name(), "/timeseries has another number of replicas than /replicas");
  const std::int64_t block = std::max<std::int64_t>(1, kBlockValues / std::max<std::int64_t>(1, width));
  std::array<std::vector<double>, 3> values;
  std::vector<double> times;
  for (std::int64_t first = 0; first < time.rows(); first += block) {
    const auto n = static_cast<std::size_t>(std::min(block, time.rows() - first));
    times.resize(n);
    time.read(first, times);
    for (std::size_t c = 0; c < 3; ++c) {
      values[c].resize(n * static_cast<std::size_t>(width));
      columns[c].read(first, values[c]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      double running = 0, waiting = 0;
      for (std::size_t r = 0; r < static_cast<std::size_t>(width); ++r) {
        const std::size_t at = i * static_cast<std::size_t>(width) + r;
        running += values[0][at];
        waiting += values[1][at];
        series.blocked.add(values[0][at], values[1][at], values[2][at], replicas.max_num_seqs[r]);
      }
      series.running.add(times[i], running);
      series.waiting.add(times[i], waiting);
    }
  }
}

Thirds queued_by_arrival(const ResultReader& file, Thirds thirds) {
  const NumberColumn arrival = file.column("/requests/arrival_s");
  const NumberColumn queued = file.column("/requests/queued_s", arrival.rows());
  if (arrival.width() != 1 || queued.width() != 1)
    refuse(file.name(), "/requests/queued_s is not one value a row");
  std::vector<double> at, seconds;
  for (std::int64_t first = 0; first < arrival.rows(); first += kBlockValues) {
    const auto n = static_cast<std::size_t>(std::min(kBlockValues, arrival.rows() - first));
    at.resize(n);
    seconds.resize(n);
    arrival.read(first, at);
    queued.read(first, seconds);
    for (std::size_t i = 0; i < n; ++i) thirds.add(at[i], seconds[i]);
  }
  return thirds;
}

}  // namespace

bool grows(const std::array<double, 3>& thirds, double least) {
  return thirds[1] > kRise * thirds[0] && thirds[2] > kRise * thirds[1] && thirds[2] >= least;
}

QueueFacts inspect_queues(const ResultReader& file, const RequestSpan& span, const ReplicaFacts& replicas) {
  QueueFacts facts;
  const Thirds arrivals{span.warmup, span.last_arrival};
  Series series{arrivals, arrivals, {}};
  if (file.has("/timeseries")) {
    read_series(file, replicas, series);
    facts.limit = series.blocked.limit();
  }
  const auto& counted = series.waiting.count;
  if (counted[0] + counted[1] + counted[2] >= kLeastSamples &&
      *std::min_element(counted.begin(), counted.end()) > 0) {
    facts.thirds = series.waiting.means();
    facts.thirds_are_requests = true;
    // A queue that is short beside the batch costs little, whichever way it goes.
    facts.grew = grows(facts.thirds, std::max(1.0, 0.1 * series.running.means()[2]));
  } else if (file.has("/requests")) {
    facts.thirds = queued_by_arrival(file, arrivals).means();
    facts.grew = grows(facts.thirds, kLeastQueued);
  }
  return facts;
}

}  // namespace ridgepoint::analysis

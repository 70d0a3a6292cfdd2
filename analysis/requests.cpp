#include "analysis/requests.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "analysis/statistics.hpp"

namespace ridgepoint::analysis {
namespace {

constexpr std::int64_t kBlock = 65536;  ///< rows in memory at once; whole chunks
constexpr double kMostGroups = 65536;
constexpr double kCompleted = 0, kRefused = 1, kUnfinished = 2;  // /requests/status

/// Requests that have a limit, and those that met it.
struct Met {
  std::int64_t limited = 0, met = 0;
  void add(double value) {  // as in /requests/slo_met
    limited += value >= 0 ? 1 : 0;
    met += value > 0 ? 1 : 0;
  }
  void add(const Met& o) {
    limited += o.limited;
    met += o.met;
  }
  double share() const { return limited > 0 ? static_cast<double>(met) / static_cast<double>(limited) : -1; }
};
constexpr std::size_t kLimits = 4;  ///< all together, TTFT, TPOT, E2E

/// The requests of one stream, which are of one SLO class.
struct Bucket {
  std::int64_t slo_class = -1;
  // by the finish: what the measured span brought forth, whenever it arrived
  std::int64_t completed = 0;
  double input_tokens = 0, output_tokens = 0;
  Met good;
  // by the arrival, after the warm-up but for the last
  std::int64_t measured = 0, refused = 0, unfinished = 0, warmup = 0;
  std::array<Met, kLimits> slo;
  void add(const Bucket& o) {
    completed += o.completed;
    measured += o.measured;
    refused += o.refused;
    unfinished += o.unfinished;
    warmup += o.warmup;
    input_tokens += o.input_tokens;
    output_tokens += o.output_tokens;
    good.add(o.good);
    for (std::size_t i = 0; i < kLimits; ++i) slo[i].add(o.slo[i]);
  }
  bool any() const { return measured + refused + unfinished + warmup > 0; }
};

struct Wanted {
  std::string name;
  Range range;
};
constexpr Range kSeconds{0, 9e15, true}, kTokens{0, 2147483647.0}, kMark{-1, 1}, kIndex{-1, kMostGroups};
const Wanted kStatus{"status", {kCompleted, kUnfinished}}, kArrival{"arrival_s", {}},
    kStream{"stream", {0, kMostGroups}};

/// Several columns of /requests, read side by side in blocks.
class Rows {
 public:
  Rows(const ResultReader& file, const std::vector<Wanted>& wanted) {
    for (const auto& [name, range] : wanted) {
      columns_.push_back(
          file.column("/requests/" + name, columns_.empty() ? -1 : columns_.front().rows(), range));
      if (columns_.back().width() != 1) refuse(file.name(), "/requests/" + name + " is not one value a row");
    }
    blocks_.resize(wanted.size());
  }
  /// Calls row(values), values[i] being the i-th named column's.
  void each(const std::function<void(const double*)>& row) {
    std::vector<double> values(columns_.size());
    for (std::int64_t first = 0; first < columns_.front().rows(); first += kBlock) {
      const auto n = static_cast<std::size_t>(std::min(kBlock, columns_.front().rows() - first));
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        blocks_[c].resize(n);
        columns_[c].read(first, blocks_[c]);
      }
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < columns_.size(); ++c) values[c] = blocks_[c][i];
        row(values.data());
      }
    }
  }

 private:
  std::vector<NumberColumn> columns_;
  std::vector<std::vector<double>> blocks_;
};

std::vector<Bucket> count(const ResultReader& file, RequestSpan& span) {
  std::vector<Bucket> buckets;
  Rows rows(file, {kStatus,
                   kArrival,
                   kStream,
                   {"slo_class", kIndex},
                   {"prompt_tokens", kTokens},
                   {"output_tokens", kTokens},
                   {"e2e_s", kSeconds},
                   {"slo_met", kMark},
                   {"ttft_met", kMark},
                   {"tpot_met", kMark},
                   {"e2e_met", kMark}});
  rows.each([&](const double* v) {
    const double status = v[0], arrival = v[1], *met = v + 7;
    const auto stream = static_cast<std::size_t>(v[2]);
    if (stream >= buckets.size()) buckets.resize(stream + 1);
    Bucket& b = buckets[stream];
    b.slo_class = static_cast<std::int64_t>(v[3]);
    span.last_arrival = std::max(span.last_arrival, arrival);
    if (status == kCompleted && !(v[6] >= 0))
      refuse(file.name(), "/requests/e2e_s lacks a completed request");
    if (status == kCompleted && arrival + v[6] >= span.warmup) {
      ++b.completed;
      b.input_tokens += v[4];
      b.output_tokens += v[5];
      b.good.add(met[0]);
      span.last_completion = std::max(span.last_completion, arrival + v[6]);
    }
    if (arrival < span.warmup) {
      ++b.warmup;
      return;
    }
    for (std::size_t i = 0; i < kLimits; ++i) b.slo[i].add(met[i]);
    b.measured += status == kCompleted ? 1 : 0;
    b.refused += status == kRefused ? 1 : 0;
    b.unfinished += status == kUnfinished ? 1 : 0;
  });
  return buckets;
}

GroupSummary to_group(std::string name, const Bucket& b, double duration) {
  GroupSummary g;
  g.name = std::move(name);
  g.completed = b.completed;
  g.measured = b.measured;
  g.refused = b.refused;
  g.unfinished = b.unfinished;
  g.warmup = b.warmup;
  g.input_tokens = static_cast<std::int64_t>(b.input_tokens);
  g.output_tokens = static_cast<std::int64_t>(b.output_tokens);
  const auto rate = [duration](double n) { return duration > 0 ? n / duration : 0; };
  g.request_throughput = rate(static_cast<double>(b.completed));
  g.output_throughput = rate(b.output_tokens);
  g.total_token_throughput = rate(b.input_tokens + b.output_tokens);
  g.slo_attainment = b.slo[0].share();
  g.ttft_attainment = b.slo[1].share();
  g.tpot_attainment = b.slo[2].share();
  g.e2e_attainment = b.slo[3].share();
  if (b.good.limited + b.slo[0].limited > 0) g.request_goodput = rate(static_cast<double>(b.good.met));
  return g;
}

/// A run of consecutive buckets in `order` and the group that they make.
struct Target {
  std::size_t first, last;
  GroupSummary* group;
};

/// One metric of every group. The values lie bucket by bucket, so that each group is one stretch of the
/// array.
void fill_metric(const ResultReader& file, const std::string& name, double warmup,
                 const std::vector<Bucket>& buckets, const std::vector<std::size_t>& order,
                 const std::vector<Target>& targets, Statistics GroupSummary::*metric) {
  std::vector<std::size_t> begin(buckets.size()), end(buckets.size());
  std::size_t total = 0;
  for (const std::size_t b : order) {
    begin[b] = end[b] = total;
    total += static_cast<std::size_t>(buckets[b].measured);
  }
  std::vector<double> values(total);
  Rows rows(file, {kStatus, kArrival, kStream, {name, kSeconds}});
  rows.each([&](const double* v) {
    if (v[0] != kCompleted || v[1] < warmup || std::isnan(v[3])) return;
    values[end[static_cast<std::size_t>(v[2])]++] = v[3];
  });
  std::vector<std::size_t> edge{0};  // after closing the gaps that missing values left
  for (const std::size_t b : order) {
    std::move(values.begin() + static_cast<std::ptrdiff_t>(begin[b]),
              values.begin() + static_cast<std::ptrdiff_t>(end[b]),
              values.begin() + static_cast<std::ptrdiff_t>(edge.back()));
    edge.push_back(edge.back() + end[b] - begin[b]);
  }
  for (const Target& t : targets)
    t.group->*metric = statistics_of(std::span(values).subspan(edge[t.first], edge[t.last] - edge[t.first]));
}

std::string name_of(const std::vector<std::string>& names, std::size_t index) {
  return index < names.size() && !names[index].empty() ? names[index] : std::to_string(index);
}

}  // namespace

RequestSpan summarize_requests(const ResultReader& file, Summary& summary) {
  RequestSpan span;
  span.warmup = file.amount("/", "warmup_s");
  const std::vector<Bucket> buckets = count(file, span);
  summary.duration_s = std::max(0.0, span.last_completion - span.warmup);

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < buckets.size(); ++i)
    if (buckets[i].any()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return buckets[a].slo_class < buckets[b].slo_class; });

  const auto stream_names = file.texts("/requests/stream", "names");
  const auto class_names = file.texts("/requests/slo_class", "names");
  Bucket all;
  std::vector<Target> classes, streams;
  summary.streams.reserve(order.size());  // targets point into them
  summary.slo_classes.reserve(order.size());
  for (std::size_t at = 0; at < order.size();) {
    const std::int64_t slo_class = buckets[order[at]].slo_class;
    const std::size_t first = at;
    Bucket together;
    for (; at < order.size() && buckets[order[at]].slo_class == slo_class; ++at) {
      const Bucket& b = buckets[order[at]];
      together.add(b);
      summary.streams.push_back(to_group(name_of(stream_names, order[at]), b, summary.duration_s));
      streams.push_back({at, at + 1, &summary.streams.back()});
    }
    all.add(together);
    if (slo_class < 0) continue;
    summary.slo_classes.push_back(
        to_group(name_of(class_names, static_cast<std::size_t>(slo_class)), together, summary.duration_s));
    classes.push_back({first, at, &summary.slo_classes.back()});
  }
  summary.all = to_group("all", all, summary.duration_s);

  // From the smallest groups to all: selecting reorders within a group only, so the larger ones stay whole.
  std::vector<Target> targets = streams;
  targets.insert(targets.end(), classes.begin(), classes.end());
  targets.push_back({0, order.size(), &summary.all});
  const std::vector<std::pair<std::string, Statistics GroupSummary::*>> metrics{
      {"ttft_s", &GroupSummary::ttft},
      {"tpot_s", &GroupSummary::tpot},
      {"e2e_s", &GroupSummary::e2el},
      {"queued_s", &GroupSummary::queued}};
  for (const auto& [name, metric] : metrics)
    fill_metric(file, name, span.warmup, buckets, order, targets, metric);

  std::vector<GroupSummary> by_index(buckets.size());  // shown in the order of the scenario
  for (std::size_t i = 0; i < order.size(); ++i) by_index[order[i]] = std::move(summary.streams[i]);
  std::erase_if(by_index, [](const GroupSummary& g) { return g.name.empty(); });
  summary.streams = std::move(by_index);
  return span;
}

}  // namespace ridgepoint::analysis

#include "analysis/requests.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/statistics.hpp"

namespace ridgepoint::analysis {
namespace {

constexpr std::int64_t kBlock = 65536;  ///< rows in memory at once; whole chunks
constexpr double kMostGroups = 65536;
constexpr double kCompleted = 0, kRefused = 1, kUnfinished = 2;  // /requests/status

/// The requests of one stream, which are of one SLO class.
struct Bucket {
  std::int64_t slo_class = -1;
  std::int64_t completed = 0, refused = 0, unfinished = 0, warmup = 0;
  double input_tokens = 0, output_tokens = 0;
  std::int64_t limited = 0, met = 0;  ///< have limits; met them
  void add(const Bucket& o) {
    completed += o.completed;
    refused += o.refused;
    unfinished += o.unfinished;
    warmup += o.warmup;
    input_tokens += o.input_tokens;
    output_tokens += o.output_tokens;
    limited += o.limited;
    met += o.met;
  }
  bool any() const { return completed + refused + unfinished + warmup > 0; }
};

/// Several columns of /requests, read side by side in blocks.
class Rows {
 public:
  Rows(const ResultReader& file, const std::vector<std::string>& names) : file_(file.name()) {
    for (const std::string& name : names) {
      columns_.push_back(file.column("/requests/" + name, columns_.empty() ? -1 : columns_.front().rows()));
      if (columns_.back().width() != 1) refuse(file_, "/requests/" + name + " is not one value a row");
    }
    blocks_.resize(names.size());
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
  std::string file_;
  std::vector<NumberColumn> columns_;
  std::vector<std::vector<double>> blocks_;
};

std::size_t stream_of(const ResultReader& file, double value) {
  if (!(value >= 0 && value < kMostGroups && value == std::floor(value)))
    refuse(file.name(), fmt::format("/requests/stream holds {}", value));
  return static_cast<std::size_t>(value);
}

std::vector<Bucket> count(const ResultReader& file, RequestSpan& span) {
  std::vector<Bucket> buckets;
  Rows rows(file, {"status", "arrival_s", "stream", "slo_class", "slo_met", "prompt_tokens", "output_tokens",
                   "e2e_s"});
  rows.each([&](const double* v) {
    const std::size_t stream = stream_of(file, v[2]);
    if (stream >= buckets.size()) buckets.resize(stream + 1);
    Bucket& b = buckets[stream];
    if (!(v[3] >= -1 && v[3] < kMostGroups))
      refuse(file.name(), fmt::format("/requests/slo_class holds {}", v[3]));
    b.slo_class = static_cast<std::int64_t>(v[3]);
    span.last_arrival = std::max(span.last_arrival, v[1]);
    if (v[1] < span.warmup) {
      ++b.warmup;
      return;
    }
    if (v[4] >= 0) ++b.limited;
    if (v[4] > 0) ++b.met;
    if (v[0] == kCompleted) {
      ++b.completed;
      b.input_tokens += v[5];
      b.output_tokens += v[6];
      span.last_completion = std::max(span.last_completion, v[1] + v[7]);
    } else if (v[0] == kRefused) {
      ++b.refused;
    } else if (v[0] == kUnfinished) {
      ++b.unfinished;
    } else {
      refuse(file.name(), fmt::format("/requests/status holds {}", v[0]));
    }
  });
  return buckets;
}

GroupSummary to_group(std::string name, const Bucket& b, double duration) {
  GroupSummary g;
  g.name = std::move(name);
  g.completed = b.completed;
  g.refused = b.refused;
  g.unfinished = b.unfinished;
  g.warmup = b.warmup;
  g.input_tokens = static_cast<std::int64_t>(b.input_tokens);
  g.output_tokens = static_cast<std::int64_t>(b.output_tokens);
  const auto rate = [duration](double n) { return duration > 0 ? n / duration : 0; };
  g.request_throughput = rate(static_cast<double>(b.completed));
  g.output_throughput = rate(b.output_tokens);
  g.total_token_throughput = rate(b.input_tokens + b.output_tokens);
  if (b.limited > 0) {
    g.slo_attainment = static_cast<double>(b.met) / static_cast<double>(b.limited);
    g.request_goodput = rate(static_cast<double>(b.met));
  }
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
    total += static_cast<std::size_t>(buckets[b].completed);
  }
  std::vector<double> values(total);
  Rows rows(file, {"status", "arrival_s", "stream", name});
  rows.each([&](const double* v) {
    if (v[0] != kCompleted || v[1] < warmup || std::isnan(v[3])) return;
    values[end[stream_of(file, v[2])]++] = v[3];
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
  span.warmup = file.number("/", "warmup_s").value_or(0);
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

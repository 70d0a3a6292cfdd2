#include "record/end_tables.hpp"

#include <algorithm>
#include <functional>

#include "record/ledger.hpp"

namespace ridgepoint {
namespace {

/// Columns of one table, all along the same dimension.
class Table {
 public:
  Table(const h5::File& file, const std::string& name, const std::string& long_name, const h5::Label& index,
        std::int64_t rows)
      : group_(file, name, long_name), index_(h5::write_index(group_, index, rows)) {}
  template <class T>
  h5::Column add(const h5::Label& label, const std::vector<T>& values) {
    h5::Column c = h5::write_column(group_, label, values);
    c.attach(index_);
    return c;
  }
  h5::Column& index() { return index_; }
  const h5::Group& group() const { return group_; }

 private:
  h5::Group group_;
  h5::Column index_;
};

template <class T, class Items, class Value>
std::vector<T> values_of(const Items& items, Value value) {
  std::vector<T> v;
  v.reserve(items.size());
  for (const auto& item : items) v.push_back(static_cast<T>(value(item)));
  return v;
}

std::vector<std::string> deployment_names(const Scenario& s) {
  return values_of<std::string>(s.deployments, [](const Deployment& d) { return d.name; });
}

const h5::Label kDeployment{"deployment", "1", "deployment, an index into names"};

struct Count {
  h5::Label label;
  std::int64_t ReplicaTotals::*field;
};
const std::vector<Count>& counts() {
  using T = ReplicaTotals;
  static const std::vector<Count> all{
      {{"steps", "1", "engine steps"}, &T::steps},
      {{"empty_steps", "1", "scheduler calls that found nothing to run"}, &T::empty_steps},
      {{"prompt_tokens", "1", "prompt tokens computed, recomputation included"}, &T::prompt_tokens},
      {{"output_tokens", "1", "tokens generated"}, &T::output_tokens},
      {{"cached_tokens", "1",
        "prompt tokens found in the prefix cache at first admission; not those of readmissions"},
       &T::cached_tokens},
      {{"queried_tokens", "1",
        "prompt tokens looked up in the prefix cache at first admission; not those of readmissions"},
       &T::queried_tokens},
      {{"preemptions", "1", "evictions from the KV cache"}, &T::preemptions},
      {{"recomputed_tokens", "1", "tokens computed again after an eviction"}, &T::recomputed_tokens},
      {{"wasted_tokens", "1", "tokens computed and thrown away"}, &T::wasted_tokens},
      {{"draft_tokens", "1", "tokens drafted by speculation"}, &T::draft_tokens},
      {{"accepted_tokens", "1", "drafted tokens that were accepted"}, &T::accepted_tokens},
  };
  return all;
}

struct Sum {
  h5::Label label;
  Int128 ReplicaTotals::*field;
};
const std::vector<Sum>& sums() {
  static const std::vector<Sum> all{
      {{"flops", "1", "floating-point operations of one rank"}, &ReplicaTotals::flops},
      {{"hbm_bytes", "byte", "HBM traffic of one rank"}, &ReplicaTotals::hbm_bytes},
      {{"link_bytes", "byte", "bytes sent by one rank"}, &ReplicaTotals::link_bytes},
  };
  return all;
}

void add_ledger(Table& table, const std::vector<ReplicaResult>& replicas) {
  std::vector<TimeLedger> ledgers;
  for (const ReplicaResult& r : replicas) ledgers.push_back(split_time(r.totals, r.wall));
  const auto add = [&](const char* name, const char* long_name, Nanos TimeLedger::*part) {
    table.add({name, "ns", long_name},
              values_of<std::int64_t>(ledgers, [&](const TimeLedger& l) { return (l.*part).count(); }));
  };
  add("compute_ns", "busy time bound by arithmetic", &TimeLedger::compute);
  add("memory_ns", "busy time bound by HBM bandwidth", &TimeLedger::memory);
  add("interconnect_ns", "busy time bound by links between GPUs", &TimeLedger::interconnect);
  add("overhead_ns", "busy time in launches and in the host", &TimeLedger::overhead);
  add("idle_ns", "time without work; the five parts add up to wall_ns exactly", &TimeLedger::idle);
  table.add({"wall_ns", "ns", "span of the run"},
            values_of<std::int64_t>(replicas, [](const ReplicaResult& r) { return r.wall.count(); }));
}

struct Binned {
  std::string name, long_name, bin, bin_units, bin_long_name;
  double scale;  ///< of the bin edges
  LogHistogram ReplicaTotals::*field;
};
const std::vector<Binned>& histograms() {
  using T = ReplicaTotals;
  static const std::vector<Binned> all{
      {"itl", "gaps between a request's successive tokens", "itl_s", "s", "shortest gap of the bin", 1e9,
       &T::itl},
      {"step_time", "engine steps by duration", "step_time_s", "s", "shortest step of the bin", 1e9,
       &T::step_time},
      {"batch_size", "engine steps by number of sequences", "batch_size_sequences", "1",
       "smallest batch of the bin", 1, &T::batch_size},
  };
  return all;
}

void write_histogram(const h5::Group& group, const h5::Column& deployment, const Binned& what,
                     const std::vector<LogHistogram>& rows) {
  LogHistogram all(16);
  for (const LogHistogram& h : rows) all.merge(h);
  std::size_t first = 0, last = all.bins();  // only the bins from the first to the last that counted anything
  while (first < last && all.count(first) == 0) ++first;
  while (last > first && all.count(last - 1) == 0) --last;
  if (first == last) first = 0, last = 1;
  std::vector<double> lower, upper;
  std::vector<std::int64_t> counted;
  for (std::size_t b = first; b < last; ++b) {
    lower.push_back(static_cast<double>(all.lower_edge(b)) / what.scale);
    upper.push_back(static_cast<double>(all.lower_edge(b + 1)) / what.scale);
  }
  for (const LogHistogram& h : rows)
    for (std::size_t b = first; b < last; ++b) counted.push_back(b < h.bins() ? h.count(b) : 0);
  h5::Column bins = h5::write_column(group, {what.bin, what.bin_units, what.bin_long_name}, lower);
  bins.make_scale();
  h5::Column ends =
      h5::write_column(group, {what.name + "_upper", what.bin_units, "the next bin's start"}, upper);
  ends.attach(bins);
  const auto width = static_cast<std::int64_t>(last - first);
  h5::Column counts = h5::Column::make<std::int64_t>(
      group, {what.name, "1", what.long_name},
      std::max<std::int64_t>(1, static_cast<std::int64_t>(rows.size())), width);
  counts.write<std::int64_t>(0, counted);
  counts.attach(deployment, 0);
  counts.attach(bins, 1);
}

}  // namespace

void write_deployments(const h5::File& file, const Scenario& scenario) {
  const auto& all = scenario.deployments;
  Table table(file, "deployments", "what served the requests", kDeployment,
              static_cast<std::int64_t>(all.size()));
  table.index().set_names(deployment_names(scenario));
  const auto add = [&](const char* name, const char* long_name, auto value) {
    return table.add({name, "1", long_name}, values_of<std::int32_t>(all, value));
  };
  add("replicas", "replicas", [](const Deployment& d) { return d.replicas; });
  add("tensor_parallel_size", "GPUs that share each layer",
      [](const Deployment& d) { return d.engine.tensor_parallel_size; });
  add("max_num_seqs", "most sequences in a batch", [](const Deployment& d) { return d.engine.max_num_seqs; });
  add("max_num_batched_tokens", "most tokens in a step",
      [](const Deployment& d) { return d.engine.max_num_batched_tokens; });
}

void write_replicas(const h5::File& file, const Scenario& scenario, const RunResult& result) {
  const auto& all = result.replicas;
  Table table(file, "replicas", "totals and time ledger of each replica", {"replica", "1", "replica"},
              static_cast<std::int64_t>(all.size()));
  table.add(kDeployment, values_of<std::int32_t>(all, [](const ReplicaResult& r) { return r.deployment; }))
      .set_names(deployment_names(scenario));
  table.add({"gpus", "1", "GPUs"},
            values_of<std::int32_t>(all, [](const ReplicaResult& r) { return r.gpus; }));
  table.add({"price_per_hour", "USD h-1",
             "price of its GPUs, each its share of its node's price; idle GPUs of a node are not charged; 0: "
             "unknown"},
            values_of<double>(all, [](const ReplicaResult& r) { return r.price_per_hour; }));
  table.add({"requests", "1", "requests completed"},
            values_of<std::int64_t>(all, [](const ReplicaResult& r) { return r.requests; }));
  for (const Count& c : counts())
    table.add(c.label,
              values_of<std::int64_t>(all, [&](const ReplicaResult& r) { return r.totals.*c.field; }));
  for (const Sum& c : sums())
    table.add(c.label, values_of<double>(all, [&](const ReplicaResult& r) { return r.totals.*c.field; }));
  add_ledger(table, all);
}

void write_links(const h5::File& file, const Scenario& scenario, const RunResult& result) {
  const std::size_t n = scenario.deployments.size();
  std::vector<Int128> bytes(n, 0);
  std::vector<std::int64_t> busy(n, 0);
  for (const ReplicaResult& r : result.replicas) {
    const auto d = static_cast<std::size_t>(r.deployment);
    bytes[d] += r.totals.link_bytes * r.gpus;
    busy[d] += split_time(r.totals, r.wall).interconnect.count();
  }
  Table table(file, "links", "links between the GPUs of a replica, by deployment", kDeployment,
              static_cast<std::int64_t>(n));
  table.index().set_names(deployment_names(scenario));
  table.add({"scale_up_bytes", "byte", "bytes sent by all ranks"},
            values_of<double>(bytes, [](Int128 b) { return b; }));
  table.add({"scale_up_busy_s", "s", "time bound by the links, summed over the replicas"},
            values_of<double>(busy, [](std::int64_t ns) { return static_cast<double>(ns) / 1e9; }));
}

void write_histograms(const h5::File& file, const Scenario& scenario, const RunResult& result) {
  const h5::Group group(file, "histograms", "counts over bins of 1/16 of an octave");
  h5::Column deployment =
      h5::write_index(group, kDeployment, static_cast<std::int64_t>(scenario.deployments.size()));
  deployment.set_names(deployment_names(scenario));
  for (const Binned& what : histograms()) {
    std::vector<LogHistogram> rows(scenario.deployments.size(), LogHistogram(16));
    for (const ReplicaResult& r : result.replicas)
      rows[static_cast<std::size_t>(r.deployment)].merge(r.totals.*what.field);
    write_histogram(group, deployment, what, rows);
  }
}

void write_traces(const h5::File& file, const RunResult& result) {
  const auto& all = result.traces;
  if (all.empty()) return;
  Table table(file, "traces", "rows of each trace: read = accepted + the sum of dropped",
              {"trace", "1", "trace, an index into streams and paths"},
              static_cast<std::int64_t>(all.size()));
  h5::set_attribute(table.index().id(), "streams",
                    values_of<std::string>(all, [](const TraceCount& t) { return t.stream; }));
  h5::set_attribute(table.index().id(), "paths",
                    values_of<std::string>(all, [](const TraceCount& t) { return t.path; }));
  table.add({"read", "1", "rows read"},
            values_of<std::int64_t>(all, [](const TraceCount& t) { return t.read; }));
  table.add({"accepted", "1", "rows that became requests"},
            values_of<std::int64_t>(all, [](const TraceCount& t) { return t.accepted; }));
  std::vector<std::string> reasons;
  for (const TraceCount& t : all)
    for (const auto& [reason, rows] : t.dropped)
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
  if (reasons.empty()) return;
  h5::Column reason =
      h5::write_index(table.group(), {"reason", "1", "why rows were dropped, an index into names"},
                      static_cast<std::int64_t>(reasons.size()));
  reason.set_names(reasons);
  std::vector<std::int64_t> dropped(all.size() * reasons.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& [name, rows] : all[i].dropped) {
      const auto at = std::find(reasons.begin(), reasons.end(), name) - reasons.begin();
      dropped[i * reasons.size() + static_cast<std::size_t>(at)] += rows;
    }
  h5::Column table_2d = h5::Column::make<std::int64_t>(
      table.group(), {"dropped", "1", "rows dropped, by reason"}, static_cast<std::int64_t>(all.size()),
      static_cast<std::int64_t>(reasons.size()));
  table_2d.write<std::int64_t>(0, dropped);
  table_2d.attach(table.index(), 0);
  table_2d.attach(reason, 1);
}

}  // namespace ridgepoint

#include "record/timeseries.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {
constexpr std::int64_t kChunkValues = 8192, kChunkRows = 1024;
}

TimeSeries::TimeSeries(const h5::File& file, std::int64_t replicas)
    : replicas_(replicas),
      chunk_rows_(
          std::clamp<std::int64_t>(kChunkValues / std::max<std::int64_t>(replicas, 1), 1, kChunkRows)),
      before_(static_cast<std::size_t>(replicas)),
      group_(file, "timeseries", "state of every replica at each multiple of run.sample_period"),
      index_(h5::write_index(group_, {"replica", "1", "replica"}, replicas)),
      time_s_(h5::Column::make<double>(group_, {"time_s", "s", "time since the start of the simulation"},
                                       kChunkRows)),
      running_column_(h5::Column::make<std::int32_t>(
          group_, {"running", "1", "requests in the running batch"}, chunk_rows_, replicas)),
      waiting_column_(h5::Column::make<std::int32_t>(group_, {"waiting", "1", "requests in the queue"},
                                                     chunk_rows_, replicas)),
      kv_used_column_(h5::Column::make<double>(group_, {"kv_used", "1", "share of the KV blocks in use"},
                                               chunk_rows_, replicas)),
      prompt_rate_column_(h5::Column::make<double>(
          group_, {"prompt_tokens_per_s", "s-1", "prompt tokens computed a second since the sample before"},
          chunk_rows_, replicas)),
      output_rate_column_(h5::Column::make<double>(
          group_, {"output_tokens_per_s", "s-1", "tokens generated a second since the sample before"},
          chunk_rows_, replicas)),
      step_rate_column_(h5::Column::make<double>(
          group_, {"steps_per_s", "s-1", "engine steps a second since the sample before"}, chunk_rows_,
          replicas)) {
  time_s_.make_scale();
  for (h5::Column* c : {&running_column_, &waiting_column_, &kv_used_column_, &prompt_rate_column_,
                        &output_rate_column_, &step_rate_column_}) {
    c->attach(time_s_, 0);
    c->attach(index_, 1);
  }
}

void TimeSeries::add(Nanos t, std::span<const ReplicaSample> replicas) {
  if (static_cast<std::int64_t>(replicas.size()) != replicas_)
    throw SimulationError(
        fmt::format("a sample of {} replicas where there are {}", replicas.size(), replicas_));
  if (t <= last_)
    throw SimulationError(fmt::format("a sample at {} ns after one at {} ns", t.count(), last_.count()));
  const double span = to_seconds(t - std::max(last_, Nanos{0})).v;
  const auto rate = [span](std::int64_t now, std::int64_t before) {
    return span > 0 ? static_cast<double>(now - before) / span : 0.0;
  };
  time_.push_back(static_cast<double>(t.count()) / 1e9);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const ReplicaSample& s = replicas[i];
    Totals& before = before_[i];
    running_.push_back(s.load.running);
    waiting_.push_back(s.load.waiting);
    kv_used_.push_back(s.load.kv_blocks_total > 0 ? static_cast<double>(s.load.kv_blocks_used) /
                                                        static_cast<double>(s.load.kv_blocks_total)
                                                  : 0.0);
    prompt_rate_.push_back(rate(s.prompt_tokens, before.prompt_tokens));
    output_rate_.push_back(rate(s.output_tokens, before.output_tokens));
    step_rate_.push_back(rate(s.steps, before.steps));
    before = {s.prompt_tokens, s.output_tokens, s.steps};
  }
  last_ = t;
  if (static_cast<std::int64_t>(time_.size()) == chunk_rows_) write();
}

void TimeSeries::write() {
  const auto rows = static_cast<std::int64_t>(time_.size());
  if (rows == 0) return;
  time_s_.write<double>(written_, time_);
  running_column_.write<std::int32_t>(written_, running_);
  waiting_column_.write<std::int32_t>(written_, waiting_);
  kv_used_column_.write<double>(written_, kv_used_);
  prompt_rate_column_.write<double>(written_, prompt_rate_);
  output_rate_column_.write<double>(written_, output_rate_);
  step_rate_column_.write<double>(written_, step_rate_);
  written_ += rows;
  time_.clear();
  for (auto* values : {&running_, &waiting_}) values->clear();
  for (auto* values : {&kv_used_, &prompt_rate_, &output_rate_, &step_rate_}) values->clear();
}

}  // namespace ridgepoint

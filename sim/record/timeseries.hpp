// /timeseries: load and rates of every replica at each multiple of run.sample_period.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "record/hdf5_column.hpp"
#include "record/recorder.hpp"

namespace ridgepoint {

/// Rows are kept until a chunk is full: about 8192 values of each dataset, however many replicas there are.
class TimeSeries {
 public:
  TimeSeries(const h5::File& file, std::int64_t replicas);
  /// Throws SimulationError when the number of replicas is another or time does not rise.
  void add(Nanos t, std::span<const ReplicaSample> replicas);
  void finish() { write(); }

 private:
  struct Totals {
    std::int64_t prompt_tokens = 0, output_tokens = 0, steps = 0;
  };
  void write();

  std::int64_t replicas_, chunk_rows_;
  std::int64_t written_ = 0;
  Nanos last_{-1};
  std::vector<Totals> before_;  ///< at the last sample, by replica
  std::vector<double> time_;
  std::vector<std::int32_t> running_, waiting_;
  std::vector<double> kv_used_, prompt_rate_, output_rate_, step_rate_;
  h5::Group group_;
  h5::Column index_, time_s_, running_column_, waiting_column_, kv_used_column_, prompt_rate_column_,
      output_rate_column_, step_rate_column_;
};

}  // namespace ridgepoint

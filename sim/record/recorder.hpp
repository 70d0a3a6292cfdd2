// Writes one run's HDF5 file while it runs: columnar, chunked, complete or absent under its final name.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "serving/events.hpp"
#include "spec/request.hpp"
#include "spec/scenario.hpp"
#include "workload/source.hpp"

namespace ridgepoint {

/// One replica at a sampling instant; output_tokens and steps are running totals.
struct ReplicaSample {
  ReplicaLoad load;
  std::int64_t prompt_tokens = 0, output_tokens = 0, steps = 0;
};

/// A replica's life at the end of the run.
struct ReplicaResult {
  std::int32_t deployment = 0;
  ReplicaTotals totals;
  Nanos wall{0};              ///< span of the run
  std::int64_t requests = 0;  ///< completed
  double price_per_hour = 0;  ///< USD of its GPUs
  int gpus = 0;
};

struct RunResult {
  Nanos end{0};  ///< simulated time at which the run ended
  std::vector<ReplicaResult> replicas;
  std::vector<TraceCount> traces;
};

class Recorder {
 public:
  /// Opens `path` + a temporary suffix in the same folder. Throws ConfigError when it cannot.
  Recorder(const Scenario& scenario, std::string path);
  ~Recorder();  ///< without publish(): removes the temporary file
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// A request ended, in any order of ids; rows are written in id (= arrival) order.
  void request(const RequestRecord& record);
  void step(const StepRecord& step);
  /// At every multiple of run.sample_period, in order.
  void sample(Nanos t, std::span<const ReplicaSample> replicas);
  /// Everything that is only known at the end; closes the file, still under its temporary name.
  void finish(const RunResult& result);
  const std::string& temporary_path() const;
  /// Gives the file its final name.
  void publish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ridgepoint

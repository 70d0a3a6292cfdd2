// What a replica tells the outside, and what it counts.
#pragma once
#include <cstdint>

#include "base/histogram.hpp"
#include "base/units.hpp"
#include "cost/step.hpp"
#include "spec/request.hpp"

namespace ridgepoint {

/// One executed step, for run.record.steps.
struct StepRecord {
  std::int32_t replica = 0;
  Nanos start{0}, end{0};  ///< start: when the GPU (synchronous: the engine) began on it
  std::int32_t tokens = 0, sequences = 0, prefill_tokens = 0, preempted = 0;
  std::int64_t kv_blocks_used = 0;  ///< after scheduling
  StepCost cost;
};

/// Receives what replicas finish. Calls of one replica come in time order.
class ReplicaSink {
 public:
  virtual ~ReplicaSink() = default;
  /// A request ended (completed or refused). Called once for each.
  virtual void on_finish(const RequestRecord& record) = 0;
  /// Only called when steps are wanted.
  virtual void on_step(const StepRecord& step) { (void)step; }
};

/// A replica at an instant; what routers and time series read.
struct ReplicaLoad {
  std::int32_t running = 0, waiting = 0;
  std::int64_t kv_blocks_used = 0, kv_blocks_total = 0;  ///< usable blocks, the null block apart
};

/// Sums over a replica's life. Times are exact: busy + idle = the span; the double parts are rounded by
/// `ledger`.
struct ReplicaTotals {
  Nanos busy{0};  ///< a step was under way, or the host held one up
  double compute = 0, memory = 0, interconnect = 0,
         overhead = 0;                              ///< seconds; overhead includes unhidden host time
  Int128 flops = 0, hbm_bytes = 0, link_bytes = 0;  ///< of one rank
  std::int64_t steps = 0, empty_steps = 0;
  std::int64_t prompt_tokens = 0;   ///< computed prompt tokens, recomputation included
  std::int64_t output_tokens = 0;   ///< emitted
  std::int64_t cached_tokens = 0;   ///< found in the prefix cache, first admissions
  std::int64_t queried_tokens = 0;  ///< looked up in it, first admissions
  std::int64_t preemptions = 0, recomputed_tokens = 0, wasted_tokens = 0;
  std::int64_t draft_tokens = 0, accepted_tokens = 0;
  std::int64_t strides = 0, strided_steps = 0, longest_stride = 0,
               cut_strides = 0;  ///< not recorded in the file
  LogHistogram itl{16};          ///< ns between a request's successive tokens
  LogHistogram step_time{16};    ///< ns
  LogHistogram batch_size{16};   ///< sequences a step
};

}  // namespace ridgepoint

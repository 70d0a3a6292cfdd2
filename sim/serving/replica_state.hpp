// The inside of a replica: the engine's loop of schedule calls and outputs, and the shortcut through steady
// decoding.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "serving/cuda_graphs.hpp"
#include "serving/replica.hpp"
#include "serving/scheduler.hpp"

namespace ridgepoint {

/// Decides how speculation goes; a replica without one accepts nothing and offers K drafts.
class SpeculationOracle {
 public:
  virtual ~SpeculationOracle() = default;
  virtual std::int32_t accepted(const Request& request, std::int32_t drafts) = 0;
  virtual std::int32_t offered(const Request& request, std::int32_t most) = 0;
};

/// A batch on its way. begin <= start <= end: from begin to start the GPU waits for the host.
struct FlyingBatch {
  Batch batch;
  Nanos begin{0}, start{0}, end{0};
  StepCost cost;
  std::int64_t kv_blocks_used = 0;
};

/// Steps that repeat one pure-decode batch, planned ahead. Event j: call j, then output j, which is when call
/// j + 1 is due. Output j ends the batch of call j - (D - 1).
struct SteadyPlan {
  struct Step {
    Nanos call{0}, begin{0}, start{0}, end{0}, output{0};
    StepCost cost;
  };
  bool active = false;
  std::vector<Step> steps;
  std::int32_t calls = 0, outputs = 0;  ///< events passed
  Nanos host{0};
  std::int64_t blocks_taken = 0;         ///< by the calls passed, not yet taken from the pool
  std::vector<std::int32_t> need;        ///< blocks needed at call j, by j mod block size
  std::vector<std::int32_t> first_need;  ///< by running index: the first call that needs a block
};

struct Replica::State {
  State(ReplicaConfig config, const CostModel& cost, ReplicaSink& sink);

  ReplicaConfig config;
  const CostModel& cost;
  ReplicaSink& sink;
  SpeculationOracle* oracle = nullptr;
  bool refuses_impossible = true;
  KvCache kv;
  Scheduler scheduler;
  CudaGraphs graphs;
  ReplicaTotals totals;
  std::int64_t unfinished = 0;

  // The loop: what it does next, and when. A call may return at once, or leave the loop waiting for an
  // output.
  enum class Mode { idle, call, output };
  Mode mode = Mode::idle;
  Nanos due = kNever;
  std::deque<FlyingBatch> in_flight;
  Nanos gpu_free{0}, host_free{0};
  Nanos last_output{0};
  std::int32_t depth = 1;          ///< D
  std::int32_t uniform_calls = 0;  ///< successive calls that decoded all running sequences and nothing else
  std::int64_t fruitless = 0;      ///< preemptions since the last new token
  std::string livelock;
  SteadyPlan steady;
  std::vector<PrefillPiece> pieces;  ///< scratch

  /// All outputs due at or before `now` and calls due before it; `inclusive`: at it too.
  void run(Nanos now, bool inclusive);
  /// One turn of vLLM's loop: a schedule call at `t`; true when the loop now waits for the oldest batch's
  /// output.
  bool call(Nanos t);
  void output(Nanos t);
  void wake(Nanos t);  ///< something arrived: an idle loop makes a call at t
  std::string stuck() const;

  // engine_loop.cpp
  FlyingBatch launch(Batch batch, Nanos t);
  StepShape shape_of(const Batch& batch);
  void note_uniform(const Batch& batch);
  void go_idle();
  // outputs.cpp
  void add_step(Nanos begin, Nanos start, Nanos end, const StepCost& c, std::int64_t sequences);
  void book(const FlyingBatch& b);
  void process(FlyingBatch& b, Nanos t);
  void process_entry(const BatchEntry& e, Nanos t);
  void offer_drafts(Sequence& s);
  bool append(Sequence& s, std::int32_t tokens, std::int32_t& appended) const;
  void finish(SequenceId id, Nanos t);
  RequestRecord record_of(const Sequence& s, Nanos now) const;
  // steady.cpp
  bool plan_steady(Nanos t);
  std::int32_t steady_limit() const;
  bool count_needs();
  void run_steady(Nanos now, bool inclusive);
  void book_steady_output(std::int32_t j);
  void leave_steady(bool cut);
  void take_steady_blocks();
};

}  // namespace ridgepoint

// A replica of a model as a pure timed automaton: scheduler, KV cache and batches in flight. Time is passed
// in; nothing is read from a clock, a file or a global.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cost/cost_model.hpp"
#include "cost/memory.hpp"
#include "serving/events.hpp"
#include "spec/engine.hpp"
#include "spec/request.hpp"

namespace ridgepoint {

struct ReplicaConfig {
  std::int32_t index = 0;
  Engine engine;
  std::int64_t num_blocks = 0;  ///< the null block included
  std::vector<KvGroup> groups;  ///< at least one
  std::int64_t max_stride = 0;  ///< 0 = unlimited
  bool record_steps = false;
};

/// Contract: submit, advance and close are called with times that never decrease. At an instant t: advance(t)
/// first (outputs due at or before t, schedule calls due before t), then submit whatever arrives at t, then
/// close(t) (schedule calls due at t). Extra advance calls never change a result.
class Replica {
 public:
  Replica(ReplicaConfig config, const CostModel& cost, ReplicaSink& sink);
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  /// The request reaches the engine at `now`. Refused at once (on_finish) if it could never run.
  void submit(Request request, Nanos now);
  /// Drops a request wherever it is. False when it is not here.
  bool abort(std::int64_t id, Nanos now);
  void advance(Nanos now);
  void close(Nanos now);
  /// When something visible happens next without a submit; kNever when idle or stuck.
  Nanos next_due() const;

  std::int64_t unfinished() const;
  ReplicaLoad load() const;  ///< at the last advance
  const ReplicaTotals& totals() const;
  /// Why the waiting requests can never be scheduled, when that is so (real vLLM idles forever); empty
  /// otherwise.
  std::string stuck() const;
  /// Records of everything still queued or running, as unfinished, with parts that sum to now - arrival; in
  /// id order.
  std::vector<RequestRecord> censored(Nanos now) const;
  /// Throws SimulationError naming the first broken invariant: every block is free, cached or owned; counts
  /// agree.
  void check_invariants() const;

  struct State;  ///< for the decision replay in the tests: serving/replica_state.hpp

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ridgepoint

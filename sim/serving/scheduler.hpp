// What one schedule call decides: which sequences compute how many tokens. Rules of vLLM V1; policies choose
// the order of the two phases, the order of waiting and the victim.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serving/kv_cache.hpp"
#include "serving/waiting_queue.hpp"
#include "spec/engine.hpp"

namespace ridgepoint {

struct BatchEntry {
  SequenceId sequence = 0;
  std::int32_t tokens = 0;
  std::int32_t drafts = 0;    ///< of these
  std::int32_t computed = 0;  ///< tokens computed before
  bool emits = false;         ///< reaches the end of the known tokens: samples a new one
};

/// One schedule call's outcome, on its way through the GPU.
struct Batch {
  std::vector<BatchEntry> entries;
  std::int32_t tokens = 0;
  std::int32_t preempted = 0, admitted = 0;
  bool empty() const { return entries.empty(); }
};

class Scheduler;

/// Order of the phases and of the waiting requests. One file each in policies/.
class SchedulingPolicy {
 public:
  virtual ~SchedulingPolicy() = default;
  /// Waiting requests and victims go by (priority, arrival) instead of arrival alone.
  virtual bool by_priority() const { return false; }
  /// Fills the batch by calling the scheduler's phases.
  virtual void schedule(Scheduler& scheduler) = 0;
  /// While a batch only decodes: could a request that arrives now join it at the next call?
  virtual bool arrival_may_join(const Scheduler& scheduler) const;
};

struct PolicyEntry {
  std::string_view name;
  std::unique_ptr<SchedulingPolicy> (*make)();
};
std::span<const PolicyEntry> policy_table();
std::unique_ptr<SchedulingPolicy> make_policy(
    const std::string& name);  ///< throws ConfigError with the nearest name

class Scheduler {
 public:
  Scheduler(const Engine& engine, KvCache& kv);

  // Between calls.
  void add(Request request, Nanos submitted) { waiting_.push(std::move(request), submitted); }
  bool has_requests() const { return !running_.empty() || !waiting_.empty(); }
  /// One call at `now`; the result stays valid until the next.
  Batch schedule(Nanos now);

  // For policies: the two phases, over the batch being formed.
  /// Running sequences in order, while budget is left. `prefills_only`: decoding ones are held back.
  void serve_running(bool prefills_only = false);
  /// Admits waiting ones until one cannot be.
  void admit_waiting();
  const Batch& batch() const { return batch_; }
  const std::vector<SequenceId>& running() const { return running_; }
  const WaitingQueue& waiting() const { return waiting_; }
  std::int32_t max_running() const { return engine_.max_num_seqs; }
  const Sequence& sequence(SequenceId id) const { return sequences_[id]; }

  // For the engine.
  SequenceStore& sequences() { return sequences_; }
  const SequenceStore& sequences() const { return sequences_; }
  WaitingQueue& waiting() { return waiting_; }
  KvCache& kv() { return kv_; }
  const Engine& engine() const { return engine_; }
  const EngineRules& engine_rules() const { return rules_; }
  const SchedulingPolicy& policy() const { return *policy_; }
  /// Preempted by the last call, in order (until the next call).
  const std::vector<SequenceId>& preempted() const { return preempted_; }
  /// Leaves `running` or `waiting`; its blocks are freed. The caller removes it from the store.
  void end(SequenceId id);
  std::int64_t queried_tokens = 0, hit_tokens = 0;  ///< of first admissions

 private:
  std::int32_t wanted(const Sequence& s) const;
  bool skipped(const Sequence& s) const;
  bool make_room(SequenceId id, std::int32_t tokens);
  SequenceId choose_victim() const;
  void preempt(SequenceId victim);
  void unschedule(SequenceId victim);
  BatchEntry& put(SequenceId id, std::int32_t tokens);
  void attach_drafts(BatchEntry& e);
  void after_schedule();

  Engine engine_;
  EngineRules rules_;
  std::unique_ptr<SchedulingPolicy> policy_;
  KvCache& kv_;
  SequenceStore sequences_;
  WaitingQueue waiting_;
  std::vector<SequenceId> running_;
  // the call under way
  Nanos now_{0};
  Batch batch_;
  std::int32_t budget_ = 0;
  std::size_t index_ = 0;  ///< in running_, of the sequence being served
  std::vector<SequenceId> preempted_;
};

}  // namespace ridgepoint

// The public face of a replica.
#include "serving/replica.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "serving/replica_state.hpp"

namespace ridgepoint {

Replica::Replica(ReplicaConfig config, const CostModel& cost, ReplicaSink& sink)
    : state_(std::make_unique<State>(std::move(config), cost, sink)) {}
Replica::~Replica() = default;

namespace {

// Longer than the model allows, or a prompt that can never be in the pool at once.
bool impossible(const Replica::State& s, const Request& r) {
  const Engine& e = s.config.engine;
  if (r.prompt_tokens >= e.max_model_len || r.prompt_tokens < 1 || r.output_tokens < 1 || r.max_tokens < 1)
    return true;
  std::int64_t tables = 0;
  for (const KvGroup& g : s.config.groups) tables += (g.window == 0 || e.scheduler_reserve_full_isl) ? 1 : 0;
  const std::int64_t blocks = (std::int64_t{r.prompt_tokens} + e.block_size - 1) / e.block_size;
  return blocks * tables > s.kv.pool().usable();
}

RequestRecord record_of_fresh(const Request& r, Nanos submitted, std::int32_t replica, Nanos now) {
  RequestRecord out;
  out.id = r.id;
  out.arrival = r.arrival;
  out.prompt_tokens = r.prompt_tokens;
  out.replica = replica;
  out.stream = r.stream;
  out.other = submitted - r.arrival;
  out.queued = now - submitted;
  return out;
}

}  // namespace

void Replica::submit(Request request, Nanos now) {
  State& s = *state_;
  s.run(now, false);
  if (s.refuses_impossible && impossible(s, request)) {
    RequestRecord r = record_of_fresh(request, now, s.config.index, now);
    r.finish = now;
    r.status = RequestStatus::refused;
    s.sink.on_finish(r);
    return;
  }
  if (s.steady.active || s.uniform_calls > 0) {
    if (s.scheduler.policy().arrival_may_join(s.scheduler)) {
      if (s.steady.active) s.leave_steady(true);
      s.uniform_calls = 0;
    }
  }
  s.scheduler.add(std::move(request), now);
  ++s.unfinished;
  s.wake(now);
}

bool Replica::abort(std::int64_t id, Nanos now) {
  State& s = *state_;
  s.run(now, false);
  if (s.steady.active) s.leave_steady(true);
  s.uniform_calls = 0;
  const auto drop = [&](SequenceId sequence) {
    Sequence& q = s.scheduler.sequences()[sequence];
    s.scheduler.end(sequence);
    if (q.in_flight == 0) s.scheduler.sequences().remove(sequence);
    --s.unfinished;
  };
  for (const SequenceId sequence : s.scheduler.running())
    if (s.scheduler.sequences()[sequence].request.id == id) {
      drop(sequence);
      s.wake(now);
      return true;
    }
  const WaitingQueue::Removed removed = s.scheduler.waiting().remove_request(id);
  if (removed.sequence) drop(*removed.sequence);
  if (removed.fresh) --s.unfinished;
  if (removed.sequence || removed.fresh) s.wake(now);
  return removed.sequence || removed.fresh;
}

void Replica::advance(Nanos now) { state_->run(now, false); }
void Replica::close(Nanos now) { state_->run(now, true); }

Nanos Replica::next_due() const {
  return state_->steady.active ? state_->steady.steps.back().output : state_->due;
}

std::int64_t Replica::unfinished() const { return state_->unfinished; }

ReplicaLoad Replica::load() const {
  const State& s = *state_;
  return {static_cast<std::int32_t>(s.scheduler.running().size()),
          static_cast<std::int32_t>(s.scheduler.waiting().size()),
          s.kv.pool().used() + (s.steady.active ? s.steady.blocks_taken : 0), s.kv.pool().usable()};
}

const ReplicaTotals& Replica::totals() const {
  state_->totals.queried_tokens = state_->scheduler.queried_tokens;
  state_->totals.cached_tokens = state_->scheduler.hit_tokens;
  return state_->totals;
}

std::string Replica::stuck() const { return state_->stuck(); }

std::vector<RequestRecord> Replica::censored(Nanos now) const {
  State& s = *state_;
  if (s.steady.active) s.leave_steady(true);
  std::vector<RequestRecord> records;
  for (const SequenceId id : s.scheduler.running())
    records.push_back(s.record_of(s.scheduler.sequences()[id], now));
  s.scheduler.waiting().for_each(
      [&](const WaitingRequest& w) {
        records.push_back(record_of_fresh(w.request, w.submitted, s.config.index, now));
      },
      [&](const Sequence& q) { records.push_back(s.record_of(q, now)); });
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return records;
}

void Replica::check_invariants() const {
  State& s = *state_;
  if (s.steady.active) s.leave_steady(true);
  std::vector<const Sequence*> holders;
  for (const SequenceId id : s.scheduler.running()) holders.push_back(&s.scheduler.sequences()[id]);
  s.scheduler.waiting().for_each([](const WaitingRequest&) {},
                                 [&](const Sequence& q) { holders.push_back(&q); });
  s.kv.check(holders);
  if (static_cast<std::int64_t>(s.scheduler.running().size() + s.scheduler.waiting().size()) != s.unfinished)
    throw SimulationError("replica " + std::to_string(s.config.index) +
                          ": unfinished requests and queues disagree");
}

}  // namespace ridgepoint

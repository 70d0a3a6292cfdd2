// What a finished batch yields: new tokens, ends, records, sums.
#include <algorithm>

#include "serving/replica_state.hpp"

namespace ridgepoint {

// Sums in order of completion, whether steps were taken one by one or in a stride: to the last bit the same.
void Replica::State::add_step(Nanos begin, Nanos start, Nanos end, const StepCost& c,
                              std::int64_t sequences) {
  totals.busy += end - begin;
  totals.compute += c.compute;
  totals.memory += c.memory;
  totals.interconnect += c.interconnect;
  totals.overhead += c.overhead + to_seconds(start - begin).v;
  totals.flops += c.flops;
  totals.hbm_bytes += c.hbm_bytes;
  totals.link_bytes += c.link_bytes;
  ++totals.steps;
  totals.step_time.add((end - begin).count());
  totals.batch_size.add(sequences);
}

void Replica::State::book(const FlyingBatch& b) {
  const auto sequences = static_cast<std::int64_t>(b.batch.entries.size());
  add_step(b.begin, b.start, b.end, b.cost, sequences);
  if (!config.record_steps) return;
  StepRecord r{
      config.index,      b.begin,          b.end, b.batch.tokens, static_cast<std::int32_t>(sequences), 0,
      b.batch.preempted, b.kv_blocks_used, b.cost};
  for (const BatchEntry& e : b.batch.entries) r.prefill_tokens += e.tokens > 1 ? e.tokens : 0;
  sink.on_step(r);
}

void Replica::State::process(FlyingBatch& b, Nanos t) {
  for (const BatchEntry& e : b.batch.entries) process_entry(e, t);
}

void Replica::State::process_entry(const BatchEntry& e, Nanos t) {
  Sequence& s = scheduler.sequences()[e.sequence];
  --s.in_flight;
  if (s.state == Sequence::State::finished) {  // ended by an earlier output, or dropped: its tokens are lost
    totals.wasted_tokens += e.tokens;
    if (s.in_flight == 0) scheduler.sequences().remove(e.sequence);
    return;
  }
  const std::int32_t prompt_part = std::clamp(s.prompt() - e.computed, 0, e.tokens);
  totals.prompt_tokens += prompt_part;
  if (s.phase == Sequence::Phase::preempted)
    totals.recomputed_tokens += e.tokens - (e.emits ? 1 + e.drafts : 0);
  if (!e.emits) {
    if (s.known - s.computed == 1)
      offer_drafts(s);  // the recorded engine also drafts one token before the end
    return;
  }

  std::int32_t accepted = 0;
  if (e.drafts > 0) {
    accepted = oracle != nullptr ? std::min(oracle->accepted(s.request, e.drafts), e.drafts) : 0;
    const std::int32_t rejected = e.drafts - accepted;
    totals.draft_tokens += e.drafts;
    totals.accepted_tokens += accepted;
    if (s.computed > 0) s.computed -= rejected;
    if (s.placeholders > 0) s.placeholders -= rejected;
  }
  std::int32_t appended = 0;
  const bool ended = append(s, 1 + accepted, appended);
  totals.output_tokens += appended;
  totals.wasted_tokens += 1 + e.drafts - appended;
  fruitless = 0;
  if (config.engine.async_scheduling) {
    s.placeholders -= appended;
    if (s.state == Sequence::State::running) kv.register_tokens(s, s.computed - s.placeholders);
  }
  if (s.phase != Sequence::Phase::decode) s.enter(Sequence::Phase::decode, t);
  if (s.outputs() == appended)
    s.first_token = t;
  else
    totals.itl.add((t - s.last_token).count());
  s.last_token = t;
  if (ended)
    finish(e.sequence, t);
  else
    offer_drafts(s);
}

// Synchronous speculation: drafts for the next call. Async scheduling always counts on K of them.
void Replica::State::offer_drafts(Sequence& s) {
  const std::int32_t most = config.engine.num_speculative_tokens;
  if (config.engine.async_scheduling || most == 0) return;
  s.drafts = oracle != nullptr ? oracle->offered(s.request, most) : most;
}

// One token at a time; those after an end are lost. True when it ended.
bool Replica::State::append(Sequence& s, std::int32_t tokens, std::int32_t& appended) const {
  for (appended = 0; appended < tokens;) {
    ++s.known;
    ++appended;
    if (s.outputs() >= std::min(s.request.output_tokens, s.request.max_tokens) ||
        s.known >= config.engine.max_model_len)
      return true;
  }
  return false;
}

RequestRecord Replica::State::record_of(const Sequence& s, Nanos now) const {
  Sequence closed;
  closed.phase = s.phase;
  closed.phase_since = s.phase_since;
  closed.enter(Sequence::Phase::decode, now);
  RequestRecord r;
  r.id = s.request.id;
  r.arrival = s.request.arrival;
  r.first_token = s.first_token;
  r.prompt_tokens = s.prompt();
  r.output_tokens = s.outputs();
  r.cached_tokens = std::max(s.cached_tokens, 0);
  r.preemptions = s.preemptions;
  r.replica = config.index;
  r.stream = s.request.stream;
  r.queued = s.queued + closed.queued;
  r.prefill = s.prefill + closed.prefill;
  r.decode = s.decode + closed.decode;
  r.preempted = s.preempted + closed.preempted;
  r.other = s.submitted - s.request.arrival;
  return r;
}

void Replica::State::finish(SequenceId id, Nanos t) {
  Sequence& s = scheduler.sequences()[id];
  RequestRecord r = record_of(s, t);
  r.finish = t;
  r.status = RequestStatus::completed;
  scheduler.end(id);
  if (s.in_flight == 0) scheduler.sequences().remove(id);
  --unfinished;
  uniform_calls = 0;
  sink.on_finish(r);
}

}  // namespace ridgepoint

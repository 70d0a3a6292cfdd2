#include "serving/scheduler.hpp"

#include <algorithm>
#include <tuple>

#include "base/errors.hpp"
#include "serving/policies/policies.hpp"
#include "spec/policies.hpp"

namespace ridgepoint {

bool SchedulingPolicy::arrival_may_join(const Scheduler& s) const {
  if (static_cast<std::int32_t>(s.running().size()) >= s.max_running()) return false;
  return by_priority() ||
         s.waiting().empty();  // first come: nobody overtakes a head that could not be admitted
}

std::span<const PolicyEntry> policy_table() {
  static constexpr PolicyEntry kTable[] = {
      {"fcfs", make_fcfs},
      {"priority", make_priority},
      {"static", make_static},
      {"prefill_first", make_prefill_first},
  };
  return kTable;
}

std::unique_ptr<SchedulingPolicy> make_policy(const std::string& name) {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policy_table()) {
    if (entry.name == name) return entry.make();
    names.emplace_back(entry.name);
  }
  const std::string near = nearest_name(name, names);
  throw ConfigError("no scheduling policy '" + name + "'",
                    near.empty() ? "see `ridgepoint list policies`" : "did you mean '" + near + "'?");
}

Scheduler::Scheduler(const Engine& engine, KvCache& kv)
    : engine_(engine),
      rules_(rules(engine.version)),
      policy_(make_policy(engine.scheduling_policy)),
      kv_(kv),
      waiting_(policy_->by_priority(), sequences_) {}

Batch Scheduler::schedule(Nanos now) {
  now_ = now;
  batch_ = {};
  batch_.entries.reserve(running_.size() + 1);
  preempted_.clear();
  index_ = 0;
  budget_ = engine_.max_num_batched_tokens;
  policy_->schedule(*this);
  after_schedule();
  return std::move(batch_);
}

// Work in flight is certain to reach its limit, even if every draft is rejected.
bool Scheduler::skipped(const Sequence& s) const {
  return rules_.async_stops_at_limit && s.placeholders > 0 &&
         s.computed + 2 - s.placeholders >= s.prompt() + s.request.max_tokens;
}

std::int32_t Scheduler::wanted(const Sequence& s) const {
  std::int32_t w = s.known + s.drafts + s.placeholders - s.computed;
  if (engine_.long_prefill_token_threshold > 0) w = std::min(w, engine_.long_prefill_token_threshold);
  w = std::min({w, budget_, engine_.max_model_len - 1 - s.computed});
  if (rules_.caps_drafts_at_limit) w = std::min(w, s.prompt() + s.request.max_tokens - 1 - s.computed);
  return w;
}

void Scheduler::serve_running(bool prefills_only) {
  for (index_ = 0; index_ < running_.size() && budget_ > 0;) {
    const SequenceId id = running_[index_];
    Sequence& s = sequences_[id];
    const std::int32_t tokens =
        (s.scheduled || (prefills_only && !s.prefilling()) || skipped(s)) ? 0 : wanted(s);
    if (tokens <= 0) {
      ++index_;
      continue;
    }
    if (!make_room(id, tokens)) return;
    attach_drafts(put(id, tokens));
    ++index_;
  }
}

// Preempts until the sequence's tokens fit. False: it was itself the victim.
bool Scheduler::make_room(SequenceId id, std::int32_t tokens) {
  while (!kv_.grow(sequences_[id], tokens, engine_.lookahead_tokens())) {
    const SequenceId victim = choose_victim();
    preempt(victim);
    if (victim == id) return false;
  }
  return true;
}

SequenceId Scheduler::choose_victim() const {
  if (!policy_->by_priority()) return running_.back();
  const auto key = [&](SequenceId id) {
    const Request& r = sequences_[id].request;
    return std::tie(r.priority, r.arrival);
  };
  return *std::max_element(running_.begin(), running_.end(),
                           [&](SequenceId a, SequenceId b) { return key(a) < key(b); });
}

void Scheduler::preempt(SequenceId victim) {
  running_.erase(std::find(running_.begin(), running_.end(), victim));
  Sequence& s = sequences_[victim];
  if (s.scheduled) {
    // It stood before the one being served. Older engines left its tokens in the step and skipped one
    // request.
    if (rules_.victim_gives_tokens_back) {
      unschedule(victim);
      --index_;
    }
  }
  kv_.release(s, true);
  s.state = Sequence::State::preempted;
  s.computed = 0;
  if (!rules_.drafts_survive_preemption) s.drafts = 0;
  ++s.preemptions;
  s.enter(Sequence::Phase::preempted, now_);
  waiting_.put_back(victim);
  preempted_.push_back(victim);
  ++batch_.preempted;
}

void Scheduler::unschedule(SequenceId victim) {
  const auto it = std::find_if(batch_.entries.begin(), batch_.entries.end(),
                               [&](const BatchEntry& e) { return e.sequence == victim; });
  budget_ += it->tokens;
  batch_.tokens -= it->tokens;
  batch_.entries.erase(it);
  sequences_[victim].scheduled = false;
}

BatchEntry& Scheduler::put(SequenceId id, std::int32_t tokens) {
  Sequence& s = sequences_[id];
  s.scheduled = true;
  budget_ -= tokens;
  batch_.tokens += tokens;
  batch_.entries.push_back({id, tokens, 0, s.computed, false});
  return batch_.entries.back();
}

// What of the tokens lies beyond the known ones (and placeholders) are drafts. Those not scheduled are
// forgotten, but not by engines to 0.13, where they wait through the chunks of a resumption.
void Scheduler::attach_drafts(BatchEntry& e) {
  Sequence& s = sequences_[e.sequence];
  if (s.drafts == 0) return;
  e.drafts = std::clamp(e.tokens + s.computed - s.known - s.placeholders, 0, s.drafts);
  if (e.drafts > 0 || !rules_.drafts_survive_preemption) s.drafts = 0;
}

void Scheduler::admit_waiting() {
  std::vector<SequenceId> set_aside;  // engines before 0.12: too large for what is left, others may pass
  while (!waiting_.empty() && budget_ > 0) {
    if (static_cast<std::int32_t>(running_.size()) >= engine_.max_num_seqs) break;
    const SequenceId id = waiting_.head();
    Sequence& s = sequences_[id];
    const PrefixHit& hit = kv_.look_up(s);
    std::int32_t tokens = s.known - hit.tokens;
    if (engine_.long_prefill_token_threshold > 0)
      tokens = std::min(tokens, engine_.long_prefill_token_threshold);
    if (!engine_.enable_chunked_prefill && tokens > budget_) {
      if (rules_.unchunked_stops) break;
      waiting_.pop();
      set_aside.push_back(id);
      continue;
    }
    tokens = std::min(tokens, budget_);
    if (engine_.scheduler_reserve_full_isl && !kv_.fits_whole(s, hit)) break;
    const std::int32_t lookahead = rules_.lookahead_at_admission ? engine_.lookahead_tokens() : 0;
    if (!kv_.admit(s, hit, tokens, lookahead)) break;
    waiting_.pop();
    s.computed = hit.tokens;
    if (s.preemptions == 0) {  // as vLLM reports it: recomputation is no merit of the prefix cache
      queried_tokens += s.known;
      hit_tokens += hit.tokens;
    }
    if (s.cached_tokens < 0) s.cached_tokens = std::min(hit.tokens, s.prompt());
    s.state = Sequence::State::running;
    if (s.phase == Sequence::Phase::queued) s.enter(Sequence::Phase::prefill, now_);
    running_.push_back(id);
    ++batch_.admitted;
    put(id, tokens);
  }
  for (auto it = set_aside.rbegin(); it != set_aside.rend(); ++it) waiting_.put_back(*it);
}

void Scheduler::after_schedule() {
  for (BatchEntry& e : batch_.entries) {
    Sequence& s = sequences_[e.sequence];
    s.scheduled = false;
    ++s.in_flight;
    // A sequence preempted after it was scheduled (engines up to 0.11.0) runs this step and still starts
    // over.
    e.emits = e.computed + e.tokens >= s.known + s.placeholders;
    if (s.state == Sequence::State::running) s.computed += e.tokens;
    if (!engine_.async_scheduling || !e.emits) continue;
    s.placeholders += 1 + e.drafts;
    s.drafts = engine_.num_speculative_tokens;
  }
}

void Scheduler::end(SequenceId id) {
  Sequence& s = sequences_[id];
  if (s.state == Sequence::State::running)
    running_.erase(std::find(running_.begin(), running_.end(), id));
  else
    waiting_.remove(id);
  kv_.release(s, false);
  s.state = Sequence::State::finished;
}

}  // namespace ridgepoint

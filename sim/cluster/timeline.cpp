#include "cluster/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace ridgepoint {

Timeline::Timeline(std::vector<TimelineDeployment> deployments, TimelineOptions options,
                   RequestSource& source, TimelineListener& listener)
    : deployments_(std::move(deployments)), options_(options), source_(source), listener_(listener) {
  least_delay_ = kNever;
  std::size_t next = 0;
  for (std::size_t d = 0; d < deployments_.size(); ++d) {
    first_replica_.push_back(next);
    frontends_.emplace_back(deployments_[d].frontend_delay);
    least_delay_ = std::min(least_delay_, deployments_[d].frontend_delay);
    auto& candidates = candidates_.emplace_back();
    for (std::int32_t r = 0; r < deployments_[d].replicas; ++r, ++next) {
      candidates.push_back({static_cast<std::int32_t>(next), 0});
      deployment_of_.push_back(static_cast<std::int32_t>(d));
    }
  }
  due_ = DueTree(next);
  is_touched_.assign(next, 0);
  is_changed_.assign(next, 0);
  touched_.reserve(next);
  changed_.reserve(next);
  samples_.resize(next);
  completed_by_.assign(next, 0);
  if (options_.sample_period > Nanos{0}) next_sample_ = options_.sample_period;
}

void Timeline::add_replica(std::unique_ptr<Replica> replica) { replicas_.push_back(std::move(replica)); }

void Timeline::start() {
  if (replicas_.size() != deployment_of_.size())
    throw SimulationError(fmt::format("the timeline was given {} replicas, its deployments have {}",
                                      replicas_.size(), deployment_of_.size()));
  for (std::size_t r = 0; r < replicas_.size(); ++r) due_.set(r, replicas_[r]->next_due());
  finish_or_go_on(Nanos{0});
}

Nanos Timeline::frontend_due() const {
  Nanos due = kNever;
  for (const Frontend& f : frontends_) due = std::min(due, f.due());
  // A request may be taken from the source later than it arrives, since nobody looks at it before it
  // reaches the router; what the source makes in between comes in its due order all the same.
  const Nanos arrival = source_.next_arrival();
  return arrival == kNever ? due : std::min(due, arrival + least_delay_);
}

Nanos Timeline::control_due() const { return std::min(next_sample_, options_.until.value_or(kNever)); }

Nanos Timeline::next_work() const { return std::min(due_.earliest(), frontend_due()); }

void Timeline::settle(Nanos t) {
  while (!done_) {
    const Nanos next = std::min(next_work(), control_due());
    if (next > t || next == kNever) return;
    instant(next);
  }
}

void Timeline::instant(Nanos now) {
  if (now < now_)
    throw SimulationError(
        fmt::format("time ran backwards: {} ns is due after {} ns", now.count(), now_.count()));
  if (now > now_) arrivals_at_now_ = 0;
  now_ = now;
  while (due_.earliest() <= now) touch(due_.first(), now);
  do pull_arrivals(now);
  while (release_one(now));  // a request refused at once may bring the next one at this very instant
  close_touched(now);
  if (next_sample_ <= now) sample(now);
  listener_.on_instant(now);
  finish_or_go_on(now);
}

void Timeline::touch(std::size_t replica, Nanos now) {
  if (is_touched_[replica] != 0) return;
  is_touched_[replica] = 1;
  touched_.push_back(replica);
  due_.set(replica, kNever);  // until it is closed
  replicas_[replica]->advance(now);
}

void Timeline::pull_arrivals(Nanos now) {
  while (source_.next_arrival() <= now) {
    Request request = source_.pop();
    ++arrived_;
    if (++arrivals_at_now_ > options_.most_arrivals_at_once)
      throw SimulationError(
          fmt::format("time does not advance: more than {} requests arrived at {:.9f} s; is a closed loop "
                      "refused over and over?",
                      options_.most_arrivals_at_once, to_seconds(now).v));
    frontends_[request.deployment].push(std::move(request));
  }
}

bool Timeline::release_one(Nanos now) {
  std::size_t best = frontends_.size();
  for (std::size_t d = 0; d < frontends_.size(); ++d) {
    const Nanos due = frontends_[d].due();
    if (due > now) continue;
    if (best == frontends_.size() || due < frontends_[best].due() ||
        (due == frontends_[best].due() && frontends_[d].front().id < frontends_[best].front().id))
      best = d;
  }
  if (best == frontends_.size()) return false;
  Request request = frontends_[best].pop();
  auto& candidates = candidates_[best];
  const std::size_t choice = deployments_[best].router->choose(request, candidates);
  Candidate& chosen = candidates.at(choice);
  const auto replica = static_cast<std::size_t>(chosen.replica);
  ++chosen.outstanding;
  touch(replica, now);
  replicas_[replica]->submit(std::move(request), now);
  return true;
}

void Timeline::close_touched(Nanos now) {
  if (touched_.empty()) return;
  last_work_ = now;
  std::sort(touched_.begin(), touched_.end());
  for (const std::size_t r : touched_) {
    replicas_[r]->close(now);
    due_.set(r, replicas_[r]->next_due());
    is_touched_[r] = 0;
    if (is_changed_[r] == 0) {
      is_changed_[r] = 1;
      changed_.push_back(r);
    }
  }
  touched_.clear();
  watch_progress(now);
}

void Timeline::sample(Nanos now) {
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    replicas_[r]->advance(now);
    const ReplicaTotals& totals = replicas_[r]->totals();
    samples_[r] = {replicas_[r]->load(), totals.prompt_tokens, totals.output_tokens, totals.steps};
  }
  listener_.on_sample(now, samples_);
  next_sample_ += options_.sample_period;
}

void Timeline::on_finish(const RequestRecord& record) {
  const auto replica = static_cast<std::size_t>(record.replica);
  if (record.status == RequestStatus::refused) {
    ++refused_;
  } else {
    ++completed_;
    ++completed_by_.at(replica);
  }
  const auto deployment = static_cast<std::size_t>(deployment_of_.at(replica));
  --candidates_[deployment][replica - first_replica_[deployment]].outstanding;
  listener_.on_record(record);
  source_.on_finish(record.id, now_);
}

void Timeline::finish_or_go_on(Nanos now) {
  if (options_.until && now >= *options_.until) {
    end_ = *options_.until;
    record_censored(end_);
    done_ = true;
    return;
  }
  if (next_work() != kNever) return;
  throw_if_stuck(now);
  if (options_.until) return;  // idle until then
  end_ = last_work_;
  done_ = true;
}

void Timeline::record_censored(Nanos now) {
  for (const auto& replica : replicas_) {
    replica->advance(now);
    if (!replica->stuck().empty()) throw_if_stuck(now);
  }
  for (const auto& replica : replicas_)
    for (const RequestRecord& record : replica->censored(now)) listener_.on_record(record);
  for (Frontend& frontend : frontends_) {
    while (!frontend.empty()) {
      const Request request = frontend.pop();
      RequestRecord record;
      record.id = request.id;
      record.arrival = request.arrival;
      record.prompt_tokens = request.prompt_tokens;
      record.stream = request.stream;
      record.other = now - request.arrival;
      listener_.on_record(record);
    }
  }
}

void Timeline::throw_if_stuck(Nanos now) const {
  if (unfinished() == 0) return;
  throw SimulationError(
      fmt::format("the run cannot go on after {:.9f} s: {} of {} requests wait for what never comes{}",
                  to_seconds(now).v, unfinished(), arrived_, waiting_for()));
}

std::string Timeline::waiting_for() const {
  std::string text;
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    if (replicas_[r]->unfinished() == 0) continue;
    const ReplicaLoad load = replicas_[r]->load();
    const std::string why = replicas_[r]->stuck();
    text += fmt::format("\n  replica {} ({}): {} running, {} waiting, {} of {} KV blocks in use: {}", r,
                        deployments_[static_cast<std::size_t>(deployment_of_[r])].name, load.running,
                        load.waiting, load.kv_blocks_used, load.kv_blocks_total,
                        why.empty() ? "nothing is due and the replica names no reason" : why);
  }
  return text;
}

/// Engines exist that preempt and recompute the same requests forever; the rules that make them do so are
/// simulated, so the run has to notice.
void Timeline::watch_progress(Nanos now) {
  if (++watched_instants_ < options_.most_fruitless_instants) return;
  watched_instants_ = 0;
  std::int64_t progress = arrived_ + completed_ + refused_;
  for (const auto& replica : replicas_) progress += replica->totals().output_tokens;
  if (progress == last_progress_)
    throw SimulationError(fmt::format(
        "livelock at {:.9f} s: in {} instants no request arrived or ended and no token was emitted{}",
        to_seconds(now).v, options_.most_fruitless_instants, waiting_for()));
  last_progress_ = progress;
}

void Timeline::take_changed(std::vector<std::size_t>& changed) {
  changed.clear();
  std::swap(changed, changed_);
  for (const std::size_t r : changed) is_changed_[r] = 0;
}

}  // namespace ridgepoint

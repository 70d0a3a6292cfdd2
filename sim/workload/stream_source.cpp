#include "workload/stream_source.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "workload/content.hpp"

namespace ridgepoint {
namespace {

/// A closed loop that has no end in sight and this many requests of which ended the instant they came, all of
/// them in a row, is taken to be refused as a whole.
constexpr std::int64_t kMostAtOnce = 1'000'000;

[[noreturn]] void refuse(const std::string& key, std::string what, std::string remedy) {
  throw ConfigError({Problem{"", 0, 0, key, std::move(what), std::move(remedy)}});
}

Nanos later(Nanos t, Nanos span) { return span >= kNever - t ? kNever : t + span; }

bool comes_after(Nanos at_a, std::int64_t unit_a, Nanos at_b, std::int64_t unit_b) {
  return at_a != at_b ? at_a > at_b : unit_a > unit_b;
}

}  // namespace

StreamSource::StreamSource(const Scenario& scenario, std::size_t index, std::uint32_t& sessions)
    : stream_(scenario.workload.streams[index]), index_(index), sessions_(&sessions) {
  check();
  const Deployment& d = scenario.deployments.at(static_cast<std::size_t>(stream_.deployment));
  max_model_len_ = d.engine.max_model_len;
  priority_ = stream_.slo_class < 0
                  ? 0
                  : scenario.workload.slo_classes.at(static_cast<std::size_t>(stream_.slo_class)).priority;
  end_ = stream_.duration > Nanos{0} ? later(stream_.start, stream_.duration) : kNever;
  bounded_ = stream_.num_requests > 0 || stream_.duration > Nanos{0} || stream_.trace.has_value();
  if (!bounded_ && !scenario.run.until)
    refuse(stream_key(index_), "nothing ends this stream", "give num_requests, duration or run.until");
  make_arrivals(scenario);
  if (stream_.concurrency)
    for (int user = 0; user < *stream_.concurrency; ++user) join(stream_.start);
  else
    announce();
}

void StreamSource::check() const {
  const std::string key = stream_key(index_);
  const bool open = stream_.rate.has_value() || stream_.rate_profile.type == RateProfile::Type::steps;
  if (open && stream_.concurrency)
    refuse(key, "both a rate and a concurrency", "an open loop has a rate, a closed one a concurrency");
  if (!open && !stream_.concurrency && !stream_.trace)
    refuse(key, "nothing says when requests come", "give rate, concurrency or a trace");
  if (stream_.concurrency && *stream_.concurrency < 1)
    refuse(key + ".concurrency", "below 1", "give how many users wait at the same time");
  if (stream_.trace && stream_.session)
    refuse(key + ".session", "a trace brings its own sessions", "leave one of the two out");
}

void StreamSource::make_arrivals(const Scenario& scenario) {
  const bool open = stream_.rate.has_value() || stream_.rate_profile.type == RateProfile::Type::steps;
  const bool own_times = stream_.trace && !open && !stream_.concurrency;
  units_ =
      stream_.trace ? make_trace_units(scenario, index_, own_times) : make_synthetic_units(scenario, index_);
  if (!open) return;
  process_ = make_unit_process(stream_.arrival, stream_key(index_) + ".arrival");
  rate_ = make_rate_map(stream_, stream_key(index_));
  arrivals_ = RandomRoot(scenario.seed).stream("arrivals/" + stream_.name);
}

bool StreamSource::may_commit(Nanos at) const {
  return at < end_ && at != kNever && (stream_.num_requests == 0 || committed_ < stream_.num_requests);
}

/// Fetches the next unit of an open loop.
void StreamSource::announce() {
  open_.reset();
  if (stream_.num_requests > 0 && committed_ >= stream_.num_requests)
    return units_->stop("beyond num_requests", 0);
  Nanos at = kNever;
  if (process_ && !may_commit(at = rate_->at(process_->next(*arrivals_)))) return;
  Live live;
  if (!units_->start(live)) return;
  if (!process_) at = later(stream_.start, Nanos{live.unit.arrival});
  if (!may_commit(at)) return units_->stop("after the stream's duration", live.turns);
  ++committed_;
  open_ = std::move(live);
  open_at_ = at;
}

/// A user of a closed loop comes with a new unit.
void StreamSource::join(Nanos at) {
  if (!may_commit(at)) return;
  Live live;
  if (units_->start(live)) schedule(keep(std::move(live)), at);
}

void StreamSource::schedule(std::size_t slot, Nanos at) {
  ++committed_;
  due_.push_back({at, slots_[slot].index, slot});
  std::push_heap(due_.begin(), due_.end(),
                 [](const Due& a, const Due& b) { return comes_after(a.at, a.unit, b.at, b.unit); });
}

std::size_t StreamSource::keep(Live live) {
  if (free_.empty()) {
    slots_.push_back(std::move(live));
    return slots_.size() - 1;
  }
  const std::size_t slot = free_.back();
  free_.pop_back();
  slots_[slot] = std::move(live);
  return slot;
}

Live StreamSource::release(std::size_t slot) {
  free_.push_back(slot);
  return std::exchange(slots_[slot], Live{});
}

Nanos StreamSource::next_arrival() const {
  const Nanos open = open_ ? open_at_ : kNever;
  return due_.empty() ? open : std::min(open, due_.front().at);
}

Request StreamSource::make(Live& live, Nanos arrival) const {
  Request r;
  r.arrival = arrival;
  r.stream = static_cast<std::uint16_t>(index_);
  r.deployment = static_cast<std::uint16_t>(stream_.deployment);
  r.priority = priority_;
  const bool session = live.turns > 1;
  if (session && live.session == 0) live.session = ++*sessions_;
  r.session = live.session;
  units_->fill(live, r);
  r.max_tokens = r.output_tokens;
  const std::int32_t room = max_model_len_ - r.prompt_tokens;
  if (stream_.output_stop == OutputStop::eos && room > 0) {
    r.max_tokens = room;
    r.output_tokens = std::min(r.output_tokens, room);
  }
  return r;
}

Request StreamSource::pop(std::int64_t& handle) {
  handle = kNoFeedback;
  const bool from_due =
      !due_.empty() && !(open_ && comes_after(due_.front().at, due_.front().unit, open_at_, open_->index));
  if (!from_due) {
    Live live = std::move(*open_);
    const Nanos at = open_at_;
    announce();
    Request r = make(live, at);
    if (live.more()) handle = static_cast<std::int64_t>(keep(std::move(live)));
    return r;
  }
  std::pop_heap(due_.begin(), due_.end(),
                [](const Due& a, const Due& b) { return comes_after(a.at, a.unit, b.at, b.unit); });
  const Due due = due_.back();
  due_.pop_back();
  Request r = make(slots_[due.slot], due.at);
  if (slots_[due.slot].more() || stream_.concurrency)
    handle = static_cast<std::int64_t>(due.slot);
  else
    release(due.slot);
  return r;
}

void StreamSource::on_finish(std::int64_t handle, Nanos arrival, Nanos now) {
  const auto slot = static_cast<std::size_t>(handle);
  watch_headway(arrival, now);
  const Nanos at = later(now, units_->think(slots_[slot]));
  if (slots_[slot].more()) {
    if (may_commit(at)) return schedule(slot, at);
    release(slot);
  } else {
    release(slot);
    if (stream_.concurrency) join(at);
  }
}

void StreamSource::watch_headway(Nanos arrival, Nanos now) {
  at_once_ = now == arrival ? at_once_ + 1 : 0;
  if (stream_.concurrency && stream_.num_requests == 0 && !stream_.trace && at_once_ > kMostAtOnce)
    throw SimulationError(stream_key(index_) + ": " + std::to_string(kMostAtOnce) +
                          " requests in a row ended the instant they came, so that this closed loop makes no "
                          "headway; are they all refused as too long?");
}

}  // namespace ridgepoint

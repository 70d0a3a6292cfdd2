#include "unit/cluster/timeline_fakes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridgepoint {

struct Replica::State {
  std::int32_t index = 0;
  ReplicaSink* sink = nullptr;
  std::vector<Request> waiting;
  std::map<std::pair<Nanos, std::int64_t>, Request> running;  // by (finish, id)
  std::int64_t forever = 0, spinning = 0;
  Nanos spins_at = kNever;
  ReplicaTotals totals;
  RequestRecord record(const Request& r, RequestStatus status, Nanos finish) const {
    RequestRecord record;
    record.id = r.id;
    record.arrival = r.arrival;
    record.finish = finish;
    record.replica = index;
    record.status = status;
    record.other = finish - r.arrival;
    return record;
  }
  void log(const std::string& what, Nanos t) const {
    test::events().push_back(fmt::format("r{} {}@{}", index, what, t.count()));
  }
};

namespace {
struct NoCost final : CostModel {
  StepCost step(const StepShape&) const override { return {}; }
  const DecodeCurve& decode_curve(std::int32_t, std::int32_t, GraphMode) const override { std::abort(); }
  double host_seconds(std::int32_t) const override { return 0; }
  double frontend_seconds() const override { return 0; }
};
}  // namespace

Replica::Replica(ReplicaConfig config, const CostModel&, ReplicaSink& sink) : state_(new State) {
  state_->index = config.index;
  state_->sink = &sink;
}
Replica::~Replica() = default;

void Replica::submit(Request request, Nanos now) {
  state_->log(fmt::format("submit {}", request.id), now);
  if (request.prompt_tokens > test::kLongest)
    state_->sink->on_finish(state_->record(request, RequestStatus::refused, now));
  else
    state_->waiting.push_back(std::move(request));
}

void Replica::advance(Nanos now) {
  state_->log("advance", now);
  if (state_->spins_at <= now) state_->spins_at = now + Nanos{1};
  while (!state_->running.empty() && state_->running.begin()->first.first <= now) {
    const auto node = state_->running.extract(state_->running.begin());
    state_->totals.output_tokens += node.mapped().output_tokens;
    state_->sink->on_finish(state_->record(node.mapped(), RequestStatus::completed, node.key().first));
  }
}

void Replica::close(Nanos now) {
  state_->log("close", now);
  for (Request& r : state_->waiting) {
    const std::pair key{now + Nanos{r.output_tokens}, r.id};
    if (r.prompt_tokens == test::kLongest) {
      ++state_->forever;
    } else if (r.prompt_tokens == test::kLongest / 2) {
      ++state_->spinning;
      state_->spins_at = now + Nanos{1};
    } else {
      state_->running.emplace(key, std::move(r));
    }
  }
  state_->waiting.clear();
}

Nanos Replica::next_due() const {
  return std::min(state_->spins_at, state_->running.empty() ? kNever : state_->running.begin()->first.first);
}
std::int64_t Replica::unfinished() const {
  return static_cast<std::int64_t>(state_->waiting.size() + state_->running.size()) + state_->forever +
         state_->spinning;
}
ReplicaLoad Replica::load() const { return {static_cast<std::int32_t>(state_->running.size()), 0, 0, 0}; }
const ReplicaTotals& Replica::totals() const { return state_->totals; }
std::string Replica::stuck() const { return state_->forever > 0 ? "it needs more than there is" : ""; }
std::vector<RequestRecord> Replica::censored(Nanos now) const {
  std::vector<RequestRecord> records;
  for (const auto& [key, request] : state_->running)
    records.push_back(state_->record(request, RequestStatus::unfinished, now));
  return records;
}
void Replica::check_invariants() const {}

namespace test {

std::vector<std::string>& events() {
  static std::vector<std::string> all;
  return all;
}

std::unique_ptr<Replica> fake_replica(std::int32_t index, ReplicaSink& sink) {
  static const NoCost cost;
  ReplicaConfig config;
  config.index = index;
  return std::make_unique<Replica>(config, cost, sink);
}

Request FakeSource::pop() {
  const Row row = rows_.front();
  rows_.pop_front();
  Request request;
  request.id = next_id_++;
  request.arrival = Nanos{row.arrival_ns};
  request.prompt_tokens = row.prompt;
  request.output_tokens = row.output;
  request.deployment = row.deployment;
  given_[request.id] = row;
  return request;
}

void FakeSource::on_finish(std::int64_t id, Nanos now) {
  if (follow_ups-- <= 0) return;
  Row row = given_.at(id);
  row.arrival_ns = now.count();
  const auto later = std::find_if(rows_.begin(), rows_.end(),
                                  [&row](const Row& other) { return other.arrival_ns > row.arrival_ns; });
  rows_.insert(later, row);
}

}  // namespace test
}  // namespace ridgepoint

#include "cluster/run.hpp"

#include <fmt/format.h>

#include <simgrid/s4u.hpp>

#include "base/errors.hpp"
#include "cluster/actors.hpp"
#include "cluster/fleet.hpp"
#include "cluster/platform.hpp"
#include "cluster/timeline.hpp"

namespace ridgepoint {
namespace {

/// Passes what the timeline settles to the recorder, and keeps count for the progress bar.
class RunListener final : public TimelineListener {
 public:
  RunListener(const Scenario& scenario, Recorder& recorder, const RequestSource& source,
              const RunHooks& hooks)
      : scenario_(scenario), recorder_(recorder), source_(source), hooks_(hooks) {}

  void on_record(const RequestRecord& record) override {
    if (hooks_.check_invariants) check(record);
    if (record.status == RequestStatus::unfinished)
      ++unfinished_;
    else
      ++done_;
    recorder_.request(record);
  }
  void on_step(const StepRecord& step) override { recorder_.step(step); }
  void on_sample(Nanos t, std::span<const ReplicaSample> replicas) override { recorder_.sample(t, replicas); }
  void on_instant(Nanos t) override {
    if (!hooks_.on_progress || ++instants_ % hooks_.progress_every != 0) return;
    std::optional<std::int64_t> expected = source_.expected_requests();  // those still to come
    if (expected && timeline_ != nullptr) *expected += timeline_->arrived();
    hooks_.on_progress({t, scenario_.run.until, done_, expected});
  }
  void watch(const Timeline& timeline) { timeline_ = &timeline; }
  std::int64_t unfinished() const { return unfinished_; }
  std::int64_t recorded() const { return done_ + unfinished_; }

 private:
  static void check(const RequestRecord& r) {
    const Nanos parts = r.queued + r.prefill + r.decode + r.preempted + r.transfer + r.other;
    for (const Nanos part : {r.queued, r.prefill, r.decode, r.preempted, r.transfer, r.other})
      if (part < Nanos{0})
        throw SimulationError(
            fmt::format("request {}: a part of its time is negative ({} ns)", r.id, part.count()));
    if (r.status == RequestStatus::completed && parts != r.finish - r.arrival)
      throw SimulationError(fmt::format("request {}: its parts sum to {} ns, it took {} ns", r.id,
                                        parts.count(), (r.finish - r.arrival).count()));
  }

  const Scenario& scenario_;
  Recorder& recorder_;
  const RequestSource& source_;
  const RunHooks& hooks_;
  const Timeline* timeline_ = nullptr;
  std::int64_t instants_ = 0, done_ = 0, unfinished_ = 0;
};

/// The one Engine of this process, which cannot be made twice: SimGrid's clock is static. It gets an argv of
/// its own, since it would take --help and --version for itself.
class PrivateEngine {
 public:
  PrivateEngine() : engine_(&argc_, argv_) {}

 private:
  // CM02 without cross traffic and without a TCP window: bandwidth is what the links say. Stacks: HDF5 chunks
  // are written from actors, pages are only touched when used.
  char name_[11] = "ridgepoint", quiet_[26] = "--log=root.thresh:warning",
       model_[25] = "--cfg=network/model:CM02", cross_[29] = "--cfg=network/crosstraffic:0",
       gamma_[29] = "--cfg=network/TCP-gamma:1e18", precision_[28] = "--cfg=surf/precision:1e-12",
       stack_[30] = "--cfg=contexts/stack-size:512", threads_[26] = "--cfg=contexts/nthreads:1";
  int argc_ = 8;
  char* argv_[9] = {name_, quiet_, model_, cross_, gamma_, precision_, stack_, threads_, nullptr};
  simgrid::s4u::Engine engine_;
};

RunResult collect(const Timeline& timeline, const Fleet& fleet, const RequestSource& source) {
  RunResult result;
  result.end = timeline.end();
  for (std::size_t r = 0; r < timeline.replicas(); ++r) {
    ReplicaResult replica;
    replica.deployment = timeline.deployment_of(r);
    replica.totals = timeline.replica(r).totals();
    replica.wall = timeline.end();
    replica.requests = timeline.completed_by(r);
    replica.price_per_hour = fleet.price_per_hour(r);
    replica.gpus = fleet.gpus(r);
    result.replicas.push_back(std::move(replica));
  }
  result.traces = source.trace_counts();
  return result;
}

void check_end(const Timeline& timeline, const RunListener& listener) {
  if (listener.recorded() != timeline.arrived() || listener.unfinished() != timeline.unfinished())
    throw SimulationError(
        fmt::format("{} requests arrived, {} were recorded", timeline.arrived(), listener.recorded()));
  for (std::size_t r = 0; r < timeline.replicas(); ++r) {
    timeline.replica(r).check_invariants();
    const ReplicaTotals& totals = timeline.replica(r).totals();
    if (totals.busy > timeline.end())
      throw SimulationError(fmt::format("replica {} was busy for {} ns of a run of {} ns", r,
                                        totals.busy.count(), timeline.end().count()));
  }
}

}  // namespace

RunOutcome run_cluster(const Scenario& scenario, Recorder& recorder, const RunHooks& hooks) {
  validate_platform(scenario);
  const auto source = make_request_source(scenario);
  const Fleet fleet(scenario);
  RunListener listener(scenario, recorder, *source, hooks);
  Timeline timeline(
      fleet.deployments(),
      {scenario.run.until, scenario.run.record.timeseries ? scenario.run.sample_period : Nanos{0}}, *source,
      listener);
  listener.watch(timeline);
  for (auto& replica : fleet.make_replicas(timeline)) timeline.add_replica(std::move(replica));
  timeline.start();

  PrivateEngine engine;
  const Platform platform = build_platform(scenario);
  std::vector<simgrid::s4u::Host*> homes;
  for (std::size_t r = 0; r < timeline.replicas(); ++r) homes.push_back(platform.gpu(fleet.placement(r)));
  run_actors(timeline, homes, platform.management);

  if (hooks.check_invariants) check_end(timeline, listener);
  RunOutcome outcome;
  outcome.result = collect(timeline, fleet, *source);
  outcome.arrived = timeline.arrived();
  outcome.completed = timeline.completed();
  outcome.refused = timeline.refused();
  outcome.unfinished = timeline.unfinished();
  return outcome;
}

}  // namespace ridgepoint

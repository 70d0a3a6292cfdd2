// The heart of a run, free of SimGrid: drains everything due at or before an instant in key order
// (ns; completion, arrival, control; index). Whoever wakes first calls settle; later wakers find nothing due.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/due_tree.hpp"
#include "cluster/frontend.hpp"
#include "cluster/router.hpp"
#include "record/recorder.hpp"
#include "serving/replica.hpp"
#include "workload/source.hpp"

namespace ridgepoint {

/// Receives what a run brings forth, in the order in which it is settled.
class TimelineListener {
 public:
  virtual ~TimelineListener() = default;
  virtual void on_record(const RequestRecord& record) = 0;
  virtual void on_step(const StepRecord& step) { (void)step; }
  virtual void on_sample(Nanos t, std::span<const ReplicaSample> replicas) { (void)t, (void)replicas; }
  virtual void on_instant(Nanos t) { (void)t; }  ///< after each settled instant
};

/// One deployment as the timeline sees it; its replicas are numbered on from the deployment before.
struct TimelineDeployment {
  std::string name;
  Nanos frontend_delay{0};
  std::unique_ptr<Router> router;
  std::int32_t replicas = 1;
};

struct TimelineOptions {
  std::optional<Nanos> until;  ///< the run ends then; empty = when all is done
  Nanos sample_period{0};      ///< 0 = no samples
  /// Arrivals that may be settled at one instant; beyond it (a closed loop whose every request is refused at
  /// once) time does not advance.
  std::int64_t most_arrivals_at_once = 50'000'000;
  /// Instants without an arrival, an emitted token or an end after which a run is called a livelock. A prompt
  /// of a million tokens in chunks of 2,048 takes 500 steps, so honest runs stay far below.
  std::int64_t most_fruitless_instants = 1'000'000;
};

class Timeline final : public ReplicaSink {
 public:
  Timeline(std::vector<TimelineDeployment> deployments, TimelineOptions options, RequestSource& source,
           TimelineListener& listener);

  /// Replicas report to the timeline, so they are made after it: all of them, in order, before start().
  void add_replica(std::unique_ptr<Replica> replica);
  void start();

  /// Drains everything due at or before t. Calling it again, or for an earlier t, changes nothing.
  /// Throws SimulationError when what is unfinished can never finish.
  void settle(Nanos t);

  bool done() const { return done_; }
  Nanos end() const { return end_; }  ///< precondition: done()
  Nanos replica_due(std::size_t replica) const { return due_.at(replica); }
  Nanos frontend_due() const;
  Nanos control_due() const;  ///< the next sample or the end of a run with a set length
  std::size_t replicas() const { return replicas_.size(); }
  const Replica& replica(std::size_t i) const { return *replicas_[i]; }
  std::int32_t deployment_of(std::size_t replica) const { return deployment_of_[replica]; }

  /// Replicas whose due time may have changed since the last call, swapped into `changed`.
  void take_changed(std::vector<std::size_t>& changed);

  // counts so far
  std::int64_t arrived() const { return arrived_; }
  std::int64_t completed() const { return completed_; }
  std::int64_t refused() const { return refused_; }
  std::int64_t unfinished() const { return arrived_ - completed_ - refused_; }
  std::int64_t completed_by(std::size_t replica) const { return completed_by_[replica]; }

  // ReplicaSink
  void on_finish(const RequestRecord& record) override;
  void on_step(const StepRecord& step) override { listener_.on_step(step); }

 private:
  Nanos next_work() const;
  void instant(Nanos now);
  void touch(std::size_t replica, Nanos now);
  void pull_arrivals(Nanos now);
  bool release_one(Nanos now);
  void close_touched(Nanos now);
  void sample(Nanos now);
  void finish_or_go_on(Nanos now);
  void record_censored(Nanos now);
  void watch_progress(Nanos now);
  void throw_if_stuck(Nanos now) const;
  std::string waiting_for() const;

  std::vector<TimelineDeployment> deployments_;
  TimelineOptions options_;
  RequestSource& source_;
  TimelineListener& listener_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<std::int32_t> deployment_of_;         ///< by replica
  std::vector<std::size_t> first_replica_;          ///< by deployment
  std::vector<std::vector<Candidate>> candidates_;  ///< by deployment; outstanding is kept up to date
  std::vector<Frontend> frontends_;                 ///< by deployment
  Nanos least_delay_{0};

  DueTree due_{0};
  std::vector<std::size_t> touched_;  ///< replicas that act at the present instant
  std::vector<char> is_touched_, is_changed_;
  std::vector<std::size_t> changed_;
  std::vector<ReplicaSample> samples_;
  Nanos now_{0}, last_work_{0}, next_sample_{kNever}, end_{0};
  bool done_ = false;

  std::int64_t arrived_ = 0, completed_ = 0, refused_ = 0;
  std::vector<std::int64_t> completed_by_;
  std::int64_t watched_instants_ = 0, last_progress_ = -1;
  std::int64_t arrivals_at_now_ = 0;
};

}  // namespace ridgepoint

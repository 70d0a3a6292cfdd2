#include "cluster/actors.hpp"

#include <fmt/format.h>

#include <exception>
#include <simgrid/s4u.hpp>
#include <string>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {

namespace sg = simgrid::s4u;

/// What all actors of a run share. Nothing here makes a simcall when it is destroyed: an actor that is being
/// killed may not.
class Actors {
 public:
  explicit Actors(Timeline& timeline) : timeline_(timeline), slots_(timeline.replicas() + 2) {
    for (Slot& slot : slots_) slot.wake = sg::Semaphore::create(0);
  }

  std::size_t frontend() const { return slots_.size() - 2; }
  std::size_t control() const { return slots_.size() - 1; }

  /// An actor's life: until the run is done, sleep until the slot's due time and settle up to it.
  void live(std::size_t me) {
    try {
      while (!timeline_.done() && !failure_) {
        const Nanos due = due_of(me);
        if (sleep_until(me, due)) {
          timeline_.settle(due);
          wake_others(me);
        }
      }
    } catch (const std::exception&) {  // not `...`: SimGrid ends actors by an exception of its own
      failure_ = std::current_exception();
    }
    if (me != control()) slots_[control()].wake->release();  // the last to live: with it the run ends
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Slot {
    sg::SemaphorePtr wake;
    Nanos asleep_until{0};             ///< 0 = awake, and will look for itself
    std::vector<std::size_t> changed;  ///< scratch
  };

  Nanos due_of(std::size_t slot) const {
    if (slot < timeline_.replicas()) return timeline_.replica_due(slot);
    return slot == frontend() ? timeline_.frontend_due() : timeline_.control_due();
  }

  /// False when woken before `due`. The clock of SimGrid only says how long to sleep; what is done on waking
  /// goes by the integer.
  bool sleep_until(std::size_t me, Nanos due) {
    Slot& slot = slots_[me];
    slot.asleep_until = due;
    bool slept = false;
    if (due == kNever) {
      slot.wake->acquire();
    } else {
      const double seconds = to_seconds(due).v - sg::Engine::get_clock();
      slept = seconds <= 0 || slot.wake->acquire_timeout(seconds);
    }
    slot.asleep_until = Nanos{0};
    return slept;
  }

  /// Wakes whoever must act earlier than planned. Only after settle is through: a release lets other actors
  /// run, and they find the timeline whole.
  void wake_others(std::size_t me) {
    std::vector<std::size_t>& changed = slots_[me].changed;
    timeline_.take_changed(changed);
    for (const std::size_t replica : changed) wake_if_earlier(replica);
    wake_if_earlier(frontend());
    if (timeline_.done()) slots_[control()].wake->release();
  }

  void wake_if_earlier(std::size_t slot) {
    if (due_of(slot) >= slots_[slot].asleep_until) return;
    slots_[slot].asleep_until = Nanos{0};  // once is enough
    slots_[slot].wake->release();
  }

  Timeline& timeline_;
  std::vector<Slot> slots_;
  std::exception_ptr failure_;
};

}  // namespace

void run_actors(Timeline& timeline, const std::vector<sg::Host*>& homes, sg::Host* management) {
  if (timeline.done()) return;
  Actors actors(timeline);
  const auto body = [&actors](std::size_t slot) { return [&actors, slot] { actors.live(slot); }; };
  for (std::size_t r = 0; r < timeline.replicas(); ++r)
    sg::Actor::create(fmt::format("replica-{}", r), homes[r], body(r))->daemonize();
  sg::Actor::create("frontend", management, body(actors.frontend()))->daemonize();
  sg::Actor::create("control", management, body(actors.control()));

  std::string deadlock;
  sg::Engine::on_deadlock_cb([&timeline, &deadlock] {
    deadlock = fmt::format("every actor waits: {} of {} requests are unfinished", timeline.unfinished(),
                           timeline.arrived());
    for (std::size_t r = 0; r < timeline.replicas(); ++r)
      if (timeline.replica(r).unfinished() > 0)
        deadlock += fmt::format("\n  replica {} waits for {}", r, timeline.replica(r).stuck());
  });
  sg::Engine::get_instance()->run();
  actors.rethrow();
  if (!deadlock.empty()) throw SimulationError(deadlock);
}

}  // namespace ridgepoint

// vLLM's default: running sequences first, then waiting ones in order of arrival, unless somebody was
// preempted.
#include "serving/policies/policies.hpp"

namespace ridgepoint {
namespace {
class Fcfs final : public SchedulingPolicy {
 public:
  void schedule(Scheduler& s) override {
    s.serve_running();
    if (s.batch().preempted == 0) s.admit_waiting();
  }
};
}  // namespace

std::unique_ptr<SchedulingPolicy> make_fcfs() { return std::make_unique<Fcfs>(); }

}  // namespace ridgepoint

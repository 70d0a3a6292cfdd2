// vLLM's priority policy: lower values wait in front and are preempted last. A waiting request never evicts a
// running one.
#include "serving/policies/policies.hpp"

namespace ridgepoint {
namespace {
class Priority final : public SchedulingPolicy {
 public:
  bool by_priority() const override { return true; }
  void schedule(Scheduler& s) override {
    s.serve_running();
    if (s.batch().preempted == 0) s.admit_waiting();
  }
};
}  // namespace

std::unique_ptr<SchedulingPolicy> make_priority() { return std::make_unique<Priority>(); }

}  // namespace ridgepoint

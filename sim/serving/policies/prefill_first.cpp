// Prefill before decode: whenever a prompt can be worked on, the step holds prompts only. Low TTFT, stalled
// decodes.
#include "serving/policies/policies.hpp"

namespace ridgepoint {
namespace {
class PrefillFirst final : public SchedulingPolicy {
 public:
  void schedule(Scheduler& s) override {
    s.serve_running(/*prefills_only=*/true);
    if (s.batch().preempted == 0) s.admit_waiting();
    if (s.batch().empty()) s.serve_running();
  }
};
}  // namespace

std::unique_ptr<SchedulingPolicy> make_prefill_first() { return std::make_unique<PrefillFirst>(); }

}  // namespace ridgepoint

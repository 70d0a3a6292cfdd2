// Static batching, what engines did before continuous batching: a batch is filled and prefilled, then decodes
// until its last member ends; short answers wait for long ones.
#include "serving/policies/policies.hpp"

namespace ridgepoint {
namespace {
class StaticBatching final : public SchedulingPolicy {
 public:
  void schedule(Scheduler& s) override {
    if (s.running().empty()) filling_ = true;
    if (filling_) {
      s.serve_running(/*prefills_only=*/true);
      if (s.batch().preempted == 0) s.admit_waiting();
      if (!s.batch().empty()) return;
      filling_ = false;  // full, or nobody is left to join
    }
    s.serve_running();
  }
  bool arrival_may_join(const Scheduler&) const override { return false; }

 private:
  bool filling_ = true;
};
}  // namespace

std::unique_ptr<SchedulingPolicy> make_static() { return std::make_unique<StaticBatching>(); }

}  // namespace ridgepoint

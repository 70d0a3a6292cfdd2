// Constructors of the scheduling policies, one file each beside this one.
#pragma once
#include <memory>

#include "serving/scheduler.hpp"

namespace ridgepoint {
std::unique_ptr<SchedulingPolicy> make_fcfs();
std::unique_ptr<SchedulingPolicy> make_priority();
std::unique_ptr<SchedulingPolicy> make_static();
std::unique_ptr<SchedulingPolicy> make_prefill_first();
}  // namespace ridgepoint

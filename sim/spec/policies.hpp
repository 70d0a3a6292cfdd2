// Names of the policies a scenario may choose. One table each for the schedulers and the routers, so that the
// reader of scenarios, the registries that implement them and `list policies` cannot disagree.
#pragma once
#include <array>
#include <string_view>

namespace ridgepoint {

struct PolicyName {
  std::string_view name;
  std::string_view what;
};

/// Values of engine.scheduling_policy.
inline constexpr std::array<PolicyName, 4> kSchedulingPolicies{{
    {"fcfs", "first come, first served; running requests before waiting ones (vLLM's default)"},
    {"priority", "as fcfs, but the waiting queue and the choice of victims go by (priority, arrival)"},
    {"static", "a batch is filled once and runs until its last request ends"},
    {"prefill_first", "waiting prompts are prefilled before running requests decode"},
}};

/// Values of router.policy.
inline constexpr std::array<PolicyName, 4> kRouterPolicies{{
    {"round_robin", "replicas in turn"},
    {"random", "a replica chosen uniformly"},
    {"least_outstanding", "fewest unfinished requests"},
    {"power_of_two", "the one with fewer unfinished requests of two drawn at random"},
}};

}  // namespace ridgepoint

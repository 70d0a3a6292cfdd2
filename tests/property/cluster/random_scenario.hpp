// Small random scenarios that reach the corners of the replica: preemption, prefix hits, priorities, closed
// loops, sessions, equal arrival times, synchronous and async engines, several deployments and routers.
#pragma once
#include <cstdint>

#include "spec/scenario.hpp"

namespace ridgepoint::test {

Scenario random_scenario(std::uint64_t seed);

}  // namespace ridgepoint::test

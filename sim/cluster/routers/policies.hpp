// Makers of the router policies, one a file; the table that names them is in router.cpp.
#pragma once
#include <memory>

#include "cluster/router.hpp"

namespace ridgepoint {

std::unique_ptr<Router> make_round_robin(RandomStream stream);
std::unique_ptr<Router> make_random(RandomStream stream);
std::unique_ptr<Router> make_least_outstanding(RandomStream stream);
std::unique_ptr<Router> make_power_of_two(RandomStream stream);

}  // namespace ridgepoint

#include "cluster/router.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "cluster/routers/policies.hpp"

namespace ridgepoint {
namespace {

constexpr RouterEntry kRouters[] = {
    {"round_robin", make_round_robin, "each replica in turn"},
    {"random", make_random, "any replica with the same chance"},
    {"least_outstanding", make_least_outstanding, "fewest unfinished requests"},
    {"power_of_two", make_power_of_two, "of two drawn at random, the one with fewer unfinished requests"},
};

}  // namespace

std::span<const RouterEntry> router_table() { return kRouters; }

std::unique_ptr<Router> make_router(const std::string& policy, RandomStream stream) {
  std::vector<std::string> names;
  for (const RouterEntry& entry : kRouters) {
    if (entry.name == policy) return entry.make(stream);
    names.emplace_back(entry.name);
  }
  const std::string nearest = nearest_name(policy, names);
  throw ConfigError(fmt::format("router policy '{}' is unknown", policy),
                    nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean '{}'?", nearest));
}

}  // namespace ridgepoint

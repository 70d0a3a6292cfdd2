// Chooses a replica for each request. One policy per file; the table is in router.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "serving/events.hpp"
#include "spec/request.hpp"

namespace ridgepoint {

/// What a router may look at: one entry for each replica of the request's deployment.
struct Candidate {
  std::int32_t replica = 0;      ///< global index
  std::int64_t outstanding = 0;  ///< routed to it and not yet ended
};

class Router {
 public:
  virtual ~Router() = default;
  /// Index into `candidates` (never empty).
  virtual std::size_t choose(const Request& request, std::span<const Candidate> candidates) = 0;
};

struct RouterEntry {
  std::string_view name;
  std::unique_ptr<Router> (*make)(RandomStream stream);
  std::string_view what;
};
std::span<const RouterEntry> router_table();
/// Throws ConfigError with the nearest name.
std::unique_ptr<Router> make_router(const std::string& policy, RandomStream stream);

}  // namespace ridgepoint

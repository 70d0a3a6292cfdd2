// The replica with the fewest unfinished requests; among equals the lowest index.
#include <algorithm>

#include "cluster/routers/policies.hpp"

namespace ridgepoint {
namespace {

class LeastOutstanding final : public Router {
 public:
  std::size_t choose(const Request&, std::span<const Candidate> candidates) override {
    const auto least = std::min_element(
        candidates.begin(), candidates.end(),
        [](const Candidate& a, const Candidate& b) { return a.outstanding < b.outstanding; });
    return static_cast<std::size_t>(least - candidates.begin());
  }
};

}  // namespace

std::unique_ptr<Router> make_least_outstanding(RandomStream) { return std::make_unique<LeastOutstanding>(); }

}  // namespace ridgepoint

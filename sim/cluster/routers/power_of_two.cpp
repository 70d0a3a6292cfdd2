// Two different replicas drawn at random, of which the one with fewer unfinished requests is taken (on equal
// counts the lower index). Source: Mitzenmacher 2001, "The power of two choices in randomized load
// balancing".
#include <algorithm>

#include "cluster/routers/policies.hpp"

namespace ridgepoint {
namespace {

class PowerOfTwo final : public Router {
 public:
  explicit PowerOfTwo(RandomStream stream) : stream_(stream) {}
  std::size_t choose(const Request&, std::span<const Candidate> candidates) override {
    if (candidates.size() == 1) return 0;
    const auto first = static_cast<std::size_t>(stream_.below(candidates.size()));
    auto second = static_cast<std::size_t>(stream_.below(candidates.size() - 1));
    if (second >= first) ++second;
    const auto [low, high] = std::minmax(first, second);
    return candidates[high].outstanding < candidates[low].outstanding ? high : low;
  }

 private:
  RandomStream stream_;
};

}  // namespace

std::unique_ptr<Router> make_power_of_two(RandomStream stream) {
  return std::make_unique<PowerOfTwo>(stream);
}

}  // namespace ridgepoint

// Any replica with the same chance.
#include "cluster/routers/policies.hpp"

namespace ridgepoint {
namespace {

class RandomChoice final : public Router {
 public:
  explicit RandomChoice(RandomStream stream) : stream_(stream) {}
  std::size_t choose(const Request&, std::span<const Candidate> candidates) override {
    return static_cast<std::size_t>(stream_.below(candidates.size()));
  }

 private:
  RandomStream stream_;
};

}  // namespace

std::unique_ptr<Router> make_random(RandomStream stream) { return std::make_unique<RandomChoice>(stream); }

}  // namespace ridgepoint

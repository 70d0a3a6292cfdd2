// Each replica in turn, whatever it has to do.
#include "cluster/routers/policies.hpp"

namespace ridgepoint {
namespace {

class RoundRobin final : public Router {
 public:
  std::size_t choose(const Request&, std::span<const Candidate> candidates) override {
    const std::size_t choice = next_ % candidates.size();
    next_ = choice + 1;
    return choice;
  }

 private:
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Router> make_round_robin(RandomStream) { return std::make_unique<RoundRobin>(); }

}  // namespace ridgepoint

// Requests and sessions drawn from distributions.
#include <algorithm>
#include <optional>

#include "base/errors.hpp"
#include "workload/content.hpp"
#include "workload/distribution.hpp"
#include "workload/prefix.hpp"
#include "workload/unit_source.hpp"

namespace ridgepoint {
namespace {

constexpr std::int64_t kMostTurns = 1 << 20;

/// A random stream for each (purpose, unit, turn).
class Keyed {
 public:
  Keyed(const Scenario& s, const char* purpose, const std::string& name)
      : seed_(RandomRoot(s.seed).stream(std::string(purpose) + "/" + name).next()) {}
  RandomStream at(std::int64_t unit, std::int32_t turn) const {
    return RandomStream(
        mix64(mix64(seed_, static_cast<std::uint64_t>(unit)), static_cast<std::uint64_t>(turn)));
  }

 private:
  std::uint64_t seed_;
};

struct SessionSamplers {
  Sampler turns, think;
  bool accumulate;
};

class SyntheticUnits final : public UnitSource {
 public:
  SyntheticUnits(const Scenario& scenario, std::size_t index)
      : stream_(static_cast<std::uint16_t>(index)),
        input_(scenario.workload.streams[index].input, stream_key(index) + ".input"),
        output_(scenario.workload.streams[index].output, stream_key(index) + ".output"),
        input_draws_(scenario, "input", scenario.workload.streams[index].name),
        output_draws_(scenario, "output", scenario.workload.streams[index].name),
        turn_draws_(scenario, "turns", scenario.workload.streams[index].name),
        think_draws_(scenario, "think", scenario.workload.streams[index].name) {
    const Stream& s = scenario.workload.streams[index];
    if (s.prefix_group) prefixes_.emplace(scenario, index);
    if (s.session)
      session_.emplace(
          SessionSamplers{Sampler(s.session->turns, stream_key(index) + ".session.turns"),
                          Sampler(s.session->think_time, stream_key(index) + ".session.think_time"),
                          s.session->context_growth == Session::Growth::accumulate});
  }

  bool start(Live& live) override {
    live.index = units_++;
    if (prefixes_) prefixes_->pick(live);
    if (!session_) return true;
    RandomStream random = turn_draws_.at(live.index, 0);
    live.turns =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(session_->turns.count(random), 1, kMostTurns));
    return true;
  }

  void fill(Live& live, Request& r) override {
    const std::int32_t input = tokens(input_, input_draws_, live);
    r.output_tokens = tokens(output_, output_draws_, live);
    ++live.turn;
    const bool accumulates = session_ && session_->accumulate;
    r.prompt_tokens = live.context + input;
    if (accumulates && live.turns > 1) {
      say(live, r);
      // A conversation that has outgrown any model ends, rather than overflow a position.
      if (live.context > kMaxTokens / 2) live.turns = live.turn;
    }
    if (prefixes_) PrefixPicker::prepend(live, r);
  }

  Nanos think(const Live& live) const override {
    if (!session_) return Nanos{0};
    RandomStream random = think_draws_.at(live.index, live.turn);
    return to_nanos(Seconds{std::min(session_->think.draw(random), 1e9)});
  }

 private:
  static std::int32_t tokens(const Sampler& sampler, const Keyed& draws, const Live& live) {
    RandomStream random = draws.at(live.index, live.turn);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(sampler.count(random), 1, kMaxTokens / 8));
  }

  /// All that is said in a session is one content: position i of it is token i, whoever said it. The last
  /// turn's own words are seen by nobody after it.
  void say(Live& live, Request& r) const {
    const std::uint64_t content = content_id(session_owner(stream_), static_cast<std::uint64_t>(live.index));
    const auto prompt = static_cast<std::uint32_t>(r.prompt_tokens);
    r.prompt = {TokenRun{content, 0, prompt, 1}};
    r.output = TokenRun{content, prompt, static_cast<std::uint32_t>(r.output_tokens), 1};
    const std::int32_t before = live.context;
    live.context = r.prompt_tokens + r.output_tokens;
    r.shared_tokens = live.more() ? live.context : before;
  }

  std::uint16_t stream_;
  Sampler input_, output_;
  Keyed input_draws_, output_draws_, turn_draws_, think_draws_;
  std::optional<PrefixPicker> prefixes_;
  std::optional<SessionSamplers> session_;
  std::int64_t units_ = 0;
};

}  // namespace

std::unique_ptr<UnitSource> make_synthetic_units(const Scenario& scenario, std::size_t stream) {
  return std::make_unique<SyntheticUnits>(scenario, stream);
}

std::string stream_key(std::size_t stream) { return "workload.streams." + std::to_string(stream); }

}  // namespace ridgepoint

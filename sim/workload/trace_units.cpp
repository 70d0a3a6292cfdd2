// Requests and sessions as a trace states them.
#include <optional>

#include "workload/content.hpp"
#include "workload/prefix.hpp"
#include "workload/trace/feed.hpp"
#include "workload/unit_source.hpp"

namespace ridgepoint {
namespace {

FeedOptions feed_options(const Scenario& scenario, std::size_t index, bool timed) {
  const Stream& s = scenario.workload.streams[index];
  FeedOptions options;
  options.timed = timed;
  options.max_model_len =
      scenario.deployments.at(static_cast<std::size_t>(s.deployment)).engine.max_model_len;
  options.jitter_seed = RandomRoot(scenario.seed).stream("jitter/" + s.name).next();
  return options;
}

class TraceUnits final : public UnitSource {
 public:
  TraceUnits(const Scenario& scenario, std::size_t index, bool timed)
      : feed_(*scenario.workload.streams[index].trace, feed_options(scenario, index, timed)),
        name_(scenario.workload.streams[index].name),
        owner_(trace_owner(static_cast<std::uint16_t>(index))),
        timed_(timed) {
    if (scenario.workload.streams[index].prefix_group) prefixes_.emplace(scenario, index);
  }

  bool start(Live& live) override {
    if (!feed_.next(live.unit)) return false;
    live.index = units_++;
    live.turns = 1 + static_cast<std::int32_t>(live.unit.rest.size());
    if (prefixes_) prefixes_->pick(live);
    return true;
  }

  void fill(Live& live, Request& r) override {
    TraceTurn& t = turn(live, live.turn++);
    r.prompt_tokens = t.prompt_tokens;
    r.output_tokens = t.output_tokens;
    r.shared_tokens = t.shared_tokens;
    if (t.has_priority) r.priority = t.priority;
    r.prompt = std::move(t.prompt);
    for (TokenRun& run : r.prompt) run.content = content_id(owner_, run.content);
    if (t.has_output_content) {
      r.output = t.output;
      r.output.content = content_id(owner_, r.output.content);
    }
    if (prefixes_) PrefixPicker::prepend(live, r);
  }

  Nanos think(const Live& live) const override {
    return live.more() ? Nanos{live.unit.rest[static_cast<std::size_t>(live.turn - 1)].think} : Nanos{0};
  }

  bool timed() const override { return timed_; }
  void stop(const char* reason, std::int64_t in_hand) override { feed_.stop(reason, in_hand); }
  std::optional<TraceCount> count() const override {
    TraceCount c = feed_.count();
    c.stream = name_;
    return c;
  }

 private:
  static TraceTurn& turn(Live& live, std::int32_t i) {
    return i == 0 ? live.unit.first : live.unit.rest[static_cast<std::size_t>(i - 1)];
  }
  TraceFeed feed_;
  std::string name_;
  std::uint64_t owner_;
  bool timed_;
  std::optional<PrefixPicker> prefixes_;
  std::int64_t units_ = 0;
};

}  // namespace

std::unique_ptr<UnitSource> make_trace_units(const Scenario& scenario, std::size_t stream, bool timed) {
  return std::make_unique<TraceUnits>(scenario, stream, timed);
}

}  // namespace ridgepoint

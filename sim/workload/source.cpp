#include "workload/source.hpp"

#include <unordered_map>

#include "base/errors.hpp"
#include "workload/content.hpp"
#include "workload/stream_source.hpp"

namespace ridgepoint {
namespace {

class MergedSource final : public RequestSource {
 public:
  explicit MergedSource(const Scenario& scenario) {
    const auto& streams = scenario.workload.streams;
    if (streams.size() > kMaxStreams)
      throw ConfigError({Problem{"", 0, 0, "workload.streams", std::to_string(streams.size()) + " streams",
                                 "give at most " + std::to_string(kMaxStreams)}});
    streams_.reserve(streams.size());
    std::int64_t sum = 0;
    bool all_counted = !streams.empty();
    for (std::size_t i = 0; i < streams.size(); ++i) {
      streams_.emplace_back(scenario, i, sessions_);
      next_.push_back(streams_.back().next_arrival());
      sum += streams[i].num_requests;
      all_counted = all_counted && streams[i].num_requests > 0;
    }
    if (all_counted) total_ = sum;
    choose();
  }

  Nanos next_arrival() override { return next_.empty() ? kNever : next_[first_]; }

  Request pop() override {
    std::int64_t handle = StreamSource::kNoFeedback;
    Request r = streams_[first_].pop(handle);
    r.id = popped_++;
    complete_prompt(r);
    if (handle != StreamSource::kNoFeedback) waiting_.emplace(r.id, Waiting{first_, handle, r.arrival});
    refresh(first_);
    return r;
  }

  void on_finish(std::int64_t id, Nanos now) override {
    const auto it = waiting_.find(id);
    if (it == waiting_.end()) return;
    const Waiting w = it->second;
    waiting_.erase(it);
    streams_[w.stream].on_finish(w.handle, w.arrival, now);
    refresh(w.stream);
  }

  std::vector<TraceCount> trace_counts() const override {
    std::vector<TraceCount> counts;
    for (const StreamSource& s : streams_)
      if (auto c = s.count()) counts.push_back(std::move(*c));
    return counts;
  }

  std::optional<std::int64_t> expected_requests() const override {
    if (!total_) return std::nullopt;
    return *total_ - popped_;
  }

 private:
  struct Waiting {
    std::size_t stream;
    std::int64_t handle;
    Nanos arrival;
  };

  /// What the runs leave open of a prompt is content of this request alone, at its own positions.
  static void complete_prompt(Request& r) {
    if (r.prompt.empty()) return;
    std::uint32_t covered = 0;
    for (const TokenRun& run : r.prompt) covered += run.count;
    const auto prompt = static_cast<std::uint32_t>(r.prompt_tokens);
    if (covered < prompt) r.prompt.push_back({r.unique_content(), covered, prompt - covered, 1});
  }

  void refresh(std::size_t stream) {
    next_[stream] = streams_[stream].next_arrival();
    choose();
  }
  /// The first of the earliest: ties go by stream order.
  void choose() {
    first_ = 0;
    for (std::size_t i = 1; i < next_.size(); ++i)
      if (next_[i] < next_[first_]) first_ = i;
  }

  std::vector<StreamSource> streams_;
  std::vector<Nanos> next_;  ///< next arrival of each stream
  std::size_t first_ = 0;
  std::unordered_map<std::int64_t, Waiting> waiting_;  ///< looked up by id, never walked through
  std::int64_t popped_ = 0;
  std::uint32_t sessions_ = 0;
  std::optional<std::int64_t> total_;
};

}  // namespace

std::unique_ptr<RequestSource> make_request_source(const Scenario& scenario) {
  return std::make_unique<MergedSource>(scenario);
}

}  // namespace ridgepoint

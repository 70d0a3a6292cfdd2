// A scripted replica and request source, so that the timeline can be watched by itself. The replica stands in
// for serving's at link time: the test program defines the members of class Replica.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "cluster/timeline.hpp"

namespace ridgepoint::test {

/// Everything that happened, in order, as "what@ns".
std::vector<std::string>& events();

/// prompt_tokens above this: refused at submit; exactly this: never finishes; half of it: computes forever
/// and emits nothing.
inline constexpr std::int32_t kLongest = 1000;

/// Serves everything at once: a request closed at t finishes at t + output_tokens ns.
std::unique_ptr<Replica> fake_replica(std::int32_t index, ReplicaSink& sink);

/// Plays a list of (arrival ns, prompt, output, deployment); `next[id]` requests come when that id ended.
class FakeSource final : public RequestSource {
 public:
  struct Row {
    std::int64_t arrival_ns = 0;
    std::int32_t prompt = 1, output = 10;
    std::uint16_t deployment = 0;
  };
  explicit FakeSource(std::vector<Row> rows) : rows_(rows.begin(), rows.end()) {}
  std::int64_t follow_ups = 0;  ///< each end brings the same request again, this many times in all

  Nanos next_arrival() override { return rows_.empty() ? kNever : Nanos{rows_.front().arrival_ns}; }
  Request pop() override;
  void on_finish(std::int64_t id, Nanos now) override;
  std::vector<TraceCount> trace_counts() const override { return {}; }
  std::optional<std::int64_t> expected_requests() const override { return std::nullopt; }

 private:
  std::deque<Row> rows_;
  std::map<std::int64_t, Row> given_;
  std::int64_t next_id_ = 0;
};

}  // namespace ridgepoint::test

// Drives one replica's engine loop call by call and writes down what it decides, for the worked cases of
// vLLM's rules.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "serving/replica_state.hpp"
#include "support/fake_cost.hpp"

namespace ridgepoint::test {

struct NullSink final : ReplicaSink {
  void on_finish(const RequestRecord& r) override { records.push_back(r); }
  std::vector<RequestRecord> records;
};

/// Synchronous, fcfs, B = 4, T = 16, R = 8, M = 64, chunking on, caching off: the base of the worked cases.
inline Engine case_engine() {
  Engine e;
  e.version = EngineVersion::v0_19;
  e.block_size = 4;
  e.max_num_batched_tokens = 16;
  e.max_num_seqs = 8;
  e.max_model_len = 64;
  e.enable_prefix_caching = false;
  e.async_scheduling = false;
  return e;
}

/// Accepts a fixed number of drafts a step.
class FixedAcceptance final : public SpeculationOracle {
 public:
  explicit FixedAcceptance(std::int32_t n) : n_(n) {}
  std::int32_t accepted(const Request&, std::int32_t drafts) override { return std::min(n_, drafts); }
  std::int32_t offered(const Request&, std::int32_t most) override { return most; }

 private:
  std::int32_t n_;
};

class EngineDesk {
 public:
  EngineDesk(const Engine& engine, std::int64_t blocks, int depth = 0)
      : state({0, engine, blocks, {{0, 1}}, 1, false}, cost_, sink) {
    if (depth > 0) state.depth = depth;
  }
  /// A request named by its letter; content 0 = its own tokens.
  void add(char name, int prompt, int limit, int priority = 0, std::uint64_t content = 0, int arrival = -1) {
    Request r;
    r.id = name - 'A';
    r.arrival = Nanos{arrival >= 0 ? arrival : r.id};
    r.prompt_tokens = prompt;
    r.max_tokens = r.output_tokens = limit;
    r.priority = priority;
    if (content != 0) {
      r.prompt = {{content, 0, static_cast<std::uint32_t>(prompt), 1}};
      r.shared_tokens = prompt;
    }
    state.scheduler.add(std::move(r), Nanos{0});
    ++state.unfinished;
  }
  /// One turn: "A10 B6 /94 > A C!" = scheduled, free blocks, who emitted and who ended; "-" = nothing
  /// scheduled.
  std::string turn() {
    const std::size_t flying = state.in_flight.size();
    const std::int64_t empties = state.totals.empty_steps;
    std::string text;
    const bool waits = state.call(Nanos{++now_});
    if (state.in_flight.size() > flying || state.totals.empty_steps > empties) {
      const Batch* b = state.in_flight.size() > flying ? &state.in_flight.back().batch : nullptr;
      if (b == nullptr || b->empty()) text = "- ";
      if (b != nullptr)
        for (const BatchEntry& e : b->entries)
          text += std::string(1, name(e.sequence)) + std::to_string(e.tokens) + " ";
      text += "/" + std::to_string(state.kv.pool().free());
    }
    if (!waits || state.mode != Replica::State::Mode::output) return text;
    std::map<char, int> before;
    const Batch oldest = state.in_flight.front().batch;
    for (const BatchEntry& e : oldest.entries) before[name(e.sequence)] = outputs(e.sequence);
    const std::size_t ended = sink.records.size();
    std::vector<SequenceId> ids;
    std::string out;
    std::vector<std::pair<char, SequenceId>> order;
    for (const BatchEntry& e : oldest.entries) order.emplace_back(name(e.sequence), e.sequence);
    state.output(Nanos{++now_});
    for (const auto& [letter, id] : order) {
      bool over = false;
      int emitted = 0;
      for (std::size_t i = ended; i < sink.records.size(); ++i)
        if (sink.records[i].id == letter - 'A') {
          over = true;
          emitted = sink.records[i].output_tokens - before[letter];
        }
      if (!over && state.scheduler.sequence(id).request.id == letter - 'A')
        emitted = outputs(id) - before[letter];
      if (emitted == 0) continue;
      out +=
          std::string(" ") + letter + (emitted > 1 ? "x" + std::to_string(emitted) : "") + (over ? "!" : "");
    }
    return text + (out.empty() ? "" : " >" + out);
  }
  std::vector<std::string> turns(int n) {
    std::vector<std::string> out;
    for (int i = 0; i < n; ++i) out.push_back(turn());
    return out;
  }

  NullSink sink;

 private:
  FakeCost cost_;

 public:
  Replica::State state;

 private:
  char name(SequenceId s) const { return static_cast<char>('A' + state.scheduler.sequence(s).request.id); }
  int outputs(SequenceId s) const { return state.scheduler.sequence(s).outputs(); }
  std::int64_t now_ = 0;
};

}  // namespace ridgepoint::test

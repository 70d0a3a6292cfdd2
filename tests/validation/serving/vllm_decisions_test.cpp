// Replays what vLLM 0.19.0's own scheduler decided on 440 random workloads, call by call, through the
// production replica.
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "serving/replica_state.hpp"
#include "support/fake_cost.hpp"
#include "support/shared_data.hpp"

using namespace ridgepoint;
using Json = nlohmann::json;

namespace {

Engine engine_of(const Json& c) {
  Engine e;
  e.version = EngineVersion::v0_19;
  e.block_size = c["block_size"];
  e.max_num_batched_tokens = c["max_num_batched_tokens"];
  e.max_num_seqs = c["max_num_seqs"];
  e.max_model_len = c["max_model_len"];
  e.enable_prefix_caching = c["enable_prefix_caching"];
  e.enable_chunked_prefill = c["enable_chunked_prefill"];
  e.long_prefill_token_threshold = c["long_prefill_token_threshold"];
  e.scheduling_policy = c["scheduling_policy"];
  e.num_speculative_tokens = c["num_speculative_tokens"];
  e.async_scheduling = c["async_scheduling"];
  e.scheduler_reserve_full_isl = c["scheduler_reserve_full_isl"];
  const Json& m = c["speculative_method"];
  if (!m.is_null())
    e.speculative_method = m == "eagle"         ? SpeculativeMethod::eagle
                           : m == "draft_model" ? SpeculativeMethod::draft_model
                                                : SpeculativeMethod::ngram;
  return e;
}

/// Token ids are offsets of one content; every output token has id 7, and everything may be shared.
Request request_of(const Json& r, std::int64_t id) {
  Request q;
  q.id = id;
  q.arrival = Nanos{r.value("arrival_time", 0)};
  q.priority = r.value("priority", 0);
  q.max_tokens = q.output_tokens = r["max_tokens"];
  for (const Json& run : r["prompt"]) {
    q.prompt.push_back({1, run[0], run[1], run[2]});
    q.prompt_tokens += static_cast<std::int32_t>(run[1]);
  }
  q.output = {1, 7, 0, 0};
  q.shared_tokens = std::numeric_limits<std::int32_t>::max();
  return q;
}

class Recorded final : public SpeculationOracle {
 public:
  std::map<std::int64_t, int> limit, attached;
  std::int32_t accepted(const Request& r, std::int32_t drafts) override {
    const auto it = limit.find(r.id);
    return it == limit.end() ? 0 : std::min(it->second, drafts);
  }
  std::int32_t offered(const Request& r, std::int32_t) override {
    const auto it = attached.find(r.id);
    return it == attached.end() ? 0 : it->second;
  }
};

class Ends final : public ReplicaSink {
 public:
  void on_finish(const RequestRecord& r) override { ended.push_back(r.id); }
  std::vector<std::int64_t> ended;
};

/// One workload; returns the first difference, or nothing.
class Replay {
 public:
  explicit Replay(const Json& w)
      : w_(w),
        state_({0, engine_of(w["config"]), w["config"]["num_gpu_blocks"], {{0, 1}}, 1, false}, cost_, ends_) {
    state_.oracle = &oracle_;
    state_.refuses_impossible = false;
    for (std::size_t i = 0; i < w["requests"].size(); ++i)
      index_[w["requests"][i]["id"]] = static_cast<std::int64_t>(i);
  }

  std::string run() {
    int next = 0;
    for (const Json& c : w_["calls"]) {
      const int number = c["call"];
      for (; next <= number; ++next) submit(next);
      const std::string difference = compare(c);
      if (!difference.empty())
        return "seed " + w_["seed"].dump() + " call " + std::to_string(number) + ": " + difference +
               "\nrecorded " + c.dump();
      ++calls;
    }
    return {};
  }
  int calls = 0, preemptions = 0;

 private:
  void submit(int step) {
    for (std::size_t i = 0; i < w_["requests"].size(); ++i)
      if (w_["requests"][i]["step"] == step) {
        state_.scheduler.add(request_of(w_["requests"][i], static_cast<std::int64_t>(i)), Nanos{step});
        ++state_.unfinished;
      }
  }
  std::map<std::int64_t, int> numbers(const Json& c, const char* key) const {
    std::map<std::int64_t, int> out;
    if (c.contains(key))
      for (const auto& [id, n] : c[key].items()) out[index_.at(id)] = n;
    return out;
  }
  std::int64_t id_of(SequenceId s) const { return state_.scheduler.sequence(s).request.id; }

  std::string compare(const Json& c) {
    oracle_.limit = numbers(c, "accepted_limit");
    oracle_.attached = numbers(c, "drafts_attached");
    const std::size_t flying = state_.in_flight.size();
    const bool waits = state_.call(Nanos{++now_});
    if (state_.in_flight.size() > flying && c.contains("scheduled")) {
      const std::string d = compare_schedule(c, state_.in_flight.back().batch);
      if (!d.empty()) return d;
    } else if (c.contains("scheduled") && !c["scheduled"].empty()) {
      return "nothing was scheduled";
    }
    if (state_.mode == Replica::State::Mode::idle) {  // vLLM takes one more empty turn to report what ended
      preemptions += c.contains("scheduled") ? static_cast<int>(state_.scheduler.preempted().size()) : 0;
      const bool nothing = c.value("output", Json::object()).empty() &&
                           (!c.contains("scheduled") || state_.scheduler.preempted().size() ==
                                                            c.value("preempted", Json::array()).size()) &&
                           state_.kv.pool().free() == c.value("free_blocks", state_.kv.pool().free());
      return nothing ? "" : "went idle too early";
    }
    // vLLM queues an empty batch to report what ended; the next call then finds its empty output where ours
    // returns at once. Both call again at the same time.
    if (c.contains("output") && c["output"].empty() && state_.mode == Replica::State::Mode::call) return {};
    if (c.contains("output") != (state_.mode == Replica::State::Mode::output)) return "returned early or not";
    if (state_.mode != Replica::State::Mode::output || !waits) return {};
    return compare_output(c);
  }

  std::string compare_schedule(const Json& c, const Batch& b) {
    Json scheduled = Json::array(), running = Json::array(), preempted = Json::array();
    std::map<std::int64_t, int> drafts;
    for (const BatchEntry& e : b.entries) {
      scheduled.push_back({w_["requests"][static_cast<std::size_t>(id_of(e.sequence))]["id"], e.tokens});
      if (e.drafts > 0) drafts[id_of(e.sequence)] = e.drafts;
    }
    const auto name = [&](SequenceId s) { return w_["requests"][static_cast<std::size_t>(id_of(s))]["id"]; };
    for (const SequenceId s : state_.scheduler.running()) running.push_back(name(s));
    for (const SequenceId s : state_.scheduler.preempted()) preempted.push_back(name(s));
    std::sort(preempted.begin(), preempted.end());  // recorded as a set
    preemptions += static_cast<int>(preempted.size());
    if (scheduled != c["scheduled"]) return "scheduled " + scheduled.dump();
    if (drafts != numbers(c, "drafts")) return "drafts differ";
    if (running != c["running"]) return "running " + running.dump();
    if (preempted != c.value("preempted", Json::array())) return "preempted " + preempted.dump();
    if (state_.kv.pool().free() != c["free_blocks"]) return "free " + std::to_string(state_.kv.pool().free());
    return {};
  }

  std::string compare_output(const Json& c) {
    // The oldest batch's entries before and after: what each emitted, and who ended.
    const Batch oldest = state_.in_flight.front().batch;
    std::map<std::int64_t, int> before;
    for (const BatchEntry& e : oldest.entries)
      before[id_of(e.sequence)] = state_.scheduler.sequence(e.sequence).outputs();
    std::map<std::int64_t, SequenceId> where;
    for (const BatchEntry& e : oldest.entries) where[id_of(e.sequence)] = e.sequence;
    const std::int64_t emitted_before = state_.totals.output_tokens;
    ends_.ended.clear();
    state_.output(Nanos{++now_});
    std::int64_t expected = 0;
    std::vector<std::int64_t> ended;
    for (const auto& [id, out] : c["output"].items()) {
      expected += static_cast<int>(out[0]);
      if (out.size() > 1) {
        ended.push_back(index_.at(id));
        continue;
      }
      const std::int64_t i = index_.at(id);
      if (!where.count(i)) return "output of a request that was not in the batch";
      if (state_.scheduler.sequence(where[i]).outputs() - before[i] != out[0])
        return "emitted differs for " + id;
    }
    std::vector<std::int64_t> got = ends_.ended;
    std::sort(got.begin(), got.end());
    std::sort(ended.begin(), ended.end());
    if (got != ended) return "other requests ended";
    if (state_.totals.output_tokens - emitted_before != expected)
      return "emitted " + std::to_string(state_.totals.output_tokens - emitted_before);
    return {};
  }

  const Json& w_;
  test::FakeCost cost_;
  Ends ends_;
  Recorded oracle_;
  Replica::State state_;
  std::map<std::string, std::int64_t> index_;
  std::int64_t now_ = 0;
};

void replay_file(const std::string& name) {
  const auto path = test::shared_data("vllm_decisions/" + name);
  RP_SKIP_WITHOUT(path, "vllm_decisions");
  std::ifstream file(*path, std::ios::binary);
  boost::iostreams::filtering_istream in;
  in.push(boost::iostreams::gzip_decompressor());
  in.push(file);
  int workloads = 0, calls = 0, preemptions = 0, wrong = 0;
  std::string first;
  for (std::string line; std::getline(in, line);) {
    const Json w = Json::parse(line);
    Replay replay(w);
    const std::string difference = replay.run();
    if (!difference.empty() && wrong++ < 3) first += difference + "\n";
    ++workloads;
    calls += replay.calls;
    preemptions += replay.preemptions;
  }
  INFO(wrong << " of " << workloads << " workloads differ\n" << first);
  CHECK(wrong == 0);
  WARN(name << ": " << workloads << " workloads, " << calls << " calls, " << preemptions
            << " preemptions reached");
}

}  // namespace

TEST_CASE("vllm decisions: 400 small workloads are reached call by call") { replay_file("small.jsonl.gz"); }
TEST_CASE("vllm decisions: 40 large workloads are reached call by call") { replay_file("large.jsonl.gz"); }

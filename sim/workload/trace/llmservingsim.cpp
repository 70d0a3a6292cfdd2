// LLMServingSim's JSONL: flat rows, and agentic sessions (`sub_requests`) in closed loop; token ids, where
// given, are the content by which prefixes are recognised.
#include <optional>

#include "workload/trace/json_rows.hpp"
#include "workload/trace/reader.hpp"

namespace ridgepoint {
namespace {

/// All token ids are one content: token id v is (1, v), so equal ids are equal tokens wherever they stand.
constexpr std::uint64_t kVocabulary = 1;

class LlmServingSimReader final : public TraceReader {
 public:
  explicit LlmServingSimReader(const Trace& trace) : lines_(trace.path) {}

  bool wide() const override { return true; }

  bool next(TraceUnit& unit) override {
    if (!lines_.next()) return false;
    const JsonRow& r = lines_.row();
    const auto& o = r.object();
    unit.line = r.line();
    if ((unit.has_arrival = r.has(o, "arrival_time_ns")))
      unit.arrival = r.nanoseconds(o, "arrival_time_ns", 1);
    if (!r.has(o, "sub_requests")) {
      unit.first = turn(o);
      return true;
    }
    if (r.has(o, "session_id")) unit.session = r.text(o, "session_id");
    const auto turns = r.array(o, "sub_requests");
    if (turns.size() == 0) r.refuse("'sub_requests' is empty", "give at least one, or leave the session out");
    std::int64_t think = 0;
    bool first = true;
    for (const auto& e : turns) {
      simdjson::dom::object sub;
      if (e.get(sub))
        r.refuse("a sub-request is not an object", "give input_toks, output_toks, tool_duration_ns");
      TraceTurn t = turn(sub);
      t.think = think;
      think = r.has(sub, "tool_duration_ns") ? r.nanoseconds(sub, "tool_duration_ns", 1) : 0;
      if (first)
        unit.first = std::move(t);
      else
        unit.rest.push_back(std::move(t));
      first = false;
    }
    return true;
  }

 private:
  TraceTurn turn(const simdjson::dom::object& o) const {
    const JsonRow& r = lines_.row();
    TraceTurn t;
    t.prompt_tokens = r.tokens(o, "input_toks");
    t.output_tokens = r.tokens(o, "output_toks");
    if (!r.has(o, "input_tok_ids")) return t;
    t.prompt = token_runs(o, "input_tok_ids", t.prompt_tokens);
    t.shared_tokens = t.prompt_tokens;
    if (!r.has(o, "output_tok_ids")) return t;
    // A request's output is one run; ids that do not make one are no other request's content.
    const auto output = token_runs(o, "output_tok_ids", t.output_tokens);
    if (output.size() == 1) {
      t.output = output.front();
      t.has_output_content = true;
      t.shared_tokens += t.output_tokens;
    }
    return t;
  }

  /// Ids that rise by one, or repeat, join to one run.
  std::vector<TokenRun> token_runs(const simdjson::dom::object& o, const char* key,
                                   std::int32_t tokens) const {
    const JsonRow& r = lines_.row();
    const auto ids = r.array(o, key);
    if (ids.size() != static_cast<std::size_t>(tokens))
      r.refuse(std::to_string(ids.size()) + " ids in '" + key + "' for " + std::to_string(tokens) + " tokens",
               "give one id a token, or leave them out");
    std::vector<TokenRun> runs;
    for (const auto& e : ids) {
      const auto id = static_cast<std::uint32_t>(r.whole(e, key, 0xffffffffU));
      if (!runs.empty()) {
        TokenRun& last = runs.back();
        const std::uint32_t end = last.offset + (last.count - 1) * last.stride;
        const std::uint32_t step = id - end;
        if (step <= 1 && (id >= end) && (last.count == 1 || last.stride == step)) {
          last.stride = step;
          ++last.count;
          continue;
        }
      }
      runs.push_back({kVocabulary, id, 1, 1});
    }
    return runs;
  }

  JsonLines lines_;
};

}  // namespace

std::unique_ptr<TraceReader> make_llmservingsim_reader(const Trace& trace) {
  return std::make_unique<LlmServingSimReader>(trace);
}

}  // namespace ridgepoint

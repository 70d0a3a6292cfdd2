// Datasets of vLLM's benchmark: ShareGPT conversations, filtered as vLLM filters them, and its custom JSONL.
// They have text and no counts, so lengths follow from trace.chars_per_token; and no times.
#include "workload/trace/json_rows.hpp"
#include "workload/trace/reader.hpp"

namespace ridgepoint {
namespace {

// source: vLLM v0.19.0, benchmarks/datasets: is_valid_sequence's defaults, and default_output_len of `custom`
constexpr std::int32_t kShortest = 4, kLongestPrompt = 1024, kLongestTotal = 2048, kCustomOutput = 256;

class ShareGptReader final : public TraceReader {
 public:
  explicit ShareGptReader(const Trace& trace)
      : elements_(trace.path), chars_per_token_(trace.chars_per_token) {}

  bool next(TraceUnit& unit) override {
    if (!elements_.next()) return false;
    const JsonRow& r = elements_.row();
    unit.line = r.line();
    if (r.has(r.object(), "prompt"))
      custom(unit.first);
    else
      unit.dropped = conversation(unit.first);
    return true;
  }

 private:
  void custom(TraceTurn& t) const {
    const JsonRow& r = elements_.row();
    t.prompt_tokens = estimated_tokens(r.text(r.object(), "prompt"), chars_per_token_);
    t.output_tokens =
        r.has(r.object(), "output_tokens") ? r.tokens(r.object(), "output_tokens") : kCustomOutput;
  }

  /// The first two turns, whoever speaks: prompt and output. Returns why vLLM would leave the row out, or
  /// null.
  const char* conversation(TraceTurn& t) const {
    const JsonRow& r = elements_.row();
    if (!r.has(r.object(), "conversations")) return "fewer than two turns";
    const auto turns = r.array(r.object(), "conversations");
    if (turns.size() < 2) return "fewer than two turns";
    t.prompt_tokens = spoken(turns.at(0));
    t.output_tokens = spoken(turns.at(1));
    if (t.prompt_tokens < kShortest || t.output_tokens < kShortest) return "shorter than 4 tokens";
    if (t.prompt_tokens > kLongestPrompt || t.prompt_tokens + t.output_tokens > kLongestTotal)
      return "longer than 1024 prompt or 2048 total tokens";
    return nullptr;
  }

  std::int32_t spoken(const simdjson::simdjson_result<simdjson::dom::element>& e) const {
    simdjson::dom::object turn;
    if (e.get(turn))
      elements_.row().refuse("a turn is not an object", "give {\"from\": ..., \"value\": ...}");
    return estimated_tokens(elements_.row().text(turn, "value"), chars_per_token_);
  }

  JsonElements elements_;
  double chars_per_token_;
};

}  // namespace

std::unique_ptr<TraceReader> make_sharegpt_reader(const Trace& trace) {
  return std::make_unique<ShareGptReader>(trace);
}

}  // namespace ridgepoint

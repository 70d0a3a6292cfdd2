// Mooncake's JSONL and AIPerf's variants of it: milliseconds, lengths, ids of chained 512-token blocks; rows
// of one session_id in a row are turns, the context of which grows by each answer.
#include <algorithm>
#include <optional>

#include "workload/content.hpp"
#include "workload/trace/json_rows.hpp"
#include "workload/trace/reader.hpp"

namespace ridgepoint {
namespace {

constexpr std::uint32_t kBlock = 512;
// Block id h holds tokens (h / 2^22, h % 2^22 * 512 + i): every id below 2^64 has a content below 2^42 of its
// own, and runs of consecutive ids, which is how a file names new blocks, join to one run.
constexpr int kIdsBits = 22;
constexpr std::uint64_t kSessionContent = std::uint64_t{1} << (kContentBits - 1);  ///< above all blocks'
constexpr std::int64_t kNanosPerMilli = 1'000'000;

struct Row {
  TraceTurn turn;
  bool has_arrival = false, has_blocks = false, has_delay = false;
  std::int64_t arrival = 0;
  std::string session;
  int line = 0;
};

class MooncakeReader final : public TraceReader {
 public:
  explicit MooncakeReader(const Trace& trace) : lines_(trace.path), chars_per_token_(trace.chars_per_token) {}

  bool wide() const override { return true; }

  bool next(TraceUnit& unit) override {
    if (!ahead_ && !(ahead_ = read())) return false;
    unit.arrival = ahead_->arrival;
    unit.has_arrival = ahead_->has_arrival;
    unit.line = ahead_->line;
    unit.session = ahead_->session;
    unit.first = std::move(ahead_->turn);
    const bool blocks = ahead_->has_blocks;
    ahead_.reset();
    if (unit.session.empty()) return true;
    while ((ahead_ = read()) && ahead_->session == unit.session) {
      check_later_turn(blocks);
      unit.rest.push_back(std::move(ahead_->turn));
    }
    if (!blocks && !unit.rest.empty()) accumulate(unit);
    return true;
  }

 private:
  std::optional<Row> read() {
    if (!lines_.next()) return std::nullopt;
    const JsonRow& r = lines_.row();
    const auto& o = r.object();
    Row row;
    row.line = r.line();
    row.turn.prompt_tokens = r.has(o, "text_input") && !r.has(o, "input_length")
                                 ? estimated_tokens(r.text(o, "text_input"), chars_per_token_)
                                 : r.tokens(o, "input_length");
    row.turn.output_tokens = r.tokens(o, "output_length");
    if ((row.has_arrival = r.has(o, "timestamp")))
      row.arrival = r.nanoseconds(o, "timestamp", kNanosPerMilli);
    if ((row.has_delay = r.has(o, "delay"))) row.turn.think = r.nanoseconds(o, "delay", kNanosPerMilli);
    if (r.has(o, "session_id")) row.session = r.text(o, "session_id");
    if ((row.has_blocks = r.has(o, "hash_ids"))) read_blocks(row.turn);
    return row;
  }

  void read_blocks(TraceTurn& turn) {
    const JsonRow& r = lines_.row();
    const auto ids = r.array(r.object(), "hash_ids");
    const auto blocks = (static_cast<std::uint32_t>(turn.prompt_tokens) + kBlock - 1) / kBlock;
    if (ids.size() != blocks)
      r.refuse(std::to_string(ids.size()) + " hash_ids for " + std::to_string(turn.prompt_tokens) + " tokens",
               "give one id for each 512 tokens: " + std::to_string(blocks));
    auto left = static_cast<std::uint32_t>(turn.prompt_tokens);
    for (const auto& e : ids) {
      const std::uint64_t id = r.whole(e, "hash_ids", ~std::uint64_t{0});
      const std::uint64_t content = id >> kIdsBits;
      const auto offset = static_cast<std::uint32_t>(id & ((1U << kIdsBits) - 1)) * kBlock;
      const std::uint32_t count = std::min(left, kBlock);
      left -= count;
      const bool joins = !turn.prompt.empty() && turn.prompt.back().content == content &&
                         turn.prompt.back().offset + turn.prompt.back().count == offset;
      if (joins)
        turn.prompt.back().count += count;
      else
        turn.prompt.push_back({content, offset, count, 1});
    }
    turn.shared_tokens = turn.prompt_tokens;
  }

  void check_later_turn(bool blocks) const {
    const JsonRow& r = lines_.row();
    if (ahead_->has_arrival && !ahead_->has_delay)
      r.refuse("a later turn of session '" + printable(ahead_->session) + "' has a timestamp",
               "give 'delay', the ms from the end of the turn before");
    if (ahead_->has_blocks != blocks)
      r.refuse("only some turns of session '" + printable(ahead_->session) + "' have hash_ids",
               "give them to all turns or to none");
  }

  /// Without block ids a turn's input_length is what is new in it: the prompt is all that was said before
  /// too.
  void accumulate(TraceUnit& unit) {
    const std::uint64_t content = kSessionContent | ++sessions_;
    std::int64_t context = 0, before = 0;
    const auto say = [&](TraceTurn& t, bool last) {
      const std::int64_t prompt = context + t.prompt_tokens;
      if (prompt + t.output_tokens > kMaxTokens)
        lines_.row().refuse("a session of more than " + std::to_string(kMaxTokens) + " tokens", "split it");
      t.prompt_tokens = static_cast<std::int32_t>(prompt);
      if (prompt > 0) t.prompt = {{content, 0, static_cast<std::uint32_t>(prompt), 1}};
      t.output = {content, static_cast<std::uint32_t>(prompt), static_cast<std::uint32_t>(t.output_tokens),
                  1};
      t.has_output_content = true;
      before = context;
      context = prompt + t.output_tokens;
      t.shared_tokens = static_cast<std::int32_t>(last ? before : context);
    };
    say(unit.first, false);
    for (TraceTurn& t : unit.rest) say(t, &t == &unit.rest.back());
  }

  JsonLines lines_;
  double chars_per_token_;
  std::optional<Row> ahead_;
  std::uint64_t sessions_ = 0;
};

}  // namespace

std::unique_ptr<TraceReader> make_mooncake_reader(const Trace& trace) {
  return std::make_unique<MooncakeReader>(trace);
}

}  // namespace ridgepoint

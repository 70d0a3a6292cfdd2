// This project's own CSV, as documented in workloads/traces/README.md: whatever the other formats can say.
#include <charconv>
#include <optional>

#include "base/errors.hpp"
#include "workload/content.hpp"
#include "workload/trace/csv.hpp"
#include "workload/trace/reader.hpp"

namespace ridgepoint {
namespace {

/// Whole numbers joined by colons ("17:0:512"); empty when there are fewer than `least` or more than four.
std::vector<std::uint64_t> colon_numbers(std::string_view text, std::size_t least) {
  std::vector<std::uint64_t> numbers;
  const char *at = text.data(), *end = text.data() + text.size();
  while (true) {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || numbers.size() == 4) return {};
    numbers.push_back(value);
    if (stop == end) break;
    if (*stop != ':') return {};
    at = stop + 1;
  }
  return numbers.size() < least ? std::vector<std::uint64_t>{} : numbers;
}

std::optional<TokenRun> make_run(std::uint64_t content, std::uint64_t offset, std::uint64_t count,
                                 std::uint64_t stride) {
  constexpr std::uint64_t most = 0xffffffffU;
  if (content > kContentMask || offset > most || count == 0 || count > kMaxTokens || stride > 1 ||
      offset + (count - 1) * stride > most)
    return std::nullopt;
  return TokenRun{content, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(count),
                  static_cast<std::uint32_t>(stride)};
}

class RidgepointReader final : public TraceReader {
 public:
  explicit RidgepointReader(const Trace& trace)
      : csv_(trace.path),
        arrival_(csv_.find_column("arrival_s")),
        prompt_tokens_(csv_.column("prompt_tokens")),
        output_tokens_(csv_.column("output_tokens")),
        priority_(csv_.find_column("priority")),
        session_(csv_.find_column("session")),
        think_(csv_.find_column("think_s")),
        prompt_(csv_.find_column("prompt")),
        output_(csv_.find_column("output")),
        shared_(csv_.find_column("shared_tokens")) {
    std::size_t known = 0;
    for (const std::size_t c :
         {arrival_, prompt_tokens_, output_tokens_, priority_, session_, think_, prompt_, output_, shared_})
      known += c != CsvReader::kNoColumn ? 1 : 0;
    if (known != csv_.header().size()) refuse_unknown_column();
    wide_ = known > 2 + (arrival_ != CsvReader::kNoColumn ? 1U : 0U);
  }

  bool wide() const override { return wide_; }

  bool next(TraceUnit& unit) override {
    if (!ahead_ && !csv_.next()) return false;
    ahead_ = false;
    unit.line = csv_.line_number();
    unit.has_arrival = !csv_.field(arrival_).empty();
    if (unit.has_arrival) unit.arrival = csv_.decimal_seconds(arrival_);
    unit.session = csv_.field(session_);
    unit.first = turn();
    if (unit.first.think != 0)
      csv_.refuse(think_, "the first turn of a session has a think time", "let it come at its arrival_s");
    if (unit.session.empty()) return true;
    while ((ahead_ = csv_.next()) && csv_.field(session_) == unit.session) {
      if (!csv_.field(arrival_).empty())
        csv_.refuse(arrival_, "a later turn of a session has an arrival",
                    "leave it empty and give think_s, the seconds from the end of the turn before");
      unit.rest.push_back(turn());
    }
    return true;
  }

 private:
  [[noreturn]] void refuse_unknown_column() const {
    for (std::size_t i = 0; i < csv_.header().size(); ++i) {
      const std::string& h = csv_.header()[i];
      bool known = false;
      for (const char* name : {"arrival_s", "prompt_tokens", "output_tokens", "priority", "session",
                               "think_s", "prompt", "output", "shared_tokens"})
        known = known || h == name;
      if (!known)
        throw ConfigError({Problem{csv_.path(), 1, 1, "", "unknown column '" + printable(h) + "'",
                                   "leave it out; workloads/traces/README.md lists the columns"}});
    }
    throw ConfigError({Problem{csv_.path(), 1, 1, "", "a column is named twice", "keep one"}});
  }

  TraceTurn turn() const {
    TraceTurn t;
    t.prompt_tokens = csv_.tokens(prompt_tokens_);
    t.output_tokens = csv_.tokens(output_tokens_);
    if (std::int64_t{t.prompt_tokens} + t.output_tokens > kMaxTokens)
      csv_.refuse(prompt_tokens_, "prompt and output together are too long",
                  "give at most " + std::to_string(kMaxTokens));
    if (!csv_.field(priority_).empty()) {
      const std::int64_t p = csv_.whole(priority_);
      if (p != static_cast<std::int32_t>(p))
        csv_.refuse(priority_, "outside 32 bits", "give a smaller number");
      t.priority = static_cast<std::int32_t>(p);
      t.has_priority = true;
    }
    if (!csv_.field(think_).empty()) t.think = csv_.decimal_seconds(think_);
    contents(t);
    return t;
  }

  void contents(TraceTurn& t) const {
    std::int64_t covered = 0;
    std::string_view rest = csv_.field(prompt_);
    while (!rest.empty()) {
      const std::size_t blank = std::min(rest.find(' '), rest.size());
      const auto n = colon_numbers(rest.substr(0, blank), 3);
      const auto run = n.empty() ? std::nullopt : make_run(n[0], n[1], n[2], n.size() == 4 ? n[3] : 1);
      if (!run)
        csv_.refuse(prompt_, "not a run of tokens: '" + printable(rest.substr(0, blank)) + "'",
                    "give content:offset:count[:stride], content below 2^48, stride 0 or 1");
      covered += run->count;
      t.prompt.push_back(*run);
      rest.remove_prefix(std::min(blank + 1, rest.size()));
    }
    if (covered > t.prompt_tokens)
      csv_.refuse(
          prompt_,
          "runs of " + std::to_string(covered) + " tokens in a prompt of " + std::to_string(t.prompt_tokens),
          "let them cover at most the prompt");
    output_content(t);
    const std::int32_t all = t.prompt_tokens + t.output_tokens;
    t.shared_tokens = t.has_output_content ? all : static_cast<std::int32_t>(covered);
    if (csv_.field(shared_).empty()) return;
    t.shared_tokens = csv_.tokens(shared_);
    if (t.shared_tokens > all) csv_.refuse(shared_, "more than prompt and output", "give at most their sum");
  }

  void output_content(TraceTurn& t) const {
    if (csv_.field(output_).empty()) return;
    const auto n = colon_numbers(csv_.field(output_), 2);
    const auto run =
        n.empty() || n.size() > 3 || t.output_tokens == 0
            ? std::nullopt
            : make_run(n[0], n[1], static_cast<std::uint64_t>(t.output_tokens), n.size() == 3 ? n[2] : 1);
    if (!run)
      csv_.refuse(output_, "not the content of an output: '" + printable(csv_.field(output_)) + "'",
                  "give content:offset[:stride], content below 2^48, stride 0 or 1");
    t.output = *run;
    t.has_output_content = true;
  }

  CsvReader csv_;
  std::size_t arrival_, prompt_tokens_, output_tokens_, priority_, session_, think_, prompt_, output_,
      shared_;
  bool wide_ = false, ahead_ = false;
};

}  // namespace

std::unique_ptr<TraceReader> make_ridgepoint_reader(const Trace& trace) {
  return std::make_unique<RidgepointReader>(trace);
}

}  // namespace ridgepoint

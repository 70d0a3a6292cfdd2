#include "workload/trace/feed.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/errors.hpp"
#include "workload/trace/line_reader.hpp"
#include "workload/trace_format.hpp"

namespace ridgepoint {
namespace {

constexpr std::size_t kMostRuns = std::size_t{1} << 21;            ///< held back: 48 MB
constexpr std::size_t kSessionsRemembered = std::size_t{1} << 16;  ///< to notice one that comes back

std::size_t runs(const TraceUnit& u) {
  std::size_t n = u.first.prompt.size() + 4 * u.rest.size();
  for (const TraceTurn& t : u.rest) n += t.prompt.size();
  return n;
}

std::int64_t turns(const TraceUnit& u) { return 1 + static_cast<std::int64_t>(u.rest.size()); }

/// Cuts the prompt (from its end), then the output, to fit; both keep a token.
void truncate(TraceTurn& t, std::int32_t longest) {
  t.output_tokens = std::min(t.output_tokens, std::max(1, longest - 1));
  t.prompt_tokens = std::min(t.prompt_tokens, std::max(1, longest - t.output_tokens));
  auto left = static_cast<std::uint32_t>(t.prompt_tokens);
  for (TokenRun& run : t.prompt) {
    run.count = std::min(run.count, left);
    left -= run.count;
  }
  std::erase_if(t.prompt, [](const TokenRun& run) { return run.count == 0; });
  t.shared_tokens = std::min(t.shared_tokens, t.prompt_tokens);
  t.has_output_content = false;  // it no longer follows the prompt it followed in the file
}

}  // namespace

TraceFeed::TraceFeed(const Trace& trace, const FeedOptions& options)
    : trace_(trace), options_(options), reader_(make_trace_reader(trace)) {
  if (!(trace_.rate_scale > 0) || !std::isfinite(trace_.rate_scale))
    throw ConfigError("trace.rate_scale is not above 0", "give e.g. 2 for twice as fast");
  if (!(trace_.chars_per_token > 0)) throw ConfigError("trace.chars_per_token is not above 0", "give e.g. 4");
  if (trace_.reorder_window < 1)
    throw ConfigError("trace.reorder_window is below 1", "give how many rows may be held back");
  count_.path = trace.path;
}

void TraceFeed::drop(const char* reason, std::int64_t rows) {
  if (rows == 0) return;
  for (auto& [known, n] : count_.dropped)
    if (known == reason) {
      n += rows;
      return;
    }
  count_.dropped.emplace_back(reason, rows);
}

void TraceFeed::check_session(const TraceUnit& unit) {
  if (unit.session.empty()) return;
  const std::size_t hash = std::hash<std::string>{}(unit.session);
  if (!recent_.insert(hash).second)
    throw ConfigError({Problem{trace_.path, unit.line, 1, "",
                               "session '" + printable(unit.session) + "' comes a second time",
                               "keep all turns of a session together, and session names unique"}});
  recent_sessions_.push_back(hash);
  if (recent_sessions_.size() > kSessionsRemembered) {
    recent_.erase(recent_sessions_.front());
    recent_sessions_.pop_front();
  }
}

/// Why this turn is left out, or null; repairs what the scenario wants kept.
const char* TraceFeed::fault(TraceTurn& t) const {
  const bool keep = trace_.failed == Trace::Failed::keep;
  if (!keep && t.output_tokens == 0) return "failed (no output tokens)";
  if (!keep && t.prompt_tokens == 0) return "no prompt tokens";
  t.output_tokens = std::max(t.output_tokens, 1);
  t.prompt_tokens = std::max(t.prompt_tokens, 1);
  const std::int32_t longest = options_.max_model_len;
  if (longest == 0 || std::int64_t{t.prompt_tokens} + t.output_tokens <= longest) return nullptr;
  if (trace_.overlong == Trace::Overlong::reject) return "overlong";
  truncate(t, longest);
  return nullptr;
}

/// Counts the unit's rows and cuts it to those that can be used; false when none can.
bool TraceFeed::admit(TraceUnit& unit) {
  check_session(unit);
  if (trace_.limit > 0 && count_.read + turns(unit) > trace_.limit)
    unit.rest.resize(static_cast<std::size_t>(trace_.limit - count_.read - 1));
  const std::int64_t rows = turns(unit);
  count_.read += rows;
  if (unit.has_arrival && (!earliest_known_ || unit.arrival < earliest_)) {
    earliest_known_ = true;
    if (!emitted_) earliest_ = unit.arrival;
  }
  if (unit.dropped != nullptr) return drop(unit.dropped, rows), false;
  std::int64_t good = 0;
  while (good < rows) {
    TraceTurn& t = good == 0 ? unit.first : unit.rest[static_cast<std::size_t>(good - 1)];
    if (const char* reason = fault(t)) {
      drop(reason, 1);
      drop("after a dropped turn of the session", rows - good - 1);
      break;
    }
    ++good;
  }
  count_.accepted += good;
  if (good == 0) return false;
  unit.rest.resize(static_cast<std::size_t>(good - 1));
  return true;
}

/// The next usable unit of the file, in file order.
bool TraceFeed::read(TraceUnit& unit) {
  while (!ended_) {
    unit = TraceUnit{};
    if ((trace_.limit > 0 && count_.read >= trace_.limit) || !reader_->next(unit)) {
      ended_ = true;
      check_any();
      break;
    }
    if (options_.timed && !unit.has_arrival)
      throw ConfigError(
          {Problem{trace_.path, unit.line, 1, "", "no arrival time",
                   "give the stream a rate or a concurrency: the trace then gives lengths only"}});
    if (admit(unit)) return true;
  }
  return false;
}

void TraceFeed::check_any() const {
  if (count_.accepted > 0) return;
  std::string why = count_.read == 0 ? "holds no rows" : "none of its rows can be used:";
  for (const auto& [reason, n] : count_.dropped) why += " " + std::to_string(n) + " " + reason + ",";
  if (why.ends_with(',')) why.pop_back();
  throw ConfigError({Problem{trace_.path, 0, 0, "", why, "give a trace with requests in it"}});
}

/// Rows with the time of the row before them are spread over the span `jitter` of simulated time.
std::int64_t TraceFeed::jittered(const TraceUnit& unit) {
  const bool batched = unit.arrival == before_ && order_ > 0;
  before_ = unit.arrival;
  if (trace_.jitter <= Nanos{0} || !batched) return unit.arrival;
  RandomStream random(mix64(options_.jitter_seed, static_cast<std::uint64_t>(order_)));
  const double span = static_cast<double>(trace_.jitter.count()) * trace_.rate_scale;
  return unit.arrival + static_cast<std::int64_t>(random.uniform() * span);
}

void TraceFeed::hold(TraceUnit unit) {
  const std::int64_t key = jittered(unit);
  if (emitted_ && key < last_key_)
    throw ConfigError({Problem{trace_.path, unit.line, 1, "",
                               "the row is out of order by more than the " +
                                   std::to_string(trace_.reorder_window) + " rows held back",
                               "sort the file: ridgepoint trace convert " + trace_.path + " --format " +
                                   std::string(name(trace_.format)) + " -o sorted.csv --sort"}});
  held_runs_ += runs(unit);
  Held held{key, order_++, std::move(unit)};
  if (sorted_.empty() || key >= sorted_.back().key) {
    sorted_.push_back(std::move(held));
  } else {
    unsorted_.push_back(std::move(held));
    std::push_heap(unsorted_.begin(), unsorted_.end(), std::greater<>{});
  }
  most_held_ = std::max(most_held_, sorted_.size() + unsorted_.size());
}

TraceFeed::Held TraceFeed::release() {
  Held held;
  if (unsorted_.empty() || (!sorted_.empty() && unsorted_.front() > sorted_.front())) {
    held = sorted_.take_front();
  } else {
    std::pop_heap(unsorted_.begin(), unsorted_.end(), std::greater<>{});
    held = std::move(unsorted_.back());
    unsorted_.pop_back();
  }
  held_runs_ -= runs(held.unit);
  return held;
}

bool TraceFeed::next(TraceUnit& unit) {
  if (!options_.timed) return read(unit);
  const auto window = static_cast<std::size_t>(trace_.reorder_window);
  while (!ended_ && sorted_.size() + unsorted_.size() < window && held_runs_ < kMostRuns)
    if (TraceUnit fresh; read(fresh)) hold(std::move(fresh));
  if (sorted_.empty() && unsorted_.empty()) return false;
  Held held = release();
  emitted_ = true;
  last_key_ = held.key;
  unit = std::move(held.unit);
  const std::int64_t since = held.key - earliest_;
  // long double: whole nanoseconds beyond 2^53 (104 days) stay exact
  const long double scaled = static_cast<long double>(since) / static_cast<long double>(trace_.rate_scale);
  if (!(scaled < 9.2e18L))
    throw ConfigError(
        {Problem{trace_.path, unit.line, 1, "", "arrives after more than 292 years", "raise rate_scale"}});
  unit.arrival = trace_.rate_scale == 1 ? since : std::llround(scaled);
  return true;
}

void TraceFeed::stop(const char* reason, std::int64_t in_hand) {
  std::int64_t rows = in_hand;
  sorted_.for_each([&](const Held& h) { rows += turns(h.unit); });
  for (const Held& h : unsorted_) rows += turns(h.unit);
  count_.accepted -= rows;
  drop(reason, rows);
  sorted_.clear();
  unsorted_.clear();
  ended_ = true;
}

}  // namespace ridgepoint

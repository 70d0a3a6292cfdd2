#include "workload/trace_convert.hpp"

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "workload/trace/external_sort.hpp"
#include "workload/trace/feed.hpp"
#include "workload/trace/writer.hpp"

namespace ridgepoint {
namespace {

/// Whether the file says when requests came: its first row decides, and the rest has to agree.
bool has_arrivals(const Trace& trace) {
  TraceUnit first;
  return make_trace_reader(trace)->next(first) && first.has_arrival;
}

void write_in_order(TraceFeed& feed, bool timed, TraceOutput& out) {
  TraceUnit unit;
  std::string text;
  for (std::int64_t number = 1; feed.next(unit); ++number) {
    text.clear();
    if (timed) append_seconds(text, unit.arrival);
    append_rows(text, unit, feed.wide(), number);
    out.write(text);
  }
}

void write_sorted(TraceFeed& feed, const Trace& trace, ExternalSort& sort, TraceOutput& out) {
  TraceUnit unit;
  std::string text;
  for (std::int64_t number = 1; feed.next(unit); ++number) {
    if (!unit.has_arrival)
      throw ConfigError({Problem{trace.path, unit.line, 1, "", "no arrival time, where other rows have one",
                                 "give every row a time, or none"}});
    text.clear();
    append_rows(text, unit, feed.wide(), number);
    sort.add(unit.arrival, text);
  }
  std::string arrival;
  sort.drain([&](std::int64_t key, std::string_view rows) {
    arrival.clear();
    append_seconds(arrival, key - feed.earliest());
    out.write(arrival);
    out.write(rows);
  });
}

}  // namespace

TraceCount convert_trace(const std::filesystem::path& input, TraceFormat format,
                         const std::filesystem::path& output, const ConvertOptions& options) {
  Trace trace;
  trace.format = format;
  trace.path = input.string();
  trace.failed = options.failed;
  trace.limit = options.limit;
  trace.reorder_window = options.reorder_window;
  trace.chars_per_token = options.chars_per_token;
  refuse_to_replace(input, output);
  const bool timed = has_arrivals(trace);
  FeedOptions feed_options;
  feed_options.timed = timed && !options.sort;
  TraceFeed feed(trace, feed_options);
  TraceOutput out(output);
  if (options.on_begin) options.on_begin(out.temporary());
  out.write(csv_header(feed.wide()));
  if (timed && options.sort) {
    ExternalSort sort(out.temporary(), options.sort_memory);
    write_sorted(feed, trace, sort, out);
  } else {
    write_in_order(feed, timed, out);
  }
  out.complete();
  return feed.count();
}

}  // namespace ridgepoint

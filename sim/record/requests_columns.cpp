#include "record/requests_columns.hpp"

#include <array>
#include <limits>

namespace ridgepoint {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Correctly rounded, so that llround(seconds * 1e9) gives the nanoseconds back for spans below 52 days.
double seconds(Nanos t) { return static_cast<double>(t.count()) / 1e9; }
bool completed(const RequestRecord& r) { return r.status == RequestStatus::completed; }

double ttft(const RequestRecord& r, const StreamTable&) {
  return r.first_token == Nanos{0} || r.status == RequestStatus::refused ? kNone
                                                                         : seconds(r.first_token - r.arrival);
}
double e2e(const RequestRecord& r, const StreamTable&) {
  return completed(r) ? seconds(r.finish - r.arrival) : kNone;
}
double tpot(const RequestRecord& r, const StreamTable&) {
  // source: vLLM's bench serve, TPOT = (E2EL - TTFT)/(output tokens - 1), only where there are two
  return completed(r) && r.output_tokens > 1
             ? seconds(r.finish - r.first_token) / static_cast<double>(r.output_tokens - 1)
             : kNone;
}

template <Nanos RequestRecord::*Part>
double part(const RequestRecord& r, const StreamTable&) {
  return seconds(r.*Part);
}
template <std::int32_t RequestRecord::*Field>
std::int32_t field(const RequestRecord& r, const StreamTable&) {
  return r.*Field;
}

struct Spec {
  h5::Label label;
  decltype(RequestColumn::value) value;
};

const std::vector<Spec>& specs() {
  using R = RequestRecord;
  static const std::vector<Spec> all{
      {{"id", "1", "request number in arrival order"}, +[](const R& r, const StreamTable&) { return r.id; }},
      {{"arrival_s", "s", "arrival since the start of the simulation"}, part<&R::arrival>},
      {{"prompt_tokens", "1", "prompt tokens"}, field<&R::prompt_tokens>},
      {{"output_tokens", "1", "generated tokens"}, field<&R::output_tokens>},
      {{"cached_tokens", "1", "prompt tokens found in the prefix cache at first admission"},
       field<&R::cached_tokens>},
      {{"ttft_s", "s", "time to first token, from arrival; NaN where there is none"}, ttft},
      {{"tpot_s", "s",
        "time per output token after the first: (e2e - ttft)/(output - 1); NaN below 2 tokens"},
       tpot},
      {{"e2e_s", "s", "end-to-end latency; NaN unless completed"}, e2e},
      {{"queued_s", "s", "time waiting before the first admission"}, part<&R::queued>},
      {{"prefill_s", "s", "time from admission to the first token"}, part<&R::prefill>},
      {{"decode_s", "s", "time generating after the first token"}, part<&R::decode>},
      {{"preempted_s", "s", "time from each eviction to the next new token"}, part<&R::preempted>},
      {{"transfer_s", "s", "time waiting for KV transfers"}, part<&R::transfer>},
      {{"other_s", "s",
        "outside the engine: tokenisation and HTTP front end; the six parts add up to the request's time"},
       part<&R::other>},
      {{"preemptions", "1", "times evicted from the KV cache"}, field<&R::preemptions>},
      {{"replica", "1", "replica that served it; -1: none"}, field<&R::replica>},
      {{"stream", "1", "stream it belongs to, an index into names"},
       +[](const R& r, const StreamTable&) { return static_cast<std::int32_t>(r.stream); }},
      {{"slo_class", "1", "SLO class, an index into names; -1: none"},
       +[](const R& r, const StreamTable& t) { return t.slo_class[r.stream]; }},
      {{"tenant", "1", "tenant, an index into names"},
       +[](const R& r, const StreamTable& t) { return t.tenant[r.stream]; }},
      {{"status", "1", "how it ended, an index into names"},
       +[](const R& r, const StreamTable&) { return static_cast<std::int8_t>(r.status); }},
      {{"slo_met", "1", "1: met every limit of its class; 0: did not, or did not complete; -1: has none"},
       +[](const R& r, const StreamTable& t) { return slo_met(r, t).all(); }},
      {{"ttft_met", "1", "the same of the limit on TTFT alone"},
       +[](const R& r, const StreamTable& t) { return slo_met(r, t).ttft; }},
      {{"tpot_met", "1", "the same of the limit on TPOT alone"},
       +[](const R& r, const StreamTable& t) { return slo_met(r, t).tpot; }},
      {{"e2e_met", "1", "the same of the limit on end-to-end latency alone"},
       +[](const R& r, const StreamTable& t) { return slo_met(r, t).e2e; }},
      {{"warmup", "1", "1: arrived before the end of run.warmup; /summary leaves it out of its latencies"},
       +[](const R& r, const StreamTable& t) { return static_cast<std::int8_t>(r.arrival < t.warmup); }},
  };
  return all;
}

template <class T>
T blank() {
  if constexpr (std::is_same_v<T, double>)
    return kNone;
  else
    return T{-1};
}

template <class T>
void write_rows(h5::Column& column, RowValue<T> value, std::int64_t first, std::int64_t rows, bool merge,
                std::span<const RequestRecord> records, const StreamTable& streams) {
  std::vector<T> values(static_cast<std::size_t>(rows), blank<T>());
  if (const std::int64_t there = std::min(rows, column.rows() - first); merge && there > 0)
    column.read(first, std::span<T>(values).first(static_cast<std::size_t>(there)));
  for (const RequestRecord& r : records) values[static_cast<std::size_t>(r.id - first)] = value(r, streams);
  column.write<T>(first, values);
}

}  // namespace

std::vector<RequestColumn> make_request_columns(const h5::Group& group) {
  std::vector<RequestColumn> columns;
  for (const Spec& s : specs()) {
    h5::Column column = std::visit(
        [&]<class T>(RowValue<T>) { return h5::Column::make<T>(group, s.label, RequestsTable::kChunkRows); },
        s.value);
    if (columns.empty())
      column.make_scale();
    else
      column.attach(columns.front().column);
    columns.push_back({std::move(column), s.value});
  }
  return columns;
}

void name_request_columns(std::vector<RequestColumn>& columns, const StreamTable& streams) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> names{
      {"stream", streams.streams},
      {"slo_class", streams.slo_classes},
      {"tenant", streams.tenants},
      {"status", {"completed", "refused", "unfinished"}}};
  for (const auto& [column, values] : names)
    for (std::size_t i = 0; i < specs().size(); ++i)
      if (specs()[i].label.name == column && !values.empty()) columns[i].column.set_names(values);
}

void write_request_rows(std::vector<RequestColumn>& columns, std::int64_t first, std::int64_t rows,
                        bool merge, std::span<const RequestRecord> records, const StreamTable& streams) {
  for (RequestColumn& c : columns)
    std::visit([&](auto value) { write_rows(c.column, value, first, rows, merge, records, streams); },
               c.value);
}

}  // namespace ridgepoint

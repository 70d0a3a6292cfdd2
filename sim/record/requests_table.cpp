#include "record/requests_table.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/errors.hpp"
#include "record/requests_columns.hpp"

namespace ridgepoint {

StreamTable::StreamTable(const Workload& workload, Nanos warm) : warmup(warm), limits(workload.slo_classes) {
  for (const SloClass& c : workload.slo_classes) slo_classes.push_back(c.name);
  for (const Stream& s : workload.streams) {
    const std::string& name = s.tenant.empty() ? s.name : s.tenant;
    auto at = std::find(tenants.begin(), tenants.end(), name);
    if (at == tenants.end()) at = tenants.insert(at, name);
    tenant.push_back(static_cast<std::int32_t>(at - tenants.begin()));
    slo_class.push_back(s.slo_class);
    streams.push_back(s.name);
  }
}

std::int8_t SloMet::all() const {
  if (ttft < 0 && tpot < 0 && e2e < 0) return -1;
  return ttft != 0 && tpot != 0 && e2e != 0 ? 1 : 0;
}

SloMet slo_met(const RequestRecord& r, const StreamTable& table) {
  const std::int32_t index = table.slo_class[r.stream];
  if (index < 0) return {};
  const SloClass& c = table.limits[static_cast<std::size_t>(index)];
  const auto met = [&](const std::optional<Nanos>& limit, Nanos spent, std::int64_t times = 1) {
    if (!limit) return std::int8_t{-1};
    return static_cast<std::int8_t>(r.status == RequestStatus::completed && spent <= *limit * times ? 1 : 0);
  };
  SloMet s{met(c.ttft, r.first_token - r.arrival), -1, met(c.e2e, r.finish - r.arrival)};
  // TPOT counts as 0 where there is no second token. Compared as a product, which is exact.
  s.tpot = r.output_tokens > 1 ? met(c.tpot, r.finish - r.first_token, r.output_tokens - 1)
                               : met(c.tpot, Nanos{0});
  return s;
}

struct RequestsTable::Columns {
  explicit Columns(const h5::File& file)
      : group(file, "requests", "one row a request, in arrival order"), all(make_request_columns(group)) {}
  h5::Group group;
  std::vector<RequestColumn> all;
};

RequestsTable::RequestsTable(const h5::File& file, StreamTable streams, std::size_t budget)
    : streams_(std::move(streams)), columns_(std::make_unique<Columns>(file)), budget_(budget) {
  name_request_columns(columns_->all, streams_);
}
RequestsTable::~RequestsTable() = default;

void RequestsTable::add(const RequestRecord& record) {
  if (record.id < 0 || record.stream >= streams_.streams.size())
    throw SimulationError(
        fmt::format("request {} of stream {} cannot be recorded", record.id, record.stream));
  Chunk& chunk = chunks_[record.id / kChunkRows];
  chunk.rows.push_back(record);
  ++waiting_;
  ++added_;
  rows_ = std::max(rows_, record.id + 1);
  if (static_cast<std::int64_t>(chunk.rows.size()) + chunk.written >= kChunkRows) ++complete_;
  if (waiting_ > budget_) shed();
}

void RequestsTable::write(std::int64_t index, Chunk& chunk) {
  std::sort(chunk.rows.begin(), chunk.rows.end(),
            [](const RequestRecord& a, const RequestRecord& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < chunk.rows.size(); ++i)
    if (chunk.rows[i].id == chunk.rows[i - 1].id)
      throw SimulationError(fmt::format("request {} ended twice", chunk.rows[i].id));
  const std::int64_t first = index * kChunkRows;
  const std::int64_t rows = std::min(rows_ - first, kChunkRows);
  write_request_rows(columns_->all, first, rows, chunk.written > 0, chunk.rows, streams_);
  waiting_ -= chunk.rows.size();
  chunk.written += static_cast<std::int64_t>(chunk.rows.size());
  chunk.rows = {};
}

void RequestsTable::write_complete() {
  if (complete_ == 0) return;
  for (auto at = chunks_.begin(); at != chunks_.end();) {
    Chunk& chunk = at->second;
    if (static_cast<std::int64_t>(chunk.rows.size()) + chunk.written < kChunkRows) {
      ++at;
      continue;
    }
    write(at->first, chunk);
    at = chunks_.erase(at);
  }
  complete_ = 0;
}

void RequestsTable::shed() {
  write_complete();
  while (waiting_ > budget_ / 2) {
    const auto fullest = std::max_element(chunks_.begin(), chunks_.end(), [](const auto& a, const auto& b) {
      return a.second.rows.size() < b.second.rows.size();
    });
    write(fullest->first, fullest->second);
  }
}

void RequestsTable::finish() {
  write_complete();
  for (auto& [index, chunk] : chunks_)
    if (!chunk.rows.empty()) write(index, chunk);
  if (added_ != rows_)
    throw SimulationError(
        fmt::format("{} requests were recorded, but the last one is number {}", added_, rows_));
  for (const auto& [index, chunk] : chunks_)
    if (chunk.written != std::min(kChunkRows, rows_ - index * kChunkRows))
      throw SimulationError(fmt::format("requests from {} on are not all recorded", index * kChunkRows));
  chunks_.clear();
}

}  // namespace ridgepoint

// /requests: one row a request, in id order although requests end in any order, in bounded memory.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "record/hdf5_column.hpp"
#include "spec/request.hpp"
#include "spec/workload.hpp"

namespace ridgepoint {

/// What a row needs to know of the workload.
struct StreamTable {
  explicit StreamTable(const Workload& workload, Nanos warmup = Nanos{0});
  Nanos warmup{0};
  std::vector<std::string> streams, tenants, slo_classes;
  std::vector<std::int32_t> tenant;     ///< by stream, index into tenants
  std::vector<std::int32_t> slo_class;  ///< by stream; -1 = none
  std::vector<SloClass> limits;         ///< by class
};

/// Of one limit or of all: 1: met; 0: not, or the request did not complete; -1: there is no limit.
struct SloMet {
  std::int8_t ttft = -1, tpot = -1, e2e = -1;
  std::int8_t all() const;
};
SloMet slo_met(const RequestRecord& record, const StreamTable& table);

/// Rows wait in memory until their chunk of 4096 is complete. Where more than `budget` rows wait (a request
/// that outlives thousands of younger ones), the fullest chunks are written as they are and completed later.
class RequestsTable {
 public:
  static constexpr std::int64_t kChunkRows = 4096;
  static constexpr std::size_t kBudget = 65536;  ///< rows; 104 bytes each

  RequestsTable(const h5::File& file, StreamTable streams, std::size_t budget = kBudget);
  ~RequestsTable();
  void add(const RequestRecord& record);
  /// Writes the chunks that are complete, in order. Called at simulated-time boundaries, so that the layout
  /// of the file does not depend on which replica reports first.
  void write_complete();
  /// Writes the rest. Throws SimulationError when an id is missing or came twice.
  void finish();
  std::size_t waiting_rows() const { return waiting_; }
  std::int64_t rows() const { return rows_; }

 private:
  struct Columns;
  struct Chunk {
    std::vector<RequestRecord> rows;
    std::int64_t written = 0;  ///< rows that are in the file already
  };
  void write(std::int64_t index, Chunk& chunk);
  void shed();
  StreamTable streams_;
  std::unique_ptr<Columns> columns_;
  std::map<std::int64_t, Chunk> chunks_;  ///< by index; complete and written ones are gone
  std::size_t budget_, waiting_ = 0;
  std::int64_t rows_ = 0, added_ = 0, complete_ = 0;
};

}  // namespace ridgepoint

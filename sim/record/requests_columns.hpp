// The columns of /requests: name, unit, meaning, and how each value follows from a request's record.
#pragma once
#include <span>
#include <variant>
#include <vector>

#include "record/requests_table.hpp"

namespace ridgepoint {

template <class T>
using RowValue = T (*)(const RequestRecord&, const StreamTable&);

struct RequestColumn {
  h5::Column column;
  std::variant<RowValue<std::int64_t>, RowValue<std::int32_t>, RowValue<std::int8_t>, RowValue<double>> value;
};

/// Creates them, `id` first, which is the coordinate of all others.
std::vector<RequestColumn> make_request_columns(const h5::Group& group);
/// Names what the index columns (stream, slo_class, tenant, status) point into.
void name_request_columns(std::vector<RequestColumn>& columns, const StreamTable& streams);
/// Writes rows [first, first + rows): those of `records`, the others as they are in the file (`merge`) or
/// blank.
void write_request_rows(std::vector<RequestColumn>& columns, std::int64_t first, std::int64_t rows,
                        bool merge, std::span<const RequestRecord> records, const StreamTable& streams);

}  // namespace ridgepoint

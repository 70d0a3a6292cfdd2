// Tables with a header line: columns are found by name, whatever their order.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "workload/trace/line_reader.hpp"

namespace ridgepoint {

/// Rows of a CSV file. Every refusal names file, line and column.
class CsvReader {
 public:
  static constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

  explicit CsvReader(std::string path);
  /// Index of a column; throws ConfigError (listing the header) when it is not there.
  std::size_t column(std::string_view name) const;
  int line_number() const { return lines_.line_number(); }
  const std::string& path() const { return lines_.path(); }
  std::size_t find_column(std::string_view name) const;  ///< kNoColumn when it is not there
  const std::vector<std::string>& header() const { return header_; }

  /// The next row that is not blank; false at the end.
  bool next();
  /// Text of a field of the current row, unquoted and trimmed; empty for kNoColumn.
  std::string_view field(std::size_t column) const;
  std::int32_t tokens(std::size_t column) const;           ///< 0 to kMaxTokens
  std::int64_t whole(std::size_t column) const;            ///< any whole number
  std::int64_t decimal_seconds(std::size_t column) const;  ///< as nanoseconds, 0 or more
  [[noreturn]] void refuse(std::size_t column, std::string what, std::string remedy) const;

 private:
  void split(std::string_view line);
  std::size_t quoted(std::string_view line, std::size_t from);
  LineReader lines_;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> starts_;  ///< where each field begins in its line
  std::string unquoted_;             ///< holds fields whose quotes were doubled
};

}  // namespace ridgepoint

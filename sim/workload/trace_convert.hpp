// `ridgepoint trace convert`: any readable trace as this project's own CSV.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>

#include "workload/source.hpp"

namespace ridgepoint {

struct ConvertOptions {
  /// Sort rows by arrival, however far they are out of order. Without it rows may be out of order by
  /// `reorder_window` at most.
  bool sort = false;
  Trace::Failed failed = Trace::Failed::drop;
  std::int64_t limit = 0;  ///< rows read; 0 = all
  std::int64_t reorder_window = 65536;
  double chars_per_token = 4;
  /// Sorting holds this many bytes of rows; what is more goes through temporary files beside the output,
  /// which take as much room as the output itself.
  std::size_t sort_memory = std::size_t{256} << 20;
  /// Told the name the output has until it is complete, for whoever must remove it when the program is ended.
  std::function<void(const std::filesystem::path& temporary)> on_begin;
};

/// Writes rows in order of arrival (files without arrivals: in file order), arrivals relative to the earliest
/// row. An output named *.gz or *.zst is compressed. The output appears under its name when it is complete.
/// Throws ConfigError: malformed input, a file that cannot be read or written, rows too far out of order.
TraceCount convert_trace(const std::filesystem::path& input, TraceFormat format,
                         const std::filesystem::path& output, const ConvertOptions& options = {});

}  // namespace ridgepoint

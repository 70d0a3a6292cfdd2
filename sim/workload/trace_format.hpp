// Names of the trace formats that can be read: what a scenario's trace.format and `trace convert --format`
// take.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "spec/workload.hpp"

namespace ridgepoint {

struct TraceFormatName {
  std::string_view name;
  TraceFormat format;
  std::string_view summary;  ///< one line for help texts and `list`
};

/// Every accepted name; several may mean one format, the first of them is the one `name()` gives.
std::span<const TraceFormatName> trace_format_names();
std::optional<TraceFormat> parse_trace_format(std::string_view text);
std::string_view name(TraceFormat format);

}  // namespace ridgepoint

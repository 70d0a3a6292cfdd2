#include "workload/trace/reader.hpp"

#include <algorithm>
#include <array>

namespace ridgepoint {
namespace {

struct ReaderRow {
  TraceFormat format;
  std::unique_ptr<TraceReader> (*make)(const Trace&);
};
constexpr std::array kReaders{
    ReaderRow{TraceFormat::azure, make_azure_reader},
    ReaderRow{TraceFormat::burstgpt, make_burstgpt_reader},
    ReaderRow{TraceFormat::mooncake, make_mooncake_reader},
    ReaderRow{TraceFormat::vidur, make_vidur_reader},
    ReaderRow{TraceFormat::sharegpt, make_sharegpt_reader},
    ReaderRow{TraceFormat::llmservingsim, make_llmservingsim_reader},
    ReaderRow{TraceFormat::ridgepoint, make_ridgepoint_reader},
};

}  // namespace

std::unique_ptr<TraceReader> make_trace_reader(const Trace& trace) {
  const auto row = std::find_if(kReaders.begin(), kReaders.end(),
                                [&](const ReaderRow& r) { return r.format == trace.format; });
  return row->make(trace);
}

}  // namespace ridgepoint

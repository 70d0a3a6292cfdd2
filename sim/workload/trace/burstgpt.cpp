// BurstGPT, all versions: seconds since day 0, two lengths. Session ids of v3 are not read: they carry no
// content, and the recorded times already hold what waiting there was, so rows are replayed when they came.
#include "workload/trace/csv.hpp"
#include "workload/trace/reader.hpp"

namespace ridgepoint {
namespace {

class BurstGptReader final : public TraceReader {
 public:
  explicit BurstGptReader(const Trace& trace)
      : csv_(trace.path),
        time_(csv_.column("Timestamp")),
        prompt_(csv_.column("Request tokens")),
        output_(csv_.column("Response tokens")) {}

  bool next(TraceUnit& unit) override {
    if (!csv_.next()) return false;
    unit.arrival = csv_.decimal_seconds(time_);
    unit.has_arrival = true;
    unit.line = csv_.line_number();
    unit.first.prompt_tokens = csv_.tokens(prompt_);
    unit.first.output_tokens = csv_.tokens(output_);
    return true;
  }

 private:
  CsvReader csv_;
  std::size_t time_, prompt_, output_;
};

}  // namespace

std::unique_ptr<TraceReader> make_burstgpt_reader(const Trace& trace) {
  return std::make_unique<BurstGptReader>(trace);
}

}  // namespace ridgepoint

// Vidur's processed traces: arrived_at in seconds where the file has it; without it the rows are lengths
// only, to be combined with a rate or a concurrency.
#include "workload/trace/csv.hpp"
#include "workload/trace/reader.hpp"

namespace ridgepoint {
namespace {

class VidurReader final : public TraceReader {
 public:
  explicit VidurReader(const Trace& trace)
      : csv_(trace.path),
        time_(csv_.find_column("arrived_at")),
        prompt_(csv_.column("num_prefill_tokens")),
        output_(csv_.column("num_decode_tokens")) {}

  bool next(TraceUnit& unit) override {
    if (!csv_.next()) return false;
    unit.has_arrival = time_ != CsvReader::kNoColumn;
    if (unit.has_arrival) unit.arrival = csv_.decimal_seconds(time_);
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

std::unique_ptr<TraceReader> make_vidur_reader(const Trace& trace) {
  return std::make_unique<VidurReader>(trace);
}

}  // namespace ridgepoint

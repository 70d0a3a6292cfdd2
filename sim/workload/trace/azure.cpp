// Azure LLM inference traces of 2023, 2024 and (multimodal) 2025: civil times, two lengths. Columns are read
// by name, so images are passed over; their tokens count only as far as ContextTokens includes them.
#include "workload/trace/csv.hpp"
#include "workload/trace/numbers.hpp"
#include "workload/trace/reader.hpp"

namespace ridgepoint {
namespace {

class AzureReader final : public TraceReader {
 public:
  explicit AzureReader(const Trace& trace)
      : csv_(trace.path),
        time_(csv_.column("TIMESTAMP")),
        prompt_(csv_.column("ContextTokens")),
        output_(csv_.column("GeneratedTokens")) {}

  bool next(TraceUnit& unit) override {
    if (!csv_.next()) return false;
    const auto time = civil_time(csv_.field(time_));
    if (!time)
      csv_.refuse(time_, "not a time: '" + printable(csv_.field(time_)) + "'",
                  "give e.g. 2023-11-16 18:15:46.6805900");
    unit.arrival = *time;
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

std::unique_ptr<TraceReader> make_azure_reader(const Trace& trace) {
  return std::make_unique<AzureReader>(trace);
}

}  // namespace ridgepoint

#include "record/recorder.hpp"

#include <array>
#include <optional>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "record/end_tables.hpp"
#include "record/provenance.hpp"
#include "record/requests_table.hpp"
#include "record/steps_table.hpp"
#include "record/timeseries.hpp"

namespace ridgepoint {

struct Recorder::Impl {
  Impl(const Scenario& s, std::string path)
      : scenario(s), output(std::move(path)), file(output.temporary(), output.path()) {
    write_provenance(file, scenario);
    std::int64_t replicas = 0;
    for (const Deployment& d : scenario.deployments) replicas += d.replicas;
    const RecordOptions& want = scenario.run.record;
    if (want.requests) requests.emplace(file, StreamTable(scenario.workload, scenario.run.warmup));
    if (want.timeseries) timeseries.emplace(file, replicas);
    if (want.steps) steps.emplace(output.temporary() + ".steps", replicas);
  }

  const Scenario scenario;  // a copy: it is small, and callers may pass a temporary
  OutputFile output;        // before the file, so that an unfinished one is closed before it is removed
  h5::File file;
  std::optional<RequestsTable> requests;
  std::optional<TimeSeries> timeseries;
  std::optional<StepsTable> steps;
  std::array<std::int64_t, 3> ended{};  ///< by RequestStatus
  bool finished = false;
};

Recorder::Recorder(const Scenario& scenario, std::string path)
    : impl_(std::make_unique<Impl>(scenario, std::move(path))) {}
Recorder::~Recorder() = default;

void Recorder::request(const RequestRecord& record) {
  ++impl_->ended[static_cast<std::size_t>(record.status)];
  if (impl_->requests) impl_->requests->add(record);
}

void Recorder::step(const StepRecord& step) {
  if (impl_->steps) impl_->steps->add(step);
}

void Recorder::sample(Nanos t, std::span<const ReplicaSample> replicas) {
  if (impl_->requests) impl_->requests->write_complete();
  if (impl_->timeseries) impl_->timeseries->add(t, replicas);
}

void Recorder::finish(const RunResult& result) {
  Impl& i = *impl_;
  if (i.finished) throw SimulationError("the result file was finished twice");
  if (i.requests) i.requests->finish();
  if (i.timeseries) i.timeseries->finish();
  if (i.steps) i.steps->finish(i.file);
  write_deployments(i.file, i.scenario);
  write_replicas(i.file, i.scenario, result);
  write_links(i.file, i.scenario, result);
  write_histograms(i.file, i.scenario, result);
  write_traces(i.file, result);
  h5::set_attribute(i.file.id(), "end_s", static_cast<double>(result.end.count()) / 1e9);
  const std::array<const char*, 3> names{"completed_requests", "refused_requests", "unfinished_requests"};
  for (std::size_t s = 0; s < names.size(); ++s) h5::set_attribute(i.file.id(), names[s], i.ended[s]);
  i.requests.reset();
  i.timeseries.reset();
  i.steps.reset();
  i.file.close();
  i.finished = true;
}

const std::string& Recorder::temporary_path() const { return impl_->output.temporary(); }

void Recorder::publish() {
  if (!impl_->finished) throw SimulationError("the result file is not finished");
  impl_->output.publish();
}

}  // namespace ridgepoint

#include "property/cluster/replay.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/errors.hpp"
#include "cluster/fleet.hpp"
#include "cluster/run.hpp"
#include "record/recorder.hpp"

namespace ridgepoint::test {
namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "ridgepoint-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
  path_ = name;
}
ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string run_on_simgrid(const Scenario& scenario, const fs::path& path) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::cout.flush();  // what is buffered would be written by the child too
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no fork");
  if (child == 0) {
    std::string error;
    try {
      Recorder recorder(scenario, path.string());
      RunHooks hooks;
      hooks.check_invariants = true;
      recorder.finish(run_cluster(scenario, recorder, hooks).result);
      recorder.publish();
    } catch (const std::exception& e) {
      error = e.what();
    }
    const bool sent = write(ends[1], error.data(), error.size()) == static_cast<ssize_t>(error.size());
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::string error;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    error.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? error : error + " (the run's process died)";
}

namespace {

class Collector final : public TimelineListener {
 public:
  explicit Collector(Replay& result) : result_(result) {}
  const Timeline* timeline = nullptr;

  void on_record(const RequestRecord& r) override { result_.records.push_back(r); }
  void on_step(const StepRecord& s) override { result_.steps.push_back(s); }
  void on_instant(Nanos t) override {
    result_.request_ns += static_cast<Int128>(inside_) * (t - last_).count();
    last_ = t;
    inside_ = 0;
    for (std::size_t r = 0; r < timeline->replicas(); ++r) inside_ += timeline->replica(r).unfinished();
  }

 private:
  Replay& result_;
  Nanos last_{0};
  std::int64_t inside_ = 0;
};

}  // namespace

Replay replay(const Scenario& scenario, Nanos hop) {
  Replay result;
  Collector collector(result);
  const auto source = make_request_source(scenario);
  const Fleet fleet(scenario);
  TimelineOptions options;
  options.until = scenario.run.until;
  options.most_fruitless_instants = 100'000;
  Timeline timeline(fleet.deployments(), options, *source, collector);
  collector.timeline = &timeline;
  for (auto& replica : fleet.make_replicas(timeline)) timeline.add_replica(std::move(replica));
  try {
    timeline.start();
    for (Nanos t = hop; hop > Nanos{0} && !timeline.done(); t += hop) timeline.settle(t);
    timeline.settle(kNever - Nanos{1});
  } catch (const SimulationError& e) {
    result.error = e.what();
  }
  for (std::size_t r = 0; r < timeline.replicas(); ++r) {
    timeline.replica(r).check_invariants();
    result.totals.push_back(timeline.replica(r).totals());
    result.requests_by_replica.push_back(timeline.completed_by(r));
  }
  result.end = timeline.end();
  result.arrived = timeline.arrived();
  return result;
}

}  // namespace ridgepoint::test

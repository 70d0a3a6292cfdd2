// A small run written by hand: two streams, two replicas, known values everywhere. Shared by the tests of
// record and analysis and by the generator of the file that the Python test opens.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "record/recorder.hpp"

namespace ridgepoint::test {

using namespace std::chrono_literals;

/// A folder that is removed with its contents at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ridgepoint-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

inline Scenario recorded_scenario() {
  Scenario s;
  s.name = "by hand";
  s.seed = 7;
  s.resolved_yaml = "name: by hand\nseed: 7\n";
  s.nodes.resize(1);
  s.nodes[0].calibration.name = "some-gpu";
  s.nodes[0].calibration.provenance = "made up for tests";
  s.nodes[0].calibration.band = {0.05, 0.12, "nothing"};
  s.deployments.resize(1);
  s.deployments[0].name = "main";
  s.deployments[0].replicas = 2;
  s.deployments[0].placements = {{0, 0, 0}, {0, 0, 1}};
  s.deployments[0].engine.max_num_seqs = 4;
  s.workload.slo_classes = {{"interactive", Nanos{200ms}, Nanos{50ms}, {}, 0}, {"batch", {}, {}, {}, 10}};
  s.workload.streams.resize(2);
  s.workload.streams[0].name = "chat";
  s.workload.streams[0].tenant = "acme";
  s.workload.streams[0].slo_class = 0;
  s.workload.streams[1].name = "nightly";
  s.workload.streams[1].slo_class = 1;
  s.run.sample_period = 1s;
  return s;
}

/// Arrived at `arrival`, waited `queued`, first token after `ttft`, then `output` tokens `gap` apart.
inline RequestRecord recorded_request(std::int64_t id, Nanos arrival, Nanos queued, Nanos ttft, Nanos gap,
                                      std::int32_t output) {
  RequestRecord r;
  r.id = id;
  r.arrival = arrival;
  r.first_token = arrival + ttft;
  r.finish = r.first_token + gap * (output - 1);
  r.prompt_tokens = 100;
  r.output_tokens = output;
  r.replica = static_cast<std::int32_t>(id % 2);
  r.status = RequestStatus::completed;
  r.queued = queued;
  r.prefill = ttft - queued;
  r.decode = gap * (output - 1);
  return r;
}

inline ReplicaSample recorded_sample(std::int32_t running, std::int32_t waiting, std::int64_t kv,
                                     std::int64_t output) {
  ReplicaSample s;
  s.load = {running, waiting, kv, 100};
  s.output_tokens = output;
  s.prompt_tokens = 10 * output;
  s.steps = output;
  return s;
}

/// Two replicas over `wall`: the first busy for half of it (3/4 memory, 1/4 compute), the second idle.
inline RunResult recorded_result(Nanos wall) {
  RunResult result;
  result.end = wall;
  result.replicas.resize(2);
  for (ReplicaResult& r : result.replicas) {
    r.wall = wall;
    r.gpus = 1;
    r.price_per_hour = 3.6;
  }
  ReplicaTotals& t = result.replicas[0].totals;
  t.busy = wall / 2;
  t.memory = to_seconds(wall / 2).v * 0.75;
  t.compute = to_seconds(wall / 2).v * 0.25;
  t.steps = 10;
  t.queried_tokens = 400;
  t.cached_tokens = 100;
  t.itl.add(20'000'000, 9);
  t.step_time.add(20'000'000, 10);
  t.batch_size.add(3, 10);
  result.replicas[0].requests = 4;
  return result;
}

}  // namespace ridgepoint::test

// Runs a scenario in two ways: on SimGrid in a process of its own, and through the timeline alone.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cluster/timeline.hpp"
#include "spec/scenario.hpp"

namespace ridgepoint::test {

/// A file's bytes.
std::string bytes_of(const std::filesystem::path& file);

/// A folder of this test process that is removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// run_cluster with invariants checked, in a forked child (SimGrid allows one Engine a process), leaving the
/// result file at `path`. Returns the error's text, empty when it went well.
std::string run_on_simgrid(const Scenario& scenario, const std::filesystem::path& path);

/// What the timeline alone gives.
struct Replay {
  std::string error;  ///< what a SimulationError said, if there was one
  std::vector<RequestRecord> records;
  std::vector<ReplicaTotals> totals;
  std::vector<StepRecord> steps;
  std::vector<std::int64_t> requests_by_replica;
  Nanos end{0};
  std::int64_t arrived = 0;
  Int128 request_ns = 0;  ///< unfinished requests in replicas, integrated over time
};

/// Settles in hops of `hop` (0: all at once), with a look at every replica in between when hopping. `alter`
/// may change the timeline's options.
Replay replay(const Scenario& scenario, Nanos hop = Nanos{0});

}  // namespace ridgepoint::test

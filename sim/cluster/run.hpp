// Replays a scenario on SimGrid. One run per process: SimGrid's clock is static.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "record/recorder.hpp"
#include "spec/scenario.hpp"

namespace ridgepoint {

struct RunProgress {
  Nanos simulated{0};
  std::optional<Nanos> until;
  std::int64_t requests_done = 0;
  std::optional<std::int64_t> requests_expected;  ///< in all, as far as known
};

struct RunHooks {
  bool check_invariants = false;  ///< --check: verify KV conservation and the ledgers at the end
  std::function<void(const RunProgress&)> on_progress;  ///< called now and then; may be empty
  int progress_every = 2048;                            ///< settled instants between calls
};

/// Totals that are of interest to tests but not recorded in the file.
struct RunOutcome {
  RunResult result;
  std::int64_t arrived = 0, completed = 0, refused = 0, unfinished = 0;
};

/// Throws SimulationError when the run cannot make progress, naming what waits for what.
RunOutcome run_cluster(const Scenario& scenario, Recorder& recorder, const RunHooks& hooks = {});

}  // namespace ridgepoint

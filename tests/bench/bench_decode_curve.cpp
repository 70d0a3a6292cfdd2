// Nanoseconds of one look-up in a decode curve whose context grows as a batch decodes: the whole cost model
// of a step inside a stride.
#include "base/units.hpp"
#include "cost/cost_model.hpp"
#include "measure.hpp"
#include "scenario/load.hpp"

int main() {
  using namespace ridgepoint;
  const Scenario scenario = load_scenario(RIDGEPOINT_SOURCE_DIR "/scenarios/quickstart.yaml");
  const Deployment& deployment = scenario.deployments.front();
  const NodeGroup& group = deployment.group(scenario);
  const auto cost =
      make_cost_model(deployment.model, deployment.engine, group.gpu, group.node, group.calibration);

  constexpr int kBatch = 32;
  constexpr int kSteps = 2'000'000;
  const DecodeCurve& curve = cost->decode_curve(kBatch, kBatch, GraphMode::full);
  volatile double sink = 0;  // keeps the look-ups from being optimised away
  const double seconds = bench::best_seconds([&] {
    double sum = 0;
    for (int i = 0; i < kSteps; ++i) {
      const std::int32_t context = 200 + i % 4000;
      sum += curve.at(std::int64_t{kBatch} * context, context + 500).total();
    }
    sink = sum;
  });
  bench::report(seconds / kSteps * 1e9);
}

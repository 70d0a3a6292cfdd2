// Host-side launch bound of a step.
#include "cost/launch.hpp"

namespace ridgepoint::cost {
namespace {

/// One launch from compiled code, or of one piece of a captured graph. source: NVIDIA technical blog,
/// "Getting Started with CUDA Graphs" (2019): 3.8 us for each of many launches without waiting between them;
/// the rest is argument set-up.
constexpr double kCompiledLaunch = 5e-6;

}  // namespace

double launch_bound(const Engine& engine, int layers, int kernels, GraphMode graph, double kernel_launch) {
  if (graph == GraphMode::full) return 0;
  if (engine.enforce_eager) return kernels * kernel_launch;
  const double attention = layers * kernel_launch;
  return attention + kCompiledLaunch * (graph == GraphMode::piecewise ? layers : kernels - layers);
}

}  // namespace ridgepoint::cost

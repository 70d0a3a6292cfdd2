// How long the host needs to launch a step: no step ends before its last kernel was launched.
#pragma once
#include "cost/step.hpp"
#include "spec/engine.hpp"

namespace ridgepoint::cost {

/// Seconds of host time to launch a step of `kernels` kernels. With enforce_eager every one is dispatched by
/// the framework (`kernel_launch` each). Compiled models dispatch one attention call a layer; the rest is a
/// piece of a graph, or beyond the captured sizes compiled code that launches kernel by kernel.
double launch_bound(const Engine& engine, int layers, int kernels, GraphMode graph, double kernel_launch);

}  // namespace ridgepoint::cost

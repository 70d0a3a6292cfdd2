// The SimGrid side of a run: one actor a replica, one front end that replays the arrivals, one control actor.
// Each sleeps until its own integer due time and then settles the timeline up to it.
#pragma once
#include <vector>

#include "cluster/platform.hpp"
#include "cluster/timeline.hpp"

namespace ridgepoint {

/// Creates the actors, runs the Engine to the end and rethrows what went wrong in an actor. `homes[r]` is the
/// host of replica r. Precondition: an Engine exists and the platform is sealed. Throws SimulationError on a
/// deadlock.
void run_actors(Timeline& timeline, const std::vector<simgrid::s4u::Host*>& homes,
                simgrid::s4u::Host* management);

}  // namespace ridgepoint

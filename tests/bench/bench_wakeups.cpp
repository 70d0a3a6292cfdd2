// Bare SimGrid: timed wake-ups per second of eight actors that do nothing else. The yardstick for a run,
// since a machine that is twice as slow is so for both.
#include <simgrid/s4u.hpp>

#include "measure.hpp"

namespace {
constexpr int kActors = 8;
constexpr int kWakeups = 250'000;  // of each actor

void waiter(double period) {
  const auto never = simgrid::s4u::Semaphore::create(0);
  for (int i = 0; i < kWakeups; ++i) never->acquire_timeout(period);
}
}  // namespace

int main(int argc, char** argv) {
  simgrid::s4u::Engine engine(&argc, argv);
  simgrid::s4u::Engine::set_config("surf/precision:1e-12");
  auto* zone = simgrid::s4u::create_full_zone("root");
  auto* host = zone->create_host("host", 1e9)->seal();
  zone->seal();
  for (int i = 0; i < kActors; ++i)  // unequal periods: the actors do not wake together
    simgrid::s4u::Actor::create("waiter", host, waiter, 1e-3 * (1 + 0.01 * i));
  // SimGrid's clock is static, so this runs once; run.py repeats the process.
  const double start = ridgepoint::bench::cpu_seconds();
  engine.run();
  ridgepoint::bench::report(double{kActors} * kWakeups / (ridgepoint::bench::cpu_seconds() - start));
}

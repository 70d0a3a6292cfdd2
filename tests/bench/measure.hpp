// Processor time of a piece of work, and the one-line JSON that run.py reads from each program.
#pragma once
#include <cstdio>
#include <ctime>

namespace ridgepoint::bench {

/// Seconds of processor time this process has used.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Runs `work` three times and returns the least seconds: what disturbs a measurement only ever adds.
template <typename Work>
double best_seconds(Work&& work) {
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    const double start = cpu_seconds();
    work();
    const double took = cpu_seconds() - start;
    if (took < best) best = took;
  }
  return best;
}

inline void report(double value) { std::printf("{\"value\": %.6g}\n", value); }

}  // namespace ridgepoint::bench

// A progress bar on stderr: simulated time, requests done, rate, time left. Only on a terminal, and only for
// runs that take over a second.
#pragma once
#include <chrono>
#include <string>

#include "cluster/run.hpp"

namespace ridgepoint::cli {

/// The line as it is shown after `elapsed` of wall time, at most `width` columns.
std::string progress_line(const RunProgress& progress, std::chrono::duration<double> elapsed, int width);

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  ///< removes the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  bool wanted() const { return wanted_; }
  void show(const RunProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_, next_;
  bool wanted_ = false, shown_ = false;
};

}  // namespace ridgepoint::cli

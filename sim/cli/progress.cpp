#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ridgepoint::cli {
namespace {

constexpr std::chrono::milliseconds kQuiet{1000};  // shorter runs need no bar
constexpr std::chrono::milliseconds kRefresh{200};
constexpr int kBarWidth = 20;

std::string clock_text(double seconds) {
  const auto whole = std::llround(seconds);
  return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                       : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// Share of the run that is done, as far as anyone knows; negative when nobody does.
double share_done(const RunProgress& p) {
  double share = -1;
  if (p.requests_expected && *p.requests_expected > 0)
    share = static_cast<double>(p.requests_done) / static_cast<double>(*p.requests_expected);
  if (p.until && p.until->count() > 0)
    share = std::max(share, to_seconds(p.simulated) / to_seconds(*p.until));
  return std::min(share, 1.0);
}

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string progress_line(const RunProgress& p, std::chrono::duration<double> elapsed, int width) {
  const double share = share_done(p);
  std::string line;
  if (share >= 0) {
    const auto full = static_cast<std::size_t>(share * kBarWidth);
    line = fmt::format("[{}{}] {:3.0f} %  ", std::string(full, '#'),
                       std::string(static_cast<std::size_t>(kBarWidth) - full, ' '), 100 * share);
  }
  line += fmt::format("simulated {}  requests {}", clock_text(to_seconds(p.simulated).v), p.requests_done);
  if (p.requests_expected) line += fmt::format("/{}", *p.requests_expected);
  const double seconds = elapsed.count();
  if (seconds > 0) line += fmt::format("  {:.0f}/s", static_cast<double>(p.requests_done) / seconds);
  if (share > 0) line += fmt::format("  {} left", clock_text(seconds * (1 - share) / share));
  if (width > 0 && line.size() >= static_cast<std::size_t>(width))
    line.resize(static_cast<std::size_t>(width) - 1);
  return line;
}

ProgressBar::ProgressBar()
    : start_(Clock::now()), next_(start_ + kQuiet), wanted_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::show(const RunProgress& progress) {
  const Clock::time_point now = Clock::now();
  if (!wanted_ || now < next_) return;
  next_ = now + kRefresh;
  shown_ = true;
  fmt::print(stderr, "\r{}\x1b[K", progress_line(progress, now - start_, terminal_width()));
}

}  // namespace ridgepoint::cli

#include "cli/output_guard.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include "base/errors.hpp"

namespace ridgepoint::cli {
namespace {

namespace fs = std::filesystem;

struct Leftovers {
  std::mutex mutex;
  std::vector<fs::path> paths;
  bool watched = false;
  std::unique_lock<std::mutex> held;  ///< by the main thread, while it makes what paths will name
};

/// Never destroyed: the waiting thread outlives main.
Leftovers& leftovers() {
  static Leftovers& instance = *new Leftovers;
  return instance;
}

/// A thread waits for the signals instead of a handler: SimGrid installs a handler of its own for SIGINT, and
/// a thread may do what a handler may not.
void wait_for(const sigset_t& signals) {
  int signal = 0;
  if (sigwait(&signals, &signal) != 0) return;
  Leftovers& left = leftovers();
  const std::lock_guard lock(left.mutex);
  std::error_code ignored;
  for (const fs::path& path : left.paths) fs::remove(path, ignored);
  _exit(128 + signal);
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& file) {
  if (file.empty()) return;  // whoever opens it says so
  std::error_code error;
  const fs::path whole = fs::absolute(file, error);
  if (error)
    throw ConfigError(fmt::format("output: the working directory cannot be used: {}", error.message()),
                      "start in a folder that exists, or give the whole path with -o");
  // A symbolic link to nothing is there too: it is not ours to remove.
  for (fs::path folder = whole.parent_path(); !fs::exists(fs::symlink_status(folder, error));
       folder = folder.parent_path())
    made_.push_back(folder);
  if (!made_.empty() && !fs::create_directories(made_.front(), error) && error) {
    remove_made();
    throw ConfigError(
        fmt::format("folder {} cannot be made: {}", whole.parent_path().string(), error.message()),
        "choose another place with -o");
  }
}

OutputFolder::~OutputFolder() { remove_made(); }

void OutputFolder::remove_made() {
  std::error_code ignored;
  for (const fs::path& folder : made_) fs::remove(folder, ignored);  // refuses when not empty
}

void hold_interrupts() {
  Leftovers& left = leftovers();
  if (!left.held.owns_lock()) left.held = std::unique_lock(left.mutex);
  if (std::exchange(left.watched, true)) return;
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] { wait_for(signals); }).detach();
}

void remove_when_interrupted(std::vector<fs::path> paths) {
  hold_interrupts();
  leftovers().paths = std::move(paths);
  leftovers().held.unlock();
}

void keep_when_interrupted() {
  hold_interrupts();
  leftovers().paths.clear();
  leftovers().held.unlock();
}

}  // namespace ridgepoint::cli

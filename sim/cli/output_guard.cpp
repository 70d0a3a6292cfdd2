#include "cli/output_guard.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <mutex>
#include <thread>

#include "base/errors.hpp"

namespace ridgepoint::cli {
namespace {

namespace fs = std::filesystem;

struct Leftovers {
  std::mutex mutex;
  std::vector<fs::path> paths;
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
  std::error_code error;
  for (fs::path folder = fs::absolute(file).parent_path(); !fs::exists(folder, error);
       folder = folder.parent_path())
    made_.push_back(folder);
  if (!made_.empty() && !fs::create_directories(made_.front(), error) && error) {
    const std::string what =
        fmt::format("folder {} cannot be made: {}", made_.front().string(), error.message());
    made_.clear();
    throw ConfigError(what, "choose another place with -o");
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  for (const fs::path& folder : made_) fs::remove(folder, ignored);  // refuses when not empty
}

void remove_when_interrupted(const fs::path& file, const std::vector<fs::path>& folders) {
  Leftovers& left = leftovers();
  {
    const std::lock_guard lock(left.mutex);
    left.paths = {file};
    left.paths.insert(left.paths.end(), folders.begin(), folders.end());
  }
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] { wait_for(signals); }).detach();
}

void keep_when_interrupted() {
  Leftovers& left = leftovers();
  const std::lock_guard lock(left.mutex);
  left.paths.clear();
}

}  // namespace ridgepoint::cli

#include "record/output_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/errors.hpp"

namespace ridgepoint {
namespace fs = std::filesystem;

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) throw ConfigError("output: no path", "name the HDF5 file to write");
  const fs::path target(path_);
  if (fs::is_directory(target))
    throw ConfigError(fmt::format("output: {} is a folder", path_), "name a file in it");
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder))
    throw ConfigError(fmt::format("output: cannot make the folder {}: {}", folder.string(), error.message()),
                      "name a file in a folder that can be written");
  // Runs on several nodes may share the folder and the process number, so the name is taken by creating it.
  for (int n = 0;; ++n) {
    temporary_ = fmt::format("{}.{}-{}.tmp", path_, getpid(), n);
    const int file = open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return;
    }
    if (errno != EEXIST)
      throw ConfigError(fmt::format("output: cannot write {}: {}", path_, std::strerror(errno)),
                        "name a file in a folder that can be written");
  }
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!published_) fs::remove(temporary_, ignored);
}

void OutputFile::publish() {
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error)
    throw SimulationError(fmt::format("cannot rename {} to {}: {}", temporary_, path_, error.message()));
  published_ = true;
}

}  // namespace ridgepoint

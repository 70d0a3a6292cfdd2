#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;

const char* kind(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    default:
      return "no regular file";
  }
}

/// The file that `path` leads to; it need not exist yet.
fs::path target_of(const std::string& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::none)
    throw ConfigError(fmt::format("output: cannot write {}: {}", path, error.message()),
                      "name a file in a folder that can be written");
  if (type == fs::file_type::directory)
    throw ConfigError(fmt::format("output: {} is a folder", path), "name a file in it");
  if (type != fs::file_type::regular && type != fs::file_type::not_found)
    throw ConfigError(fmt::format("output: {} is {}, which a result file would replace", path, kind(type)),
                      "name a regular file, or one that does not exist yet");
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::canonical(path, error);
  if (error)
    throw ConfigError(fmt::format("output: {} is a symbolic link to a file that does not exist", path),
                      "name the file itself");
  return target;
}

}  // namespace

OutputFile::OutputFile(std::string path, Folders folders) : path_(std::move(path)) {
  if (path_.empty()) throw ConfigError("output: no path", "name the file to write");
  if (path_.find('\0') != std::string::npos)
    throw ConfigError("output: the path holds a null character", "use a path without one");
  target_ = target_of(path_);
  if (!target_.has_filename())
    throw ConfigError(fmt::format("output: {} names a folder", path_), "name a file in it");
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  std::error_code error;
  if (folders == Folders::make) fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder, error))
    throw ConfigError(fmt::format("output: cannot make the folder {}: {}", folder.string(), error.message()),
                      "name a file in a folder that can be written");
  // The suffix has to fit into the longest name a file may have, 255 bytes.
  const std::string stem = target_.filename().string().substr(0, 200);
  // Runs on several nodes may share the folder and the process number, so the name is taken by creating it.
  for (int n = 0;; ++n) {
    temporary_ = (folder / fmt::format("{}.{}-{}.tmp", stem, getpid(), n)).string();
    const int file = open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return;
    }
    if (errno != EEXIST)
      throw ConfigError(fmt::format("output: cannot write {}: {}", path_, std::strerror(errno)),
                        "name a file in a folder that exists and can be written");
  }
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!published_) fs::remove(temporary_, ignored);
}

void OutputFile::publish() {
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error)
    throw SimulationError(fmt::format("cannot rename {} to {}: {}", temporary_, path_, error.message()));
  published_ = true;
}

void refuse_to_replace(const fs::path& input, const fs::path& output) {
  std::error_code ignored;  // what does not exist is not the same
  if (fs::equivalent(input, output, ignored))
    throw ConfigError(fmt::format("output: {} is read here, as {}", output.string(), input.string()),
                      "write to another file");
}

}  // namespace ridgepoint

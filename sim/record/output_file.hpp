// The name a result file has while it is written, and the step from there to its final name.
#pragma once
#include <string>

namespace ridgepoint {

/// Creates an empty file named `path` plus a suffix that no other file in the folder has, and missing
/// folders. Without publish() the file is removed again.
class OutputFile {
 public:
  /// Throws ConfigError when the folder cannot be made or written, or `path` is a folder.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  const std::string& path() const { return path_; }
  const std::string& temporary() const { return temporary_; }
  /// Atomic: a reader sees the old file or the new one. Throws SimulationError.
  void publish();

 private:
  std::string path_, temporary_;
  bool published_ = false;
};

}  // namespace ridgepoint

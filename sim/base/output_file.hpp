// The name an output has while it is written, and the step from there to its final name.
#pragma once
#include <filesystem>
#include <string>

namespace ridgepoint {

/// Creates an empty file beside `path`, under a name that no other file in the folder has. Without publish()
/// the file is removed again.
class OutputFile {
 public:
  enum class Folders { make, must_exist };
  /// Throws ConfigError when the folder cannot be made or written, or when `path` is there and is no regular
  /// file. A symbolic link stays one: the file it leads to is replaced.
  explicit OutputFile(std::string path, Folders folders = Folders::make);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  const std::string& path() const { return path_; }  ///< as it was given
  const std::string& temporary() const { return temporary_; }
  /// Atomic: a reader sees the old file or the new one. Throws SimulationError.
  void publish();

 private:
  std::string path_, temporary_;
  std::filesystem::path target_;  ///< behind symbolic links
  bool published_ = false;
};

/// Throws ConfigError when both names lead to one file: writing the output would destroy what is read.
void refuse_to_replace(const std::filesystem::path& input, const std::filesystem::path& output);

}  // namespace ridgepoint

// Leaves nothing behind when a command fails or is interrupted: no half file, no folder made for it.
#pragma once
#include <filesystem>
#include <vector>

namespace ridgepoint::cli {

/// Makes the missing folders above `file`; removes them again unless keep() was called. Throws ConfigError.
class OutputFolder {
 public:
  explicit OutputFolder(const std::filesystem::path& file);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  void keep() { made_.clear(); }
  const std::vector<std::filesystem::path>& made() const { return made_; }  ///< innermost first

 private:
  void remove_made();
  std::vector<std::filesystem::path> made_;
};

/// Interrupts wait until one of the two calls below: nothing may be made that nobody knows how to remove. The
/// first call has to come before any other thread exists.
void hold_interrupts();
/// From now on SIGINT, SIGTERM and SIGHUP remove `paths`, in this order, and end the program with 128 + the
/// signal's number; one that is ignored (nohup) stays so. A later call replaces the paths.
void remove_when_interrupted(std::vector<std::filesystem::path> paths);
/// The file has its final name: nothing is left to remove.
void keep_when_interrupted();

}  // namespace ridgepoint::cli

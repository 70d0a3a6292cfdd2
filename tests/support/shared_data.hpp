// Where measured and recorded material lies that is not part of the project. Tests that need it skip, saying
// so.
#pragma once
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace ridgepoint::test {

/// The folder of outside data: $RIDGEPOINT_SHARED, else `../shared` beside the source tree; empty where
/// absent.
inline std::optional<std::filesystem::path> shared_data(const std::string& below) {
  const char* env = std::getenv("RIDGEPOINT_SHARED");
  const std::filesystem::path root = env != nullptr
                                         ? std::filesystem::path(env)
                                         : std::filesystem::path(RIDGEPOINT_SOURCE_DIR) / ".." / "shared";
  std::filesystem::path path = root / "data" / below;
  if (std::filesystem::exists(path)) return path;
  return std::nullopt;
}

}  // namespace ridgepoint::test

/// Returns from the test case with a message when `path` (an optional) is empty.
#define RP_SKIP_WITHOUT(path, what)                           \
  if (!(path)) {                                              \
    WARN("skipped: " << (what) << " is not on this machine"); \
    SUCCEED();                                                \
    return;                                                   \
  }

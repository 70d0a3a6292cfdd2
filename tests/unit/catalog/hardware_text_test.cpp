// The catalog's YAML as text: every number states where it comes from, on its own line.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace {

const std::filesystem::path kHardware = std::filesystem::path(RIDGEPOINT_SOURCE_DIR) / "hw";

std::set<std::string> names(const std::string& kind) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kHardware / kind)) {
    CHECK(entry.path().extension() == ".yaml");
    found.insert(entry.path().stem().string());
  }
  return found;
}

}  // namespace

TEST_CASE("hardware catalog: every number has its source on its line") {
  const std::regex number(R"(^\s*(?!title:)[a-z0-9_]+:\s+-?[0-9].*)");
  const std::regex sourced(R"(^[^#]*  # source: \S.{5,}$)");
  int numbers = 0;
  for (const char* kind : {"gpus", "nodes", "fabrics"})
    for (const auto& entry : std::filesystem::directory_iterator(kHardware / kind)) {
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        if (!std::regex_match(line, number)) continue;
        ++numbers;
        INFO(entry.path().filename().string() << ": " << line);
        CHECK(std::regex_match(line, sourced));
      }
    }
  CHECK(numbers > 300);
}

TEST_CASE("hardware catalog: the devices and systems it promises are there") {
  const std::set<std::string> gpus = {"a100-40gb-sxm", "a100-80gb-sxm", "a10g",         "b200",    "gb200",
                                      "h100-pcie",     "h100-sxm",      "h200",         "l4",      "l40s",
                                      "mi300x",        "rtx-4090",      "rtx-pro-6000", "tpu-v5e", "tpu-v6e",
                                      "xeon-8480"};
  CHECK(names("gpus") == gpus);
  CHECK(names("nodes").size() >= gpus.size());
  CHECK(names("fabrics").size() == 3);
}

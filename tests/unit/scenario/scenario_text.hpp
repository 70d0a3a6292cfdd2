// Scenarios written by tests: a folder of their own, and what loading them says.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "scenario/load.hpp"

namespace ridgepoint::test {

/// A folder that is removed with its files.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ridgepoint-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline LoadOptions options(std::vector<std::string> set = {}) {
  return {std::move(set), RIDGEPOINT_SOURCE_DIR};
}

inline Scenario load_text(const std::string& text, std::vector<std::string> set = {}) {
  const Folder folder;
  return load_scenario(folder.write("s.yaml", text), options(std::move(set)));
}

/// The problems' texts with the folder left out of the file names; empty when it loads.
inline std::vector<std::string> problems_of(const std::string& text, std::vector<std::string> set = {}) {
  const Folder folder;
  try {
    load_scenario(folder.write("s.yaml", text), options(std::move(set)));
  } catch (const ConfigError& e) {
    std::vector<std::string> lines;
    for (Problem p : e.problems()) {
      if (p.file.starts_with(folder.path().string()))
        p.file = p.file.substr(folder.path().string().size() + 1);
      lines.push_back(p.text());
    }
    return lines;
  }
  return {};
}

/// All problems, one a line.
inline std::string said(const std::string& text, std::vector<std::string> set = {}) {
  std::string all;
  for (const std::string& line : problems_of(text, std::move(set))) all += line + "\n";
  return all;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A small scenario that loads; tests change it with --set.
inline const std::string kSmall = R"(cluster:
  nodes: [{type: dgx-h100, count: 1}]
deployments:
- name: chat
  model: llama-3.1-8b
  engine: {max_model_len: 8192}
workload:
  streams:
  - {name: s, rate: 2 /s, num_requests: 10, input: 100, output: 20}
)";

}  // namespace ridgepoint::test

// Collects the problems of a file while it is read, each with its place and dotted path.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "scenario/yaml_tree.hpp"

namespace ridgepoint {

/// Collects problems while it knows the dotted path of the value being read.
class Reader {
 public:
  /// `base`: the folder of the file that is read, which the paths in it are relative to.
  explicit Reader(std::filesystem::path base = {}) : base_(std::move(base)) {}
  void enter(std::string part) { path_.push_back(std::move(part)); }
  void leave() { path_.pop_back(); }
  std::string path(const std::string& below = "") const;
  /// About the value (or the key `below`) at the current path.
  void problem(const Place& place, std::string what, std::string remedy, const std::string& below = "");
  /// About a value named by its whole path; its place is looked up in `root`.
  void problem_in(const YamlNode& root, const std::string& key, std::string what, std::string remedy);
  /// Takes over the problems of another file or floor, as they are.
  void take(const ConfigError& e);
  /// Takes over problems of how a file is written, which leave every value in it readable: nothing is `bad`
  /// because of them.
  void take_bearable(std::vector<Problem> problems);
  /// Whether something is wrong at, below or above this path, so that what follows from it need not be said.
  bool bad(const std::string& path) const;
  const std::vector<Problem>& problems() const { return problems_; }
  /// Throws ConfigError with all problems, in the order of their places.
  void throw_if_any();

  /// A path as it stands in a value, made relative to `base` whatever file (relative to that file) or option
  /// (relative to the working directory) names it. Absolute paths stay.
  std::string portable(const YamlNode& n) const;

 private:
  std::filesystem::path base_;
  std::vector<std::string> path_;
  std::vector<Problem> problems_, bearable_;
};

/// Where a path that Reader::portable made leads.
std::string locate(const std::string& portable, const std::filesystem::path& base);

}  // namespace ridgepoint

#include "scenario/reader.hpp"

#include <algorithm>
#include <map>

namespace ridgepoint {

std::string Reader::path(const std::string& below) const {
  std::string s;
  for (const std::string& part : path_) s += (s.empty() ? "" : ".") + part;
  if (!below.empty()) s += (s.empty() ? "" : ".") + below;
  return s;
}

void Reader::problem(const Place& place, std::string what, std::string remedy, const std::string& below) {
  problems_.push_back(problem_at(place, path(below), std::move(what), std::move(remedy)));
}

void Reader::problem_in(const YamlNode& root, const std::string& key, std::string what, std::string remedy) {
  problems_.push_back(problem_at(place_of(root, key), key, std::move(what), std::move(remedy)));
}

void Reader::take(const ConfigError& e) {
  problems_.insert(problems_.end(), e.problems().begin(), e.problems().end());
}

void Reader::take_bearable(std::vector<Problem> problems) {
  bearable_.insert(bearable_.end(), problems.begin(), problems.end());
}

bool Reader::bad(const std::string& path) const {
  const auto within = [](const std::string& inner, const std::string& outer) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
  };
  return std::any_of(problems_.begin(), problems_.end(), [&](const Problem& p) {
    return within(p.key, path) || (!p.key.empty() && within(path, p.key));
  });
}

std::string Reader::portable(const YamlNode& n) const {
  namespace fs = std::filesystem;
  const fs::path given(n.text);
  if (given.is_absolute()) return given.lexically_normal().string();
  const auto absolute = [](const fs::path& p) {
    return (p.is_absolute() ? p : fs::current_path() / p).lexically_normal();
  };
  const bool in_file = n.place.file && n.place.line > 0;
  const fs::path folder = in_file ? fs::path(*n.place.file).parent_path() : fs::path();
  const fs::path target = absolute(folder / given);
  const fs::path from = absolute(base_ / "x").parent_path();
  const fs::path relative = target.lexically_relative(from);
  return relative.empty() ? target.string() : relative.string();
}

std::string locate(const std::string& portable, const std::filesystem::path& base) {
  const std::filesystem::path p(portable);
  return (p.is_absolute() ? p : base / p).lexically_normal().string();
}

void Reader::throw_if_any() {
  problems_.insert(problems_.begin(), bearable_.begin(), bearable_.end());
  bearable_.clear();
  if (problems_.empty()) return;
  std::map<std::string, std::size_t> order;  // files in the order in which they were first mentioned
  for (const Problem& p : problems_) order.try_emplace(p.file, order.size());
  std::stable_sort(problems_.begin(), problems_.end(), [&](const Problem& a, const Problem& b) {
    if (a.file != b.file) return order.at(a.file) < order.at(b.file);
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  throw ConfigError(problems_);
}

}  // namespace ridgepoint

#include "scenario/strict_yaml.hpp"

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
  if (problems_.empty()) return;
  std::map<std::string, std::size_t> order;  // files in the order in which they were first mentioned
  for (const Problem& p : problems_) order.try_emplace(p.file, order.size());
  std::stable_sort(problems_.begin(), problems_.end(), [&](const Problem& a, const Problem& b) {
    if (a.file != b.file) return order.at(a.file) < order.at(b.file);
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  throw ConfigError(problems_);
}

std::string kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return "`" + node.text + "`";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
  }
  return "";
}

void allow_null(Json& schema) {
  if (!schema.contains("type")) {
    if (!schema.contains("enum")) schema = {{"anyOf", Json::array({schema, Json{{"type", "null"}}})}};
    return;
  }
  if (schema["type"].is_string()) schema["type"] = Json::array({schema["type"], "null"});
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
}

bool Variant::takes(const std::string& key) const {
  return std::find(required.begin(), required.end(), key) != required.end() ||
         std::find(optional.begin(), optional.end(), key) != optional.end();
}

void report_unknown_key(const YamlEntry& e, const std::vector<std::string>& known, const std::string& table,
                        Reader& r) {
  const std::string near = nearest_name(e.key, known);
  std::string remedy = "keys of " + table + " are: ";
  for (std::size_t i = 0; i < known.size(); ++i) remedy += (i == 0 ? "" : ", ") + known[i];
  if (!near.empty()) remedy = "did you mean `" + near + "`?";
  r.problem(e.place, "unknown key", remedy, e.key);
}

void report_variant_keys(const YamlNode& map, const Variant& v, const std::string& tag,
                         const std::set<std::string>& particular, Reader& r) {
  const std::string kind = tag + ": " + v.name;
  for (const std::string& key : v.required)
    if (map.entry(key) == nullptr) r.problem(map.place, "missing with `" + kind + "`", "give " + key, key);
  for (const YamlEntry& e : map.entries) {
    if (!particular.contains(e.key) || v.takes(e.key)) continue;
    std::string keys;
    for (const auto* list : {&v.required, &v.optional})
      for (const std::string& key : *list) keys += (keys.empty() ? "" : ", ") + key;
    r.problem(e.place, "has no meaning with `" + kind + "`",
              keys.empty() ? "leave it out; this kind has no keys of its own" : "its own keys are: " + keys,
              e.key);
  }
}

}  // namespace ridgepoint

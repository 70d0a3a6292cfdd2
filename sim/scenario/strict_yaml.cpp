#include "scenario/strict_yaml.hpp"

#include <algorithm>

namespace ridgepoint {

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

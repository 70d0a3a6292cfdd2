#include "scenario/load.hpp"

#include <algorithm>
#include <memory>

#include "scenario/document.hpp"
#include "scenario/resolve.hpp"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxExtends = 16;

/// A file with everything it extends below it. `chain` holds the files on the way here.
YamlNode read_with_bases(const fs::path& file, std::vector<fs::path>& chain, Reader& r) {
  std::vector<Problem> bearable;
  YamlNode tree = parse_yaml_file(file, bearable);
  r.take_bearable(std::move(bearable));
  const YamlEntry* entry = tree.entry("extends");
  if (entry == nullptr) return tree;
  const YamlEntry extends = *entry;
  std::erase_if(tree.entries, [](const YamlEntry& e) { return e.key == "extends"; });
  const auto refuse = [&](std::string what, std::string remedy) {
    r.problem(extends.value.place, std::move(what), std::move(remedy), "extends");
    return tree;
  };
  if (extends.value.kind != YamlNode::Kind::scalar || extends.value.text.empty())
    return refuse("expected a path, found " + kind_name(extends.value), "give the path of one scenario file");
  const fs::path base =
      (file.parent_path() / extends.value.text).lexically_normal();  // an absolute path replaces the folder
  std::error_code error;
  const fs::path identity = fs::weakly_canonical(base, error);
  chain.push_back(fs::weakly_canonical(file, error));
  if (std::find(chain.begin(), chain.end(), identity) != chain.end())
    return refuse("the files extend each other in a circle: `" + extends.value.text + "` leads back here",
                  "let one of them stand alone");
  if (chain.size() >= kMaxExtends)
    return refuse("more than " + std::to_string(kMaxExtends) + " files extend one another", "flatten them");
  if (!fs::is_regular_file(base, error))
    return refuse("there is no file `" + base.string() + "`",
                  "paths are relative to the file that names them");
  try {
    YamlNode below = read_with_bases(base, chain, r);
    return merge_yaml(std::move(below), std::move(tree));
  } catch (const ConfigError& e) {
    r.take(e);
    if (!r.bad("extends"))
      r.problem(extends.value.place, "the file it names has problems, listed apart", "correct that file",
                "extends");
  }
  return tree;
}

void apply_set(YamlNode& tree, const std::string& argument, Reader& r) {
  const auto origin = std::make_shared<const std::string>("--set");
  const std::size_t equals = argument.find('=');
  const std::string key = argument.substr(0, equals);
  const auto refuse = [&](std::string what, std::string remedy) {
    r.problem({origin, 0, 0}, std::move(what), std::move(remedy), key);
  };
  if (equals == std::string::npos || key.empty())
    return refuse("not of the form key=value", "write it as a.b.0.c=value");
  if (key == "extends" || key.starts_with("extends."))
    return refuse("what a file extends cannot be set", "name the other file instead");
  try {
    const std::string remedy = set_yaml(tree, key, parse_yaml_value(argument.substr(equals + 1), *origin));
    if (!remedy.empty()) refuse("there is no such place in the scenario", remedy);
  } catch (const ConfigError& e) {
    for (const Problem& p : e.problems()) refuse(p.what, p.remedy);
  }
}

/// Moves `required` of everything that another file may supply out of the way: see scenario_schema.
Json take_required(Json& schema) {
  Json out = Json::object();
  if (!schema.contains("properties")) return out;
  if (schema.contains("required")) {
    out["required"] = schema["required"];
    schema.erase("required");
  }
  for (auto& [key, value] : schema["properties"].items()) {
    Json below = take_required(value);
    if (!below.empty()) out["properties"][key] = std::move(below);
  }
  return out;
}

}  // namespace

Scenario load_scenario(const fs::path& file, const LoadOptions& options) {
  const fs::path base = file.parent_path();
  Reader r(base);
  std::vector<fs::path> chain;
  YamlNode tree = read_with_bases(file, chain, r);
  for (const std::string& argument : options.set) apply_set(tree, argument, r);
  // A file below this one that could not be read leaves holes: each would be reported as a key that is
  // missing.
  if (r.bad("extends")) r.throw_if_any();
  std::optional<ScenarioDoc> doc = scenario_table().read(tree, r);
  if (doc->name.empty()) doc->name = file.stem().string();
  const fs::path root = options.data_root.empty() ? find_data_root() : options.data_root;
  Scenario scenario = resolve(*doc, {tree, root, base, r});
  r.throw_if_any();
  scenario.resolved_yaml = emit_yaml(scenario_table().write(*doc));
  return scenario;
}

std::string scenario_schema() {
  Json j = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Ridgepoint scenario"}};
  Json table = scenario_table().schema();
  Json required = take_required(table);
  j.update(table);
  j["properties"]["extends"] = {
      {"type", "string"}, {"description", "Another scenario that this one changes; relative to this file"}};
  // With `extends` the other file may supply what is required here.
  j["if"] = {{"required", Json::array({"extends"})}};
  j["else"] = std::move(required);
  return j.dump(2) + "\n";
}

}  // namespace ridgepoint

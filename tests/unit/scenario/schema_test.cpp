// The JSON Schema comes from the table that parses; so every shipped scenario's keys must be in it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "scenario/yaml_tree.hpp"
#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using Schema = nlohmann::json;

namespace {
/// Whether some reading of the schema has a place for every key of the node.
bool covers(const Schema& schema, const YamlNode& node) {
  for (const char* alternatives : {"anyOf", "oneOf"})
    if (schema.contains(alternatives)) {
      for (const Schema& s : schema[alternatives])
        if (covers(s, node)) return true;
      return false;
    }
  if (node.kind == YamlNode::Kind::list) {
    if (!schema.contains("items")) return false;
    for (const YamlNode& item : node.items)
      if (!covers(schema["items"], item)) return false;
    return true;
  }
  if (node.kind != YamlNode::Kind::map) return !schema.contains("properties");
  if (schema.contains("const") || schema.contains("enum")) return false;
  for (const YamlEntry& e : node.entries) {
    const bool listed = schema.contains("properties") && schema["properties"].contains(e.key);
    const bool open = schema.contains("additionalProperties") && schema["additionalProperties"].is_object();
    if (!listed && !open) return false;
    if (!covers(listed ? schema["properties"][e.key] : schema["additionalProperties"], e.value)) return false;
  }
  for (const auto& key : schema.value("required", Schema::array()))
    if (node.entry(key.get<std::string>()) == nullptr) return false;
  return true;
}
}  // namespace

TEST_CASE("schema: has a place for every key of every shipped scenario") {
  const Schema schema = Schema::parse(scenario_schema());
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  int files = 0;
  for (const auto& f : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(RIDGEPOINT_SOURCE_DIR) / "scenarios")) {
    if (f.path().extension() != ".yaml") continue;
    INFO(f.path().string());
    CHECK(covers(schema, parse_yaml_file(f.path())));
    ++files;
  }
  CHECK(files > 0);
}

TEST_CASE("schema: has a place for the resolved text, and none for a misspelt key") {
  const Schema schema = Schema::parse(scenario_schema());
  CHECK(covers(schema, parse_yaml(load_text(kSmall).resolved_yaml, "r.yaml")));
  YamlNode tree = parse_yaml(kSmall, "s.yaml");
  set_yaml(tree, "deployments.0.engine.max_num_seq", YamlNode::scalar("5"));
  CHECK_FALSE(covers(schema, tree));
}

TEST_CASE("schema: quantities are patterns, choices are enumerations, defaults and descriptions are there") {
  const Schema schema = Schema::parse(scenario_schema());
  const Schema& run = schema["properties"]["run"]["properties"];
  CHECK(run["warmup"]["default"] == "0 s");
  CHECK(run["warmup"]["pattern"].get<std::string>().find("ms") != std::string::npos);
  CHECK(run["record"]["properties"]["steps"]["default"] == false);
  const Schema& engine = schema["properties"]["deployments"]["items"]["properties"]["engine"]["properties"];
  const auto versions = engine["engine_version"]["enum"].get<std::set<std::string>>();
  CHECK(versions.size() == engine["engine_version"]["enum"].size());
  for (const std::string& v : engine_version_names()) CHECK(versions.contains(v));
  CHECK(versions.contains("vllm-0.19.0"));  // a patch release under its full name
  CHECK(engine["block_size"]["description"].get<std::string>().find("Tokens") != std::string::npos);
  const Schema& stream = schema["properties"]["workload"]["properties"]["streams"]["items"]["properties"];
  CHECK(stream["trace"]["properties"]["overlong"]["description"].get<std::string>().find(
            "reject: left out and counted as dropped") != std::string::npos);
  CHECK(schema["else"]["required"] == Schema::array({"cluster", "deployments", "workload"}));
}

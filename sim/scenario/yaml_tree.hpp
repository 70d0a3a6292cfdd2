// A YAML file as a tree in which every key and value knows its place, after everything doubtful was refused.
// Text only: types and units are the business of strict_yaml.hpp.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"

namespace ridgepoint {

struct Place {
  std::shared_ptr<const std::string> file;  ///< a path, or "--set"; null = made by the program
  int line = 0, column = 0;                 ///< 1-based; 0 = unknown
};
Problem problem_at(const Place& place, std::string key, std::string what, std::string remedy);

struct YamlEntry;
struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false;  ///< scalar written with quotes or as a block
  Place place;
  std::string text;  ///< of a scalar
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  ///< in file order, keys unique

  const YamlEntry* entry(std::string_view key) const;
  static YamlNode scalar(std::string text, bool quoted = false);
  static YamlNode map();
  static YamlNode list();
  void set(std::string key, YamlNode value);  ///< adds or replaces
};
struct YamlEntry {
  std::string key;
  Place place;
  YamlNode value;
};

/// Parses one document whose root is a map. Refused, each with its place: anything but UTF-8 text, more than
/// 1 MiB, 50,000 nodes or 64 levels, several documents, an empty file, tabs as indentation, duplicate keys,
/// keys that are not plain words, merge keys, explicit tags, anchors that contain themselves. Aliases are
/// plain copies and count towards the number of nodes. Throws ConfigError with every problem it could reach.
YamlNode parse_yaml(std::string_view text, const std::string& file_name);
YamlNode parse_yaml_file(const std::filesystem::path& file);
/// The same, but throws only when nothing can be made of the text. Problems that leave a readable tree are
/// put into `bearable`: of a duplicate key the first is kept, a merge key is read as what it means, an
/// explicit tag or a key that is no word is passed over.
YamlNode parse_yaml(std::string_view text, const std::string& file_name, std::vector<Problem>& bearable);
YamlNode parse_yaml_file(const std::filesystem::path& file, std::vector<Problem>& bearable);
/// The value part of `--set key=value`: any YAML value.
YamlNode parse_yaml_value(std::string_view text, const std::string& origin);

/// `over` on top of `base`: maps are merged, everything else is replaced. A map that chooses another `type`,
/// `process` or `format` than its base replaces it whole, since the other kind's keys would mean nothing.
YamlNode merge_yaml(YamlNode base, YamlNode over);

/// Puts `value` at the dotted path. Missing map keys are made; a list index must exist or be the next one.
/// Returns the remedy when it cannot, else nothing, and then nothing was changed.
std::string set_yaml(YamlNode& root, const std::string& dotted, const YamlNode& value);

/// The place of the deepest node that exists along the dotted path.
Place place_of(const YamlNode& root, const std::string& dotted);

/// Block style, two spaces, deterministic; quotes wherever a plain scalar could be read as something else.
std::string emit_yaml(const YamlNode& root);

}  // namespace ridgepoint

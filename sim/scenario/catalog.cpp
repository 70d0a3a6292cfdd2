// The files of hw/ and workloads/models: one table for each kind of file, keys named as the struct's fields.
#include <algorithm>
#include <cstdlib>

#include "scenario/catalog_tables.hpp"
#include "scenario/config_json.hpp"
#include "scenario/load.hpp"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string_view name, folder, extension, noun;
};
constexpr Kind kKinds[] = {
    {"gpus", "hw/gpus", ".yaml", "GPU"},
    {"nodes", "hw/nodes", ".yaml", "node"},
    {"fabrics", "hw/fabrics", ".yaml", "fabric"},
    {"calibrations", "hw/calibrations", ".yaml", "calibration"},
    {"models", "workloads/models", ".json", "model"},
};

const Kind& kind_of(const std::string& name) {
  for (const Kind& k : kKinds)
    if (k.name == name) return k;
  throw ConfigError("unknown kind of catalog entry `" + name + "`",
                    "one of: gpus, nodes, fabrics, calibrations, models");
}

/// The file of a catalog entry, or a ConfigError that names the nearest one.
fs::path file_of(const fs::path& root, const std::string& kind, const std::string& name) {
  const Kind& k = kind_of(kind);
  const bool plain = name.find('/') == std::string::npos && name.find("..") == std::string::npos;
  const fs::path file = root / k.folder / (name + std::string(k.extension));
  std::error_code error;
  if (plain && !name.empty() && fs::is_regular_file(file, error)) return file;
  const std::vector<std::string> names = catalog_names(root, kind);
  const std::string near = nearest_name(name, names);
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  throw ConfigError("there is no " + std::string(k.noun) + " `" + name + "` in " + std::string(k.folder),
                    !near.empty()   ? "did you mean `" + near + "`?"
                    : names.empty() ? "that folder holds none; is the data folder the right one?"
                                    : "known: " + all);
}

/// A path rather than a name of the catalog.
bool is_path(const std::string& text, std::string_view extension) {
  return text.find('/') != std::string::npos || text.ends_with(extension);
}

/// One file through its table; its name is the entry's, or the file's without extension.
template <class T>
T read_entry(const fs::path& root, const std::string& kind, const std::string& name_or_path,
             const Table<T>& table) {
  const bool own = is_path(name_or_path, kind_of(kind).extension);
  const fs::path file = own ? fs::path(name_or_path) : file_of(root, kind, name_or_path);
  const std::string name = own ? file.stem().string() : name_or_path;
  std::vector<Problem> bearable;
  const YamlNode tree = parse_yaml_file(file, bearable);
  Reader r;
  r.take_bearable(std::move(bearable));
  std::optional<T> entry = table.read(tree, r);
  if (entry && !entry->name.empty() && entry->name != name)
    r.problem_in(tree, "name", "differs from the file's name, `" + name + "`", "leave it out");
  r.throw_if_any();
  entry->name = name;
  return *entry;
}

}  // namespace

Gpu load_gpu(const fs::path& root, const std::string& name) {
  return read_entry(root, "gpus", name, gpu_table());
}
Node load_node(const fs::path& root, const std::string& name) {
  return read_entry(root, "nodes", name, node_table());
}
Fabric load_fabric(const fs::path& root, const std::string& name) {
  return read_entry(root, "fabrics", name, fabric_table());
}
Calibration load_calibration(const fs::path& root, const std::string& name) {
  return read_entry(root, "calibrations", name, calibration_table());
}

Model load_model(const fs::path& root, const std::string& name_or_path) {
  if (is_path(name_or_path, ".json")) {
    fs::path file = name_or_path;
    std::error_code error;
    if (fs::is_directory(file, error)) file /= "config.json";
    return read_config_json(file);
  }
  Model m = read_config_json(file_of(root, "models", name_or_path));
  m.name = name_or_path;
  return m;
}

std::vector<std::string> catalog_names(const fs::path& root, const std::string& kind) {
  const Kind& k = kind_of(kind);
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / k.folder, error))
    if (entry.path().extension() == k.extension) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_data_root() {
  const auto holds_data = [](const fs::path& p) {
    std::error_code error;
    return fs::is_directory(p / "hw", error) && fs::is_directory(p / "workloads", error);
  };
  if (const char* home = std::getenv("RIDGEPOINT_HOME"); home != nullptr && *home != '\0') {
    if (holds_data(home)) return home;
    throw ConfigError("RIDGEPOINT_HOME is `" + std::string(home) + "`, which holds no hw/ and workloads/",
                      "point it at the folder that does, or unset it");
  }
  std::error_code error;
  for (fs::path p = fs::read_symlink("/proc/self/exe", error).parent_path(); !p.empty();
       p = p.parent_path()) {
    if (holds_data(p)) return p;
    if (p == p.root_path()) break;
  }
  const fs::path source = RIDGEPOINT_SOURCE_DIR;
  if (holds_data(source)) return source;
  throw ConfigError("the catalog (hw/ and workloads/) was not found",
                    "set RIDGEPOINT_HOME to the folder that holds it");
}

}  // namespace ridgepoint

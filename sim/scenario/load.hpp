// The only reader of YAML and config.json: a file in, a resolved Scenario out, or every problem of it at
// once.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "spec/scenario.hpp"

namespace ridgepoint {

struct LoadOptions {
  std::vector<std::string> set;     ///< "a.b.0.c=value", applied in order after `extends`
  std::filesystem::path data_root;  ///< holds hw/ and workloads/; empty = find_data_root()
};

/// Throws ConfigError with all problems. Reads hw/, workloads/models and config.json files; opens no trace.
Scenario load_scenario(const std::filesystem::path& file, const LoadOptions& options = {});

/// $RIDGEPOINT_HOME, else the folder above the executable that holds hw/, else the source tree it was built
/// from.
std::filesystem::path find_data_root();

/// Each takes a catalog name, or the path of a file of one's own; what that names by a path stands relative
/// to it.
Gpu load_gpu(const std::filesystem::path& root, const std::string& name);
Node load_node(const std::filesystem::path& root, const std::string& name);
Fabric load_fabric(const std::filesystem::path& root, const std::string& name);
Calibration load_calibration(const std::filesystem::path& root, const std::string& name);
/// A catalog name or a path to a Hugging Face config.json.
Model load_model(const std::filesystem::path& root, const std::string& name_or_path);
/// Names of the catalog's files, sorted: kind is gpus, nodes, fabrics, calibrations or models.
std::vector<std::string> catalog_names(const std::filesystem::path& root, const std::string& kind);

/// JSON Schema (draft 2020-12) of the scenario file, generated from the table that parses it.
std::string scenario_schema();

}  // namespace ridgepoint

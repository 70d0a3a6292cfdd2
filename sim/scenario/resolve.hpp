// From the document to the Scenario: names looked up, defaults filled in, replicas placed, combinations
// checked. Everything that is filled in is also filled into the document, which then is the resolved one.
#pragma once
#include <filesystem>
#include <string>

#include "scenario/document.hpp"

namespace ridgepoint {

inline constexpr double kLongestRun = 36525.0 * 24 * 3600;  ///< s; what a duration may be at most

/// What every step of resolving needs: the tree, for places, and the list of problems.
struct ResolveContext {
  const YamlNode& root;
  const std::filesystem::path& data_root;
  const std::filesystem::path& base;  ///< the scenario's folder
  Reader& reader;
  void problem(const std::string& key, std::string what, std::string remedy) const {
    reader.problem_in(root, key, std::move(what), std::move(remedy));
  }
  /// Takes over problems from another reader; those without a place of their own happened at `key`.
  void take(const ConfigError& e, const std::string& key) const;
  bool bad(const std::string& key) const { return reader.bad(key); }
};

Scenario resolve(ScenarioDoc& doc, const ResolveContext& context);

/// Engine settings for this model on this device; adapts the model's formats to the engine's.
/// `key` is the path of the engine's map.
Engine resolve_engine(EngineDoc& doc, Model& model, const Gpu& gpu, const std::string& key,
                      const ResolveContext& context);

/// What can be said about the settings of an engine whose device, model (null) or other settings are not
/// known because they have problems of their own.
void check_engine(EngineDoc& doc, Model* model, const std::string& key, const ResolveContext& context);

/// Puts every deployment's replicas on GPUs, packed in the order of the file. Deployments whose settings have
/// problems are left without placements.
void place_replicas(Scenario& scenario, const ScenarioDoc& doc, const ResolveContext& context);

/// The streams' part; deployments must have their names, as far as they could be read.
Workload resolve_workload(WorkloadDoc& doc, const Scenario& scenario, const ResolveContext& context);

/// "; did you mean ..." or the list of what there is.
std::string choose_from(const std::string& given, const std::vector<std::string>& names,
                        const std::string& none);

}  // namespace ridgepoint

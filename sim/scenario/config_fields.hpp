// Strict access to a JSON object's fields: every wrong or missing value becomes a Problem, none is guessed.
#pragma once
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace ridgepoint {

/// Parses a JSON file. Throws ConfigError (with line and column where there is one) for a file that cannot be
/// read, text that is not JSON, duplicate keys, numbers that no double holds, nesting deeper than 64, or a
/// top level that is not an object.
nlohmann::json parse_json_file(const std::filesystem::path& file);

/// One object of a config.json, and where it stands in it. A value of null counts as absent, as it does for
/// the framework that wrote the file. Getters that find a problem record it and return a harmless stand-in.
class ConfigFields {
 public:
  ConfigFields(const nlohmann::json& object, std::string file, std::vector<Problem>& problems,
               std::string prefix = "")
      : object_(&object), file_(std::move(file)), problems_(&problems), prefix_(std::move(prefix)) {}

  bool has(const std::string& key) const;
  bool states_null(const std::string& key) const { return object_->contains(key) && at(key).is_null(); }
  const nlohmann::json& at(const std::string& key) const { return object_->at(key); }
  /// The first of `keys` that is present; the first of all where none is.
  std::string first_of(std::initializer_list<const char*> keys) const;

  /// A whole number in [least, most]; `absent` where the key is missing, which is a problem without it.
  int integer(const std::string& key, int least, int most, std::optional<int> absent = {}) const;
  double number(const std::string& key, double least, double most) const;
  bool boolean(const std::string& key, bool absent) const;
  std::string text(const std::string& key, std::optional<std::string> absent = {}) const;
  std::optional<ConfigFields> object(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;  ///< a list of strings; empty where absent

  void problem(const std::string& key, std::string what, std::string remedy) const;

 private:
  bool missing(const std::string& key, bool has_default, const std::string& wanted) const;
  const nlohmann::json* object_;
  std::string file_;
  std::vector<Problem>* problems_;
  std::string prefix_;
};

/// A JSON value as an error message shows it: one line, shortened.
std::string shown(const nlohmann::json& value);

}  // namespace ridgepoint

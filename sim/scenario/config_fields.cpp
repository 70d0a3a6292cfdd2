// JSON text to checked fields; see the header.
#include "scenario/config_fields.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

namespace ridgepoint {
namespace {

constexpr int kMostNesting = 64;                 // published files nest four deep
constexpr std::uintmax_t kMostBytes = 16 << 20;  // and hold a few kilobytes

[[noreturn]] void refuse(const std::string& file, std::string key, std::string what, std::string remedy,
                         int line = 0, int column = 0) {
  throw ConfigError(
      std::vector<Problem>{{file, line, column, std::move(key), std::move(what), std::move(remedy)}});
}

std::string read_whole(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    refuse(file, "", "is a directory", "name the config.json in it");
  if (!std::filesystem::is_regular_file(path, error))
    refuse(file, "", "no such file", "give the path of a Hugging Face config.json");
  if (std::filesystem::file_size(path, error) > kMostBytes)
    refuse(file, "", "is larger than 16 MiB", "give a config.json, not the weights or the tokenizer");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) refuse(file, "", "cannot be read, or is empty", "check that it holds JSON and may be opened");
  return text.str();
}

/// Refuses duplicate keys (the library keeps the last one silently) and deep nesting while parsing.
struct StrictEvents {
  std::string file;
  std::vector<std::set<std::string>> open;
  bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > kMostNesting)
      refuse(file, "", "is nested more than " + std::to_string(kMostNesting) + " deep",
             "a config.json nests a few levels");
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(value.get<std::string>()).second)
      refuse(file, value.get<std::string>(), "stands twice in the same object", "keep one of the two");
    return true;
  }
};

}  // namespace

nlohmann::json parse_json_file(const std::filesystem::path& path) {
  const std::string text = read_whole(path);
  const std::string file = path.string();
  try {
    nlohmann::json root = nlohmann::json::parse(text, StrictEvents{file, {}});
    if (!root.is_object())
      refuse(file, "", "is not a JSON object", "it must be {...} with the model's fields");
    return root;
  } catch (const nlohmann::json::parse_error& e) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(e.byte, text.size()));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    const auto start = std::find(std::make_reverse_iterator(end), text.rend(), '\n').base();
    refuse(file, "", "is not valid JSON here",
           "strict JSON is needed: double quotes, no comments, no trailing commas, no NaN or Infinity",
           static_cast<int>(line), static_cast<int>(std::max<std::ptrdiff_t>(1, end - start)));
  } catch (const nlohmann::json::exception&) {
    refuse(file, "", "holds a number too large for any machine", "write numbers that fit a double");
  }
}

std::string shown(const nlohmann::json& value) {
  std::string s = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (s.size() > 60) s = s.substr(0, 57) + "...";
  return s;
}

bool ConfigFields::has(const std::string& key) const {
  const auto it = object_->find(key);
  return it != object_->end() && !it->is_null();
}

std::string ConfigFields::first_of(std::initializer_list<const char*> keys) const {
  for (const char* key : keys)
    if (has(key)) return key;
  return *keys.begin();
}

void ConfigFields::problem(const std::string& key, std::string what, std::string remedy) const {
  problems_->push_back({file_, 0, 0, prefix_ + key, std::move(what), std::move(remedy)});
}

bool ConfigFields::missing(const std::string& key, bool has_default, const std::string& wanted) const {
  if (has(key)) return false;
  if (!has_default) problem(key, "is missing", "it must be " + wanted);
  return true;
}

int ConfigFields::integer(const std::string& key, int least, int most, std::optional<int> absent) const {
  const std::string wanted =
      "a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ", without quotes";
  if (missing(key, absent.has_value(), wanted)) return absent.value_or(least);
  const nlohmann::json& v = at(key);
  // An unsigned beyond the signed range would wrap in get<int64_t>.
  const bool fits = v.is_number_integer() && (!v.is_number_unsigned() || v.get<std::uint64_t>() <= INT64_MAX);
  if (fits && v.get<std::int64_t>() >= least && v.get<std::int64_t>() <= most) return v.get<int>();
  problem(key, "is " + shown(v), "it must be " + wanted);
  return least;
}

double ConfigFields::number(const std::string& key, double least, double most) const {
  std::ostringstream wanted;
  wanted << "a number from " << least << " to " << most << ", without quotes";
  if (missing(key, false, wanted.str())) return least;
  const nlohmann::json& v = at(key);
  if (v.is_number() && v.get<double>() >= least && v.get<double>() <= most) return v.get<double>();
  problem(key, "is " + shown(v), "it must be " + wanted.str());
  return least;
}

bool ConfigFields::boolean(const std::string& key, bool absent) const {
  if (!has(key)) return absent;
  if (at(key).is_boolean()) return at(key).get<bool>();
  problem(key, "is " + shown(at(key)), "it must be true or false, without quotes");
  return absent;
}

std::string ConfigFields::text(const std::string& key, std::optional<std::string> absent) const {
  if (missing(key, absent.has_value(), "a string")) return absent.value_or("");
  if (at(key).is_string()) return at(key).get<std::string>();
  problem(key, "is " + shown(at(key)), "it must be a string");
  return absent.value_or("");
}

std::optional<ConfigFields> ConfigFields::object(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (at(key).is_object()) return ConfigFields(at(key), file_, *problems_, prefix_ + key + ".");
  problem(key, "is " + shown(at(key)), "it must be an object {...}");
  return std::nullopt;
}

std::vector<std::string> ConfigFields::texts(const std::string& key) const {
  if (!has(key)) return {};
  const nlohmann::json& v = at(key);
  const bool all =
      v.is_array() && std::all_of(v.begin(), v.end(), [](const auto& e) { return e.is_string(); });
  if (all) return v.get<std::vector<std::string>>();
  problem(key, "is " + shown(v), "it must be a list of strings");
  return {};
}

}  // namespace ridgepoint

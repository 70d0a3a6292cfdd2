// A YAML file's text, whatever the path leads to: a missing file, a folder and a device without an end are
// one clear problem.
#include <fstream>

#include "scenario/yaml_text.hpp"
#include "scenario/yaml_tree.hpp"

namespace ridgepoint {

YamlNode parse_yaml_file(const std::filesystem::path& path, std::vector<Problem>& bearable) {
  const auto file = std::make_shared<const std::string>(path.string());
  const auto refuse = [&](std::string what, std::string remedy) {
    throw ConfigError({problem_at({file, 0, 0}, "", std::move(what), std::move(remedy))});
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse("there is no such file", "give the path of a YAML file");
  if (std::filesystem::is_directory(status)) refuse("this is a folder", "give the path of a YAML file");
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse("the file cannot be opened", "check its permissions");
  std::string text(kMaxYamlBytes + 1,
                   '\0');  // one more than allowed, so that a device or a huge file ends here
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return parse_yaml(text, path.string(), bearable);
}

YamlNode parse_yaml_file(const std::filesystem::path& path) {
  std::vector<Problem> problems;
  YamlNode root = parse_yaml_file(path, problems);
  if (!problems.empty()) throw ConfigError(problems);
  return root;
}

}  // namespace ridgepoint

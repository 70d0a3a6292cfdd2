#include "base/errors.hpp"

#include <algorithm>
#include <numeric>

namespace ridgepoint {

std::string Problem::text() const {
  std::string s;
  if (!file.empty()) {
    s += file;
    if (line > 0) s += ":" + std::to_string(line) + ":" + std::to_string(column);
    s += ": ";
  }
  if (!key.empty()) s += key + ": ";
  s += what;
  if (!remedy.empty()) s += "; " + remedy;
  return s;
}

namespace {
std::string join(const std::vector<Problem>& problems) {
  std::string s;
  for (const Problem& p : problems) s += (s.empty() ? "" : "\n") + p.text();
  return s;
}
}  // namespace

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(join(problems)), problems_(std::move(problems)) {}

ConfigError::ConfigError(std::string what, std::string remedy)
    : ConfigError(std::vector<Problem>{Problem{"", 0, 0, "", std::move(what), std::move(remedy)}}) {}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = name.size() / 3 + 2;
  for (const std::string& c : candidates) {
    std::vector<std::size_t> row(c.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < c.size(); ++j) {
        const std::size_t substituted = diagonal + (name[i] == c[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = c;
    }
  }
  return best;
}

}  // namespace ridgepoint

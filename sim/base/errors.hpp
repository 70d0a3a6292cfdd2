// The two kinds of failure a user meets. Libraries throw, main exits.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace ridgepoint {

/// One thing wrong with what the user gave: where, what, and what would be right.
struct Problem {
  std::string file;  ///< empty when it did not come from a file
  int line = 0;      ///< 1-based; 0 = unknown
  int column = 0;
  std::string key;     ///< dotted path, e.g. deployments.0.engine.block_size
  std::string what;    ///< what is wrong
  std::string remedy;  ///< what would be right
  /// `file:line:column: key: what; remedy`, parts that are unknown left out.
  std::string text() const;
};

/// Bad input. Exit code 2, nothing written. Holds every problem found, not just the first.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Problem> problems);
  /// One problem without a place in a file.
  ConfigError(std::string what, std::string remedy);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// A run that cannot go on. Exit code 3.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The name in `candidates` nearest to `name` by edit distance, or empty when none is near (distance > 1/3
/// length + 1).
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace ridgepoint

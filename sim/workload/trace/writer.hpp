// Rows of this project's own CSV, and the file they are written to.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "base/output_file.hpp"
#include "workload/trace/reader.hpp"

namespace ridgepoint {

std::string_view csv_header(bool wide);  ///< with its line end
/// Nanoseconds as seconds, exactly, without needless zeros: 12.5, 0, 0.000000001.
void append_seconds(std::string& out, std::int64_t nanos);
/// All rows of the unit, from behind the arrival of the first: ",374,44\n". `number` names a session that has
/// no name of its own.
void append_rows(std::string& out, const TraceUnit& unit, bool wide, std::int64_t number);

/// A text file that appears under its name only when it is complete; *.gz and *.zst are compressed.
class TraceOutput {
 public:
  /// Throws ConfigError when it cannot be created.
  explicit TraceOutput(const std::filesystem::path& path);
  ~TraceOutput();  ///< removes what was not completed
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;
  const std::string& temporary() const { return output_.temporary(); }
  void write(std::string_view text);  ///< throws ConfigError when it cannot be written
  void complete();                    ///< throws ConfigError when not all could be written

 private:
  struct Descriptor;
  void check() const;
  OutputFile output_;
  std::unique_ptr<Descriptor> descriptor_;
  std::unique_ptr<std::ostream> out_;
};

}  // namespace ridgepoint

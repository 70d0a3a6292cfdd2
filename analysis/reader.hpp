// Reads result files, also foreign, truncated and hostile ones: every surprise is a ConfigError naming the
// file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/hdf5_file.hpp"

namespace ridgepoint::analysis {

/// Throws ConfigError "file: what; a file written by `ridgepoint run` is expected".
[[noreturn]] void refuse(const std::string& file, const std::string& what);

/// What a column may hold; everything else is damage. 9.3e18: beyond the largest 64-bit count, of nanoseconds
/// say.
struct Range {
  double least = 0, most = 9.3e18;
  bool may_lack = false;  ///< NaN: there is no value
};

/// A numeric dataset of one or two dimensions, read by rows as doubles.
class NumberColumn {
 public:
  std::int64_t rows() const { return rows_; }
  std::int64_t width() const { return width_; }  ///< values a row
  /// Rows from `first` on; into.size() is a multiple of the width. Refuses values out of the range.
  void read(std::int64_t first, std::span<double> into) const;

 private:
  friend class ResultReader;
  h5::Handle handle_;
  std::string file_, path_;
  Range range_;
  std::int64_t rows_ = 0, width_ = 1;
  bool flat_ = true;
};

class ResultReader {
 public:
  /// Checks that it is a result file of a version that this program knows.
  explicit ResultReader(const std::filesystem::path& file);
  const std::string& name() const { return name_; }
  bool has(const std::string& path) const;
  /// rows: how many it must have; -1 = any.
  NumberColumn column(const std::string& path, std::int64_t rows = -1, Range range = {}) const;
  /// All values of a small dataset (at most a million), none below zero.
  std::vector<double> values(const std::string& path, std::int64_t rows = -1) const;
  // Attributes of the object at `path`; empty where there is none of that name and kind.
  /// A number that is neither negative nor beyond what can be counted; `otherwise` where there is none.
  double amount(const std::string& path, const std::string& attribute, double otherwise = 0) const;
  std::optional<double> number(const std::string& path, const std::string& attribute) const;
  std::vector<double> numbers(const std::string& path, const std::string& attribute) const;
  std::vector<std::string> texts(const std::string& path, const std::string& attribute) const;
  std::string text(const std::string& path, const std::string& attribute) const;

 private:
  h5::Handle attribute(const std::string& path, const std::string& attribute) const;
  std::string name_;
  std::uintmax_t size_ = 0;  ///< bytes of the file
  h5::Handle file_;
};

}  // namespace ridgepoint::analysis

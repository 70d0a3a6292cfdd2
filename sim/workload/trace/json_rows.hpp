// JSON objects of a trace, one at a time: from lines (JSONL) or from the elements of one array.
#pragma once
#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/trace/line_reader.hpp"

namespace ridgepoint {

/// One parsed object and where it came from, with readers for its members that refuse what does not fit.
class JsonRow {
 public:
  explicit JsonRow(std::string path) : path_(std::move(path)) {}
  /// Throws ConfigError when the text is not one JSON object.
  void parse(std::string_view text, int line);
  int line() const { return line_; }
  const simdjson::dom::object& object() const { return object_; }
  [[noreturn]] void refuse(std::string what, std::string remedy) const;

  using Object = simdjson::dom::object;
  bool has(const Object& o, const char* key) const { return !o[key].error() && !o[key].is_null(); }
  std::int32_t tokens(const Object& o, const char* key) const;  ///< 0 to kMaxTokens
  /// A number times `factor` as whole nanoseconds; 0 or more.
  std::int64_t nanoseconds(const Object& o, const char* key, std::int64_t factor) const;
  std::string_view text(const Object& o, const char* key) const;
  simdjson::dom::array array(const Object& o, const char* key) const;
  std::uint64_t whole(const simdjson::dom::element& e, const char* key, std::uint64_t most) const;

 private:
  std::string path_;
  int line_ = 0;
  simdjson::dom::parser parser_;
  std::vector<char> padded_;  ///< simdjson reads beyond the end of its input
  simdjson::dom::object object_;
};

/// Lines of a JSONL file; blank ones are passed over.
class JsonLines {
 public:
  explicit JsonLines(const std::string& path) : row_(path), lines_(path, LineReader::kJsonLine) {}
  bool next();
  const JsonRow& row() const { return row_; }

 private:
  JsonRow row_;
  LineReader lines_;
};

/// Objects of one top-level array, or standing one after the other; never holds more than one of them.
class JsonElements {
 public:
  explicit JsonElements(const std::string& path) : row_(path), bytes_(path) {}
  bool next();
  const JsonRow& row() const { return row_; }

 private:
  int get();
  bool find_object();
  void take_object();
  JsonRow row_;
  ByteSource bytes_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 18);
  std::size_t at_ = 0, end_ = 0;
  std::string element_;
  int line_ = 1;
  bool in_array_ = false, array_done_ = false;
};

/// Tokens of a text by the rule of characters per token: Unicode characters, a part of a token counts as one.
std::int32_t estimated_tokens(std::string_view utf8, double chars_per_token);

}  // namespace ridgepoint

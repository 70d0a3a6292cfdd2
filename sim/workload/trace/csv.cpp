#include "workload/trace/csv.hpp"

#include <algorithm>
#include <cstring>

#include "base/errors.hpp"
#include "workload/content.hpp"
#include "workload/trace/numbers.hpp"

namespace ridgepoint {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

}  // namespace

CsvReader::CsvReader(std::string path) : lines_(std::move(path), LineReader::kCsvLine) {
  std::string_view line;
  do {
    if (!lines_.next(line))
      throw ConfigError({Problem{lines_.path(), 0, 0, "", "is empty", "give a CSV file with a header line"}});
  } while (trim(line).empty());
  split(line);
  for (const std::string_view f : fields_) header_.emplace_back(f);
}

std::size_t CsvReader::find_column(std::string_view name) const {
  const auto it = std::find(header_.begin(), header_.end(), name);
  if (it == header_.end()) return kNoColumn;
  if (std::find(it + 1, header_.end(), name) != header_.end())
    throw ConfigError({Problem{lines_.path(), 1, 1, "", "two columns are named '" + std::string(name) + "'",
                               "keep one of them"}});
  return static_cast<std::size_t>(it - header_.begin());
}

std::size_t CsvReader::column(std::string_view name) const {
  const std::size_t found = find_column(name);
  if (found != kNoColumn) return found;
  std::string have;
  for (const std::string& h : header_) have += (have.empty() ? "" : ", ") + printable(h);
  throw ConfigError({Problem{lines_.path(), 1, 1, "", "no column '" + std::string(name) + "' among " + have,
                             "is the file of this format, and its first line the header?"}});
}

bool CsvReader::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (trim(line).empty());
  split(line);
  if (fields_.size() != header_.size())
    lines_.refuse(
        1, std::to_string(fields_.size()) + " fields where the header has " + std::to_string(header_.size()),
        "give every row one field a column");
  return true;
}

void CsvReader::split(std::string_view line) {
  fields_.clear();
  starts_.clear();
  if (unquoted_.capacity() < line.size()) unquoted_.reserve(line.size());
  unquoted_.clear();
  std::size_t at = 0;
  while (true) {
    starts_.push_back(at);
    std::size_t start = at;
    while (start < line.size() && line[start] == ' ') ++start;
    std::size_t stop = 0;
    if (start < line.size() && line[start] == '"') {
      stop = quoted(line, start);
    } else {
      const void* comma = std::memchr(line.data() + at, ',', line.size() - at);
      stop = comma != nullptr ? static_cast<std::size_t>(static_cast<const char*>(comma) - line.data())
                              : line.size();
      fields_.push_back(trim(line.substr(at, stop - at)));
    }
    if (stop == line.size()) return;
    at = stop + 1;
  }
}

/// Takes the quoted field that begins at `from`; returns where the comma behind it (or the end) is.
std::size_t CsvReader::quoted(std::string_view line, std::size_t from) {
  const std::size_t begin = unquoted_.size();
  std::size_t i = from + 1;
  for (; i < line.size(); ++i) {
    if (line[i] != '"') {
      unquoted_ += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      unquoted_ += line[i++];
    } else {
      break;
    }
  }
  const int column = static_cast<int>(from) + 1;
  if (i >= line.size()) lines_.refuse(column, "a quote is not closed", "close it in the same line");
  fields_.emplace_back(unquoted_.data() + begin, unquoted_.size() - begin);  // reserved: never moves
  const std::size_t stop = std::min(line.find(',', i + 1), line.size());
  if (!trim(line.substr(i + 1, stop - i - 1)).empty())
    lines_.refuse(column, "text behind a closing quote", "double a quote that belongs to the text");
  return stop;
}

std::string_view CsvReader::field(std::size_t column) const {
  return column == kNoColumn ? std::string_view{} : fields_[column];
}

void CsvReader::refuse(std::size_t column, std::string what, std::string remedy) const {
  const bool known = column < header_.size();
  lines_.refuse(known ? static_cast<int>(starts_[column]) + 1 : 1,
                known ? "column '" + printable(header_[column]) + "': " + std::move(what) : std::move(what),
                std::move(remedy));
}

std::int64_t CsvReader::whole(std::size_t column) const {
  const auto value = whole_number(field(column));
  if (!value) refuse(column, "not a whole number: '" + printable(field(column)) + "'", "give a whole number");
  return *value;
}

std::int32_t CsvReader::tokens(std::size_t column) const {
  const std::int64_t value = whole(column);
  if (value < 0 || value > kMaxTokens)
    refuse(column, std::to_string(value) + " tokens", "give 0 to " + std::to_string(kMaxTokens));
  return static_cast<std::int32_t>(value);
}

std::int64_t CsvReader::decimal_seconds(std::size_t column) const {
  const auto value = scaled_decimal(field(column), 9);
  if (!value || *value < 0)
    refuse(column, "not a time in seconds: '" + printable(field(column)) + "'",
           "give seconds from 0 to 9.2e9 as a decimal number");
  return *value;
}

}  // namespace ridgepoint

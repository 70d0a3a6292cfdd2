#include "workload/empirical.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/errors.hpp"
#include "workload/trace/line_reader.hpp"

namespace ridgepoint {
namespace {

constexpr double kLargest = 1 << 30;  // token positions fit 32 bits; as seconds, 34 years

std::optional<double> number(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '"')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '"')) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A first line with a digit in it is a row, and so are the words for numbers that are none.
bool is_header(std::string_view line, std::string_view value) {
  for (const char c : line)
    if (c >= '0' && c <= '9') return false;
  std::string word;
  for (const char c : value)
    if (c != ' ' && c != '"' && c != '-' && c != '+')
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return !word.empty() && word != "inf" && word != "infinity" && word != "nan";
}

}  // namespace

void read_empirical(const std::string& path, std::vector<double>& values, std::vector<double>& upto) {
  LineReader lines(path, LineReader::kCsvLine);
  std::string_view line;
  double sum = 0;
  bool first = true;
  while (lines.next(line)) {
    if (line.empty()) continue;
    const std::size_t comma = line.find(',');
    const auto value = number(line.substr(0, comma));
    const auto weight = comma == std::string_view::npos ? 1.0 : number(line.substr(comma + 1));
    const bool header = first && is_header(line, line.substr(0, comma));
    first = false;
    if (header) continue;
    if (!value || *value < 0 || *value > kLargest)
      lines.refuse(1, "not a value: '" + printable(line.substr(0, comma)) + "'",
                   "give a number from 0 to 1073741824");
    if (!weight || *weight < 0)
      lines.refuse(static_cast<int>(comma) + 2, "not a weight: '" + printable(line.substr(comma + 1)) + "'",
                   "give a number of 0 or more, or leave the column out");
    values.push_back(*value);
    upto.push_back(sum += *weight);
  }
  if (values.empty() || !(sum > 0))
    throw ConfigError({Problem{path, 0, 0, "", "holds no value with a weight above 0",
                               "give one `value[,weight]` a line"}});
}

}  // namespace ridgepoint

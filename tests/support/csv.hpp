// A tiny CSV reader for measured tables: a header line, then rows; no quoting.
#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ridgepoint::test {

/// One row by column name.
class CsvRow {
 public:
  using Columns = std::map<std::string, std::size_t>;
  CsvRow(std::shared_ptr<const Columns> columns, std::vector<std::string> cells)
      : columns_(std::move(columns)), cells_(std::move(cells)) {}
  const std::string& text(const std::string& column) const {
    const auto it = columns_->find(column);
    if (it == columns_->end()) throw std::out_of_range("no column " + column);
    return cells_.at(it->second);
  }
  double number(const std::string& column) const { return std::stod(text(column)); }
  bool empty(const std::string& column) const { return text(column).empty(); }

 private:
  std::shared_ptr<const Columns> columns_;
  std::vector<std::string> cells_;
};

inline std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  std::string cell;
  while (std::getline(in, cell, ',')) cells.push_back(cell);
  if (!line.empty() && line.back() == ',') cells.emplace_back();
  return cells;
}

/// All rows of a file.
inline std::vector<CsvRow> read_csv(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::string line;
  std::getline(in, line);
  auto columns = std::make_shared<CsvRow::Columns>();
  const auto header = split_csv(line);
  for (std::size_t i = 0; i < header.size(); ++i) (*columns)[header[i]] = i;
  std::vector<CsvRow> rows;
  while (std::getline(in, line))
    if (!line.empty()) rows.emplace_back(columns, split_csv(line));
  return rows;
}

}  // namespace ridgepoint::test

#include "workload/trace/external_sort.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <queue>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {

/// Records of one sorted file: key, size, text.
class RunReader {
 public:
  explicit RunReader(std::istream& in) : in_(in) { in_.seekg(0); }
  bool next() {
    std::uint64_t size = 0;
    if (!in_.read(reinterpret_cast<char*>(&key), sizeof key)) return false;
    in_.read(reinterpret_cast<char*>(&size), sizeof size);
    text.resize(size);
    in_.read(text.data(), static_cast<std::streamsize>(size));
    return static_cast<bool>(in_);
  }
  std::int64_t key = 0;
  std::string text;

 private:
  std::istream& in_;
};

}  // namespace

ExternalSort::ExternalSort(std::filesystem::path beside, std::size_t memory)
    : beside_(std::move(beside)), memory_(memory) {}

void ExternalSort::add(std::int64_t key, std::string_view text) {
  if (!entries_.empty() && text_.size() + text.size() + entries_.size() * sizeof(Entry) > memory_) spill();
  entries_.push_back({key, text_.size(), text.size()});
  text_ += text;
}

void ExternalSort::sort() {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

void ExternalSort::spill() {
  sort();
  const std::filesystem::path name = beside_.string() + ".sort-" + std::to_string(files_.size());
  files_.push_back(std::make_unique<std::fstream>(
      name, std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc));
  std::fstream& out = *files_.back();
  std::error_code ignored;
  std::filesystem::remove(name, ignored);  // stays usable while it is open, and never outlives the process
  for (const Entry& e : entries_) {
    const std::uint64_t size = e.size;
    out.write(reinterpret_cast<const char*>(&e.key), sizeof e.key);
    out.write(reinterpret_cast<const char*>(&size), sizeof size);
    out.write(text_.data() + e.begin, static_cast<std::streamsize>(e.size));
  }
  out.flush();
  if (!out)
    throw ConfigError({Problem{name.string(), 0, 0, "", "a temporary file cannot be written",
                               "make room beside the output: sorting needs as much again as the output"}});
  entries_.clear();
  text_.clear();
}

void ExternalSort::drain(const std::function<void(std::int64_t, std::string_view)>& take) {
  if (files_.empty()) {
    sort();
    for (const Entry& e : entries_) take(e.key, std::string_view(text_).substr(e.begin, e.size));
    return;
  }
  if (!entries_.empty()) spill();
  std::vector<std::unique_ptr<RunReader>> runs;
  using Head = std::pair<std::int64_t, std::size_t>;  // key, run: equal keys in the order of the runs
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  for (const auto& f : files_) {
    runs.push_back(std::make_unique<RunReader>(*f));
    if (runs.back()->next()) heads.emplace(runs.back()->key, runs.size() - 1);
  }
  while (!heads.empty()) {
    const std::size_t run = heads.top().second;
    heads.pop();
    take(runs[run]->key, runs[run]->text);
    if (runs[run]->next()) heads.emplace(runs[run]->key, run);
  }
}

}  // namespace ridgepoint

// Sorts texts by a 64-bit key in bounded memory: sorted runs in temporary files, then one merge.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint {

class ExternalSort {
 public:
  /// Temporary files are made as `beside`.sort-N and have no name any more once they are open.
  ExternalSort(std::filesystem::path beside, std::size_t memory);
  void add(std::int64_t key, std::string_view text);
  /// Gives everything by rising key, equal keys in the order they were added. Call once.
  void drain(const std::function<void(std::int64_t key, std::string_view text)>& take);
  std::size_t runs_on_disk() const { return files_.size(); }

 private:
  struct Entry {
    std::int64_t key;
    std::size_t begin, size;  ///< in text_
  };
  void sort();
  void spill();
  std::filesystem::path beside_;
  std::size_t memory_;
  std::string text_;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<std::fstream>> files_;
};

}  // namespace ridgepoint

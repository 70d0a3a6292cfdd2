// The bytes of a trace file, decompressed where its first bytes say that it is gzip or zstd.
#pragma once
#include <cstddef>
#include <fstream>
#include <memory>
#include <streambuf>
#include <string>

namespace ridgepoint {

/// Throws ConfigError when the file cannot be opened or its compressed data are damaged or cut short.
class ByteSource {
 public:
  explicit ByteSource(std::string path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  /// Up to `size` bytes; 0 only at the end.
  std::size_t read(char* to, std::size_t size);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool zstd_ = false;
  std::unique_ptr<std::filebuf> file_;            ///< the bytes as they lie on disk
  std::unique_ptr<std::streambuf> decompressed_;  ///< empty for plain files
};

}  // namespace ridgepoint

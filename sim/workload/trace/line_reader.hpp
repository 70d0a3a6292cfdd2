// Lines of a text file in constant memory, whatever the file holds.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "workload/trace/byte_source.hpp"

namespace ridgepoint {

/// Text of a file fit to be shown in one line of an error: cut to 60 bytes, control characters escaped.
std::string printable(std::string_view text);

/// Takes LF and CRLF ends, a UTF-8 byte order mark and a last line without an end. Throws ConfigError for
/// lines longer than the cap, so that a file without line ends does not fill the memory.
class LineReader {
 public:
  static constexpr std::size_t kCsvLine = std::size_t{1} << 20;
  static constexpr std::size_t kJsonLine = std::size_t{1} << 26;  ///< token ids of a 5-million-token prompt

  LineReader(std::string path, std::size_t longest);
  /// The next line without its end, valid until the next call; false at the end of the file.
  bool next(std::string_view& line);
  int line_number() const { return line_; }  ///< of the last line given, 1-based
  const std::string& path() const { return bytes_.path(); }
  /// Throws the ConfigError that names this file and line.
  [[noreturn]] void refuse(int column, std::string what, std::string remedy) const;

 private:
  bool fill();
  ByteSource bytes_;
  std::size_t longest_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, scanned_ = 0, end_ = 0;  ///< bytes [begin_, end_) are unread
  bool ended_ = false;
  int line_ = 0;
};

}  // namespace ridgepoint

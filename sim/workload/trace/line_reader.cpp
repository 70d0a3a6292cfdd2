#include "workload/trace/line_reader.hpp"

#include <algorithm>
#include <cstring>

#include "base/errors.hpp"

namespace ridgepoint {

std::string printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string s;
  for (const char c : text.substr(0, 60)) {
    const auto u = static_cast<unsigned char>(c);
    if (u >= 0x20 && u != 0x7f)
      s += c;
    else
      (s += "\\x") += {kHex[u >> 4], kHex[u & 15]};
  }
  if (text.size() > 60) s += "...";
  return s;
}

LineReader::LineReader(std::string path, std::size_t longest)
    : bytes_(std::move(path)), longest_(longest), buffer_(std::size_t{1} << 18) {}

void LineReader::refuse(int column, std::string what, std::string remedy) const {
  throw ConfigError({Problem{path(), line_, column, "", std::move(what), std::move(remedy)}});
}

/// Reads more bytes behind the unread ones; false when there are none.
bool LineReader::fill() {
  if (ended_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    scanned_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const std::size_t got = bytes_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  ended_ = got == 0;
  return !ended_;
}

bool LineReader::next(std::string_view& line) {
  const char* found = nullptr;
  while (true) {
    found = static_cast<const char*>(std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_));
    scanned_ = end_;
    const std::size_t length =
        found != nullptr ? static_cast<std::size_t>(found - buffer_.data()) - begin_ : end_ - begin_;
    if (length > longest_) {
      ++line_;
      refuse(1, "line longer than " + std::to_string(longest_ >> 20) + " MiB",
             "is this a text file with one row a line?");
    }
    if (found != nullptr || !fill()) break;
  }
  if (found == nullptr && begin_ == end_) return false;
  const std::size_t stop = found != nullptr ? static_cast<std::size_t>(found - buffer_.data()) : end_;
  line = {buffer_.data() + begin_, stop - begin_};
  begin_ = scanned_ = std::min(stop + 1, end_);
  if (++line_ == 1) {
    if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff"))
      refuse(1, "UTF-16 text", "save the file as UTF-8");
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace ridgepoint

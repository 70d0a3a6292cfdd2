#include "workload/trace/byte_source.hpp"

#include <algorithm>
#include <array>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {

namespace io = boost::iostreams;
using Filters = io::filtering_streambuf<io::input>;

constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
constexpr std::streamsize kBuffer = 1 << 16;

[[noreturn]] void refuse(const std::string& path, std::string what, std::string remedy) {
  throw ConfigError({Problem{path, 0, 0, "", std::move(what), std::move(remedy)}});
}

std::streamsize read_from(std::streambuf& file, char* to, std::streamsize size, const std::string& path) {
  try {
    return std::max<std::streamsize>(file.sgetn(to, size), 0);
  } catch (const std::ios_base::failure& e) {
    refuse(path, "cannot be read: " + e.code().message(), "give a file that can be read to its end");
  }
}

/// Whether the file is whole frames of blocks (RFC 8878, section 3.1.1) up to its last byte: the decompressor
/// takes the end of a file in the middle of a frame for the end of the data.
bool whole_frames(std::filebuf& file) {
  const auto number = [&](int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      const int c = file.sbumpc();
      if (c == EOF) return std::uint64_t{0};
      value |= static_cast<std::uint64_t>(c) << (8 * i);
    }
    return value;
  };
  const auto size = static_cast<std::uint64_t>(file.pubseekoff(0, std::ios::end));
  std::uint64_t at = 0;
  const auto take = [&](int bytes) {
    at += static_cast<std::uint64_t>(bytes);
    return at <= size ? number(bytes) : 0;
  };
  const auto skip = [&](std::uint64_t bytes) {
    at += bytes;
    if (at <= size) file.pubseekpos(static_cast<std::streamoff>(at));
  };
  file.pubseekpos(0);
  while (at < size) {
    const std::uint64_t magic = take(4);
    if ((magic & 0xfffffff0U) == 0x184d2a50U) {  // a frame to be skipped: its size follows
      skip(take(4));
      continue;
    }
    if (magic != 0xfd2fb528U) return false;
    const std::uint64_t descriptor = take(1);
    const bool single = ((descriptor >> 5) & 1) != 0;
    constexpr std::array<std::uint64_t, 4> kDictionary{0, 1, 2, 4}, kContent{0, 2, 4, 8};
    const std::uint64_t content = descriptor >> 6;
    skip((single ? 0 : 1) + kDictionary[descriptor & 3] + (content == 0 && single ? 1 : kContent[content]));
    bool last = false;
    while (!last && at < size) {
      const std::uint64_t header = take(3);
      last = (header & 1) != 0;
      skip(((header >> 1) & 3) == 1 ? 1 : header >> 3);  // type 1: one byte, repeated
    }
    if (!last) return false;
    if (((descriptor >> 2) & 1) != 0) skip(4);
  }
  return at == size;
}

}  // namespace

ByteSource::ByteSource(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored))
    refuse(path_, "is a directory", "give the trace file in it");
  auto file = std::make_unique<std::filebuf>();
  if (file->open(path_, std::ios::in | std::ios::binary) == nullptr)
    refuse(path_, "cannot be opened", "check the path and that you may read it");
  std::array<char, 4> magic{};
  const std::streamsize got = read_from(*file, magic.data(), 4, path_);
  const std::string_view head(magic.data(), static_cast<std::size_t>(got < 0 ? 0 : got));
  if (file->pubseekpos(0) == std::streampos(-1))
    refuse(path_, "cannot be read from its beginning", "give a regular file");
  if (head.starts_with(kGzip) || head.starts_with(kZstd)) {
    auto filters = std::make_unique<Filters>();
    zstd_ = head.starts_with(kZstd);
    if (!zstd_)
      filters->push(io::gzip_decompressor(io::zlib::default_window_bits, kBuffer));
    else
      filters->push(io::zstd_decompressor(kBuffer));
    filters->push(*file, kBuffer);
    decompressed_ = std::move(filters);
  }
  file_ = std::move(file);
}

ByteSource::~ByteSource() { decompressed_.reset(); }

std::size_t ByteSource::read(char* to, std::size_t size) {
  std::streambuf& from = decompressed_ ? *decompressed_ : *file_;
  if (!decompressed_)
    return static_cast<std::size_t>(read_from(from, to, static_cast<std::streamsize>(size), path_));
  try {
    const std::streamsize got = from.sgetn(to, static_cast<std::streamsize>(size));
    if (got > 0) return static_cast<std::size_t>(got);
    if (!zstd_ || whole_frames(*file_)) return 0;
  } catch (const std::ios_base::failure&) {
  }
  refuse(path_, "the compressed data are damaged or cut short", "fetch the file again");
}

}  // namespace ridgepoint

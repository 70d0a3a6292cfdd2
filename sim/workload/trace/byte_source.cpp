#include "workload/trace/byte_source.hpp"

#include <array>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <filesystem>
#include <fstream>
#include <string_view>

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

}  // namespace

ByteSource::ByteSource(std::string path) : path_(std::move(path)) {
  if (std::filesystem::is_directory(path_)) refuse(path_, "is a directory", "give the trace file in it");
  auto file = std::make_unique<std::filebuf>();
  if (file->open(path_, std::ios::in | std::ios::binary) == nullptr)
    refuse(path_, "cannot be opened", "check the path and that you may read it");
  std::array<char, 4> magic{};
  const std::streamsize got = file->sgetn(magic.data(), 4);
  const std::string_view head(magic.data(), static_cast<std::size_t>(got < 0 ? 0 : got));
  if (file->pubseekpos(0) == std::streampos(-1))
    refuse(path_, "cannot be read from its beginning", "give a regular file");
  if (head.starts_with(kGzip) || head.starts_with(kZstd)) {
    auto filters = std::make_unique<Filters>();
    if (head.starts_with(kGzip))
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
  try {
    const std::streamsize got = from.sgetn(to, static_cast<std::streamsize>(size));
    return got < 0 ? 0 : static_cast<std::size_t>(got);
  } catch (const std::ios_base::failure&) {
    refuse(path_, "the compressed data are damaged or cut short", "fetch the file again");
  }
}

}  // namespace ridgepoint

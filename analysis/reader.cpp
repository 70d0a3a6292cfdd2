#include "analysis/reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/errors.hpp"
#include "record/provenance.hpp"

namespace ridgepoint::analysis {
namespace {

constexpr std::int64_t kSmall = 1'000'000;  ///< values read whole
constexpr hssize_t kMostAttributes = 1'000'000;

/// Deflate cannot compress by more than 1032 : 1 (source: zlib's technical notes), so a dataset that claims
/// more values than that was never written; without this check a file of 1 kB could ask for any amount of
/// memory.
constexpr std::int64_t kMostDeflation = 1032;

bool numeric(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

}  // namespace

void refuse(const std::string& file, const std::string& what) {
  throw ConfigError({Problem{file, 0, 0, "", what, "a file written by `ridgepoint run` is expected"}});
}

ResultReader::ResultReader(const std::filesystem::path& file) : name_(file.string()) {
  h5::quiet();
  std::error_code error;
  if (!std::filesystem::exists(file, error)) refuse(name_, "there is no such file");
  if (std::filesystem::is_directory(file, error)) refuse(name_, "it is a folder");
  size_ = std::filesystem::file_size(file, error);
  if (error) refuse(name_, "it is not a regular file");
  const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), false, true);
  file_ = h5::Handle(H5Fopen(name_.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file_) {
    const std::string reason = h5::last_error();
    refuse(name_, "it cannot be read as HDF5" + (reason.empty() ? "" : " (" + reason + ")"));
  }
  if (text("/", "format") != kFormatName) refuse(name_, "it is HDF5, but not a result of a run");
  const auto version = number("/", "format_version");
  if (!version || !(*version >= 1 && *version <= static_cast<double>(kFormatVersion)))
    refuse(name_, fmt::format("its format version is {}, this program reads up to {}", version.value_or(0),
                              kFormatVersion));
}

bool ResultReader::has(const std::string& path) const {
  // Every link on the way must exist before the next may be asked for.
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    if (H5Lexists(file_.get(), path.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(file_.get(), path.c_str(), H5P_DEFAULT) > 0;
}

NumberColumn ResultReader::column(const std::string& path, std::int64_t rows, Range range) const {
  NumberColumn c;
  c.range_ = range;
  c.file_ = name_;
  c.path_ = path;
  if (has(path)) c.handle_ = h5::Handle(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!c.handle_) refuse(name_, "it has no dataset " + path);
  const h5::Handle type(H5Dget_type(c.handle_.get()), H5Tclose),
      space(H5Dget_space(c.handle_.get()), H5Sclose);
  if (!numeric(type.get())) refuse(name_, path + " does not hold numbers");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank != 1 && rank != 2)
    refuse(name_, fmt::format("{} has {} dimensions instead of 1 or 2", path, rank));
  std::array<hsize_t, 2> extent{0, 1};
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  const std::uintmax_t stored = std::min<std::uintmax_t>(size_, H5Dget_storage_size(c.handle_.get()));
  const long double claimed = static_cast<long double>(extent[0]) * static_cast<long double>(extent[1]) *
                              static_cast<long double>(H5Tget_size(type.get()));
  // Rows of no width take no room, whatever their number.
  if (claimed > static_cast<long double>(stored) * kMostDeflation || (extent[1] == 0 && extent[0] > 0) ||
      extent[1] > size_ * kMostDeflation)
    refuse(name_,
           fmt::format("{} claims {} x {} values, which the file does not hold", path, extent[0], extent[1]));
  c.rows_ = static_cast<std::int64_t>(extent[0]);
  c.width_ = static_cast<std::int64_t>(extent[1]);
  c.flat_ = rank == 1;
  if (rows >= 0 && c.rows_ != rows)
    refuse(name_, fmt::format("{} has {} rows instead of {}", path, c.rows_, rows));
  return c;
}

void NumberColumn::read(std::int64_t first, std::span<double> into) const {
  if (into.empty()) return;
  const auto count = static_cast<std::int64_t>(into.size()) / width_;
  const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
  const std::array<hsize_t, 2> extent{static_cast<hsize_t>(count), static_cast<hsize_t>(width_)};
  const h5::Handle memory(H5Screate_simple(flat_ ? 1 : 2, extent.data(), nullptr), H5Sclose);
  const h5::Handle space(H5Dget_space(handle_.get()), H5Sclose);
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr) < 0 ||
      H5Dread(handle_.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, into.data()) < 0) {
    const std::string reason = h5::last_error();
    refuse(file_, path_ + " cannot be read" + (reason.empty() ? "" : " (" + reason + ")"));
  }
  for (const double v : into)
    if (!(v >= range_.least && v <= range_.most) && !(range_.may_lack && std::isnan(v)))
      refuse(file_, fmt::format("{} holds {}", path_, v));
}

std::vector<double> ResultReader::values(const std::string& path, std::int64_t rows) const {
  const NumberColumn c = column(path, rows);
  if (c.width() > kSmall || c.rows() > kSmall / std::max<std::int64_t>(1, c.width()))
    refuse(name_, fmt::format("{} is larger than it can be", path));
  std::vector<double> all(static_cast<std::size_t>(c.rows() * c.width()));
  c.read(0, all);
  return all;
}

h5::Handle ResultReader::attribute(const std::string& path, const std::string& attribute) const {
  if (path != "/" && !has(path)) return {};
  if (H5Aexists_by_name(file_.get(), path.c_str(), attribute.c_str(), H5P_DEFAULT) <= 0) return {};
  return {H5Aopen_by_name(file_.get(), path.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
}

std::vector<double> ResultReader::numbers(const std::string& path, const std::string& name) const {
  const h5::Handle a = attribute(path, name);
  if (!a) return {};
  const h5::Handle type(H5Aget_type(a.get()), H5Tclose), space(H5Aget_space(a.get()), H5Sclose);
  const hssize_t n = H5Sget_simple_extent_npoints(space.get());
  if (!numeric(type.get()) || n < 1 || n > kMostAttributes) return {};
  std::vector<double> values(static_cast<std::size_t>(n));
  if (H5Aread(a.get(), H5T_NATIVE_DOUBLE, values.data()) < 0) refuse(name_, path + " has a damaged " + name);
  return values;
}

std::optional<double> ResultReader::number(const std::string& path, const std::string& name) const {
  const std::vector<double> all = numbers(path, name);
  if (all.size() != 1) return std::nullopt;
  return all.front();
}

double ResultReader::amount(const std::string& path, const std::string& name, double otherwise) const {
  const double value = number(path, name).value_or(otherwise);
  if (!(value >= 0 && value <= Range{}.most)) refuse(name_, fmt::format("{} of {} is {}", name, path, value));
  return value;
}

std::vector<std::string> ResultReader::texts(const std::string& path, const std::string& name) const {
  const h5::Handle a = attribute(path, name);
  if (!a) return {};
  const h5::Handle type(H5Aget_type(a.get()), H5Tclose), space(H5Aget_space(a.get()), H5Sclose);
  const hssize_t n = H5Sget_simple_extent_npoints(space.get());
  const std::size_t size = H5Tget_size(type.get());
  // Text of variable length lies in heaps without checksums; HDF5 crashes on a damaged one.
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 || n < 1 || size < 1)
    return {};
  if (static_cast<std::uintmax_t>(n) > size_ / size)  // attributes are not compressed
    refuse(name_, path + " has a damaged " + name);
  std::string data(static_cast<std::size_t>(n) * size, '\0');
  if (H5Aread(a.get(), type.get(), data.data()) < 0) refuse(name_, path + " has a damaged " + name);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < data.size(); at += size) {
    const std::string_view padded = std::string_view(data).substr(at, size);
    texts.emplace_back(padded.substr(0, padded.find_last_not_of('\0') + 1));
  }
  return texts;
}

std::string ResultReader::text(const std::string& path, const std::string& name) const {
  const std::vector<std::string> all = texts(path, name);
  return all.size() == 1 ? all.front() : "";
}

}  // namespace ridgepoint::analysis

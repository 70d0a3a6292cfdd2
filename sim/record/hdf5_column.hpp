// One dataset of a table: chunked, shuffled, deflated, growing along its first dimension, with units.
// Whole chunks are written at once and nothing is cached, so memory does not grow with the number of
// datasets.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/hdf5_file.hpp"

namespace ridgepoint::h5 {

/// How a dataset describes itself. Units are "s", never "seconds", which xarray would turn into timedeltas.
struct Label {
  std::string name, units, long_name;
};

/// File types that are used, by C++ type. Little-endian in the file on every machine.
template <class T>
hid_t memory_type();
template <>
hid_t memory_type<std::int8_t>();
template <>
hid_t memory_type<std::int32_t>();
template <>
hid_t memory_type<std::int64_t>();
template <>
hid_t memory_type<double>();

class Column {
 public:
  /// Empty; rows of `width` values (0: one value, a one-dimensional dataset), `chunk_rows` rows a chunk.
  template <class T>
  static Column make(const Group& group, const Label& label, std::int64_t chunk_rows,
                     std::int64_t width = 0) {
    return Column(group, label, memory_type<T>(), chunk_rows, width);
  }
  /// Rows from `first` on; the dataset grows to hold them. values.size() is a multiple of the width.
  template <class T>
  void write(std::int64_t first, std::span<const T> values) {
    write_rows(first, static_cast<std::int64_t>(values.size()) / (width_ == 0 ? 1 : width_), values.data(),
               memory_type<T>());
  }
  /// Rows from `first` on, which must exist.
  template <class T>
  void read(std::int64_t first, std::span<T> into) const {
    read_rows(first, static_cast<std::int64_t>(into.size()) / (width_ == 0 ? 1 : width_), into.data(),
              memory_type<T>());
  }
  void resize(std::int64_t rows);
  std::int64_t rows() const { return rows_; }
  /// Makes it the coordinate of a dimension that has its name.
  void make_scale();
  /// Names dimension 0 or 1 after the coordinate `scale`.
  void attach(const Column& scale, unsigned dimension = 0);
  /// What the values are indices into. A single name is followed by an empty one.
  void set_names(const std::vector<std::string>& names);
  hid_t id() const { return handle_.get(); }

 private:
  Column(const Group& group, const Label& label, hid_t type, std::int64_t chunk_rows, std::int64_t width);
  void write_rows(std::int64_t first, std::int64_t count, const void* data, hid_t type);
  void read_rows(std::int64_t first, std::int64_t count, void* data, hid_t type) const;
  Handle select(std::int64_t first, std::int64_t count) const;
  Handle memory_space(std::int64_t count) const;

  Handle handle_;
  std::string where_, name_;
  std::int64_t rows_ = 0, width_ = 0;
};

/// A whole column at once, in chunks of at most 4096 rows.
template <class T>
Column write_column(const Group& group, const Label& label, const std::vector<T>& values) {
  const auto rows = static_cast<std::int64_t>(values.size());
  Column c = Column::make<T>(group, label, rows < 1 ? 1 : (rows > 4096 ? 4096 : rows));
  if (rows > 0) c.write<T>(0, values);
  return c;
}
/// 0, 1, ... n - 1, the coordinate of an indexed dimension.
Column write_index(const Group& group, const Label& label, std::int64_t n);

}  // namespace ridgepoint::h5

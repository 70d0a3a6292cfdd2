// Reads datasets and attributes of a result file with the bare C API, so that tests do not lean on our own
// reader.
#pragma once
#include <hdf5.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace ridgepoint::test {

/// Any numeric dataset, flattened in row order.
inline std::vector<double> read_values(const std::string& path, const std::string& dataset) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = file < 0 ? -1 : H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  if (set < 0) throw std::runtime_error("no " + dataset + " in " + path);
  const hid_t space = H5Dget_space(set);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
  return values;
}

/// A text attribute of an object; empty when there is none.
inline std::string read_text_attribute(const std::string& path, const std::string& object,
                                       const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t attribute = H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  std::string text;
  if (attribute >= 0) {
    const hid_t type = H5Aget_type(attribute);
    text.resize(H5Aget_storage_size(attribute));
    if (H5Aread(attribute, type, text.data()) < 0) text.clear();
    text.resize(text.find_last_not_of('\0') + 1);
    H5Tclose(type);
    H5Aclose(attribute);
  }
  H5Fclose(file);
  return text;
}

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace ridgepoint::test

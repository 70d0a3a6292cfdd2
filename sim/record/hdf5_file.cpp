#include "record/hdf5_file.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace ridgepoint::h5 {

void quiet() {
  static const bool once = [] {
    // Every handle is closed by its owner; after a full disk the library's own clean-up at exit loops and
    // prints.
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return true;
  }();
  (void)once;
}

std::string last_error() {
  std::string text;
  const auto visit = [](unsigned, const H5E_error2_t* error, void* into) -> herr_t {
    if (error->desc != nullptr && *error->desc != '\0') *static_cast<std::string*>(into) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, visit, &text);
  // The file driver's message lists everything it knows, addresses included; the system's reason is enough.
  const std::string mark = "error message = '";
  if (const auto at = text.find(mark); at != std::string::npos) {
    text = text.substr(at + mark.size());
    text = text.substr(0, text.find('\''));
  }
  return text;
}

void fail(const std::string& where, const std::string& what) {
  const std::string reason = last_error();
  throw SimulationError(where + ": cannot " + what + (reason.empty() ? "" : ": " + reason));
}

namespace {

Handle access_properties() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // One format whatever library version writes it, readable since 1.10 (2016): the first whose chunk indices
  // are small, of which a file has a hundred. A smaller index in the older format would need a superblock
  // extension, which the library stamps with the time of day.
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  // The file under its temporary name is ours alone, and many cluster file systems know no locks.
  H5Pset_file_locking(access.get(), false, true);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  return access;
}

Handle create_group(hid_t parent, const std::string& name) {
  const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties.get(), false);
  H5Pset_link_creation_order(properties.get(),
                             H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);  // columns in our order
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Gclose};
}

void write_attribute(hid_t object, const std::string& name, hid_t file_type, hid_t memory_type, hid_t space,
                     const void* data) {
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  const Handle a(H5Acreate2(object, name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!a || H5Awrite(a.get(), memory_type, data) < 0) fail("result file", "write attribute " + name);
}

Handle scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose}; }
Handle line_space(std::size_t n) {
  const hsize_t extent = n;
  return {H5Screate_simple(1, &extent, nullptr), H5Sclose};
}

}  // namespace

File::File(const std::string& path, std::string name) : name_(std::move(name)) {
  quiet();
  const Handle access = access_properties();
  const Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties.get(), false);
  handle_ = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties.get(), access.get()), H5Fclose);
  if (!handle_)
    throw ConfigError("output: cannot write " + name_ + ": " + last_error(),
                      "name a file in a writable folder");
}

File File::open_existing(const std::string& path) {
  quiet();
  const Handle access = access_properties();
  Handle handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose);
  if (!handle) throw ConfigError("cannot open " + path + ": " + last_error(), "name a result file");
  return {std::move(handle), path};
}

void File::close() {
  if (!handle_) return;
  if (H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL) < 0) fail(name_, "write the file");
  if (H5Fclose(handle_.release()) < 0) fail(name_, "close the file");
}

Group::Group(const File& file, const std::string& name, const std::string& long_name)
    : handle_(create_group(file.id(), name)), where_(file.name() + ": /" + name) {
  if (!handle_) fail(where_, "create the group");
  set_attribute(id(), "long_name", long_name);
}

Group Group::open_or_create(const File& file, const std::string& name, const std::string& long_name) {
  if (H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) <= 0) return {file, name, long_name};
  Handle handle(H5Gopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Gclose);
  const std::string where = file.name() + ": /" + name;
  if (!handle) fail(where, "open the group");
  return {std::move(handle), where};
}

Handle text_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  // netCDF takes text of one byte for a character, which h5netcdf does not decode
  H5Tset_size(type.get(), std::max<std::size_t>(2, bytes));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

namespace {

/// Texts one after the other, each padded to the size of `type`.
std::string padded(const std::vector<std::string>& texts, const Handle& type) {
  const std::size_t size = H5Tget_size(type.get());
  std::string data;
  for (const std::string& t : texts) (data += t).append(size - t.size(), '\0');
  return data;
}

}  // namespace

void set_attribute(hid_t object, const std::string& name, const std::string& text) {
  const Handle type = text_type(text.size());
  write_attribute(object, name, type.get(), type.get(), scalar_space().get(), padded({text}, type).data());
}
void set_attribute(hid_t object, const std::string& name, double value) {
  write_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scalar_space().get(), &value);
}
void set_attribute(hid_t object, const std::string& name, std::int64_t value) {
  write_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, scalar_space().get(), &value);
}
void set_attribute(hid_t object, const std::string& name, const std::vector<double>& values) {
  write_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, line_space(values.size()).get(),
                  values.data());
}
void set_attribute(hid_t object, const std::string& name, const std::vector<std::int64_t>& values) {
  write_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, line_space(values.size()).get(),
                  values.data());
}
void set_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts) {
  std::size_t longest = 0;
  for (const std::string& t : texts) longest = std::max(longest, t.size());
  const Handle type = text_type(longest);
  write_attribute(object, name, type.get(), type.get(), line_space(texts.size()).get(),
                  padded(texts, type).data());
}

void write_text(const File& file, const std::string& name, const std::string& long_name,
                const std::string& text) {
  const Handle type = text_type(text.size());
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties.get(), false);
  const Handle space = scalar_space();
  const Handle set(H5Dcreate2(file.id(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, properties.get(),
                              H5P_DEFAULT),
                   H5Dclose);
  const std::string data = padded({text}, type);
  if (!set || H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()) < 0)
    fail(file.name(), "write /" + name);
  set_attribute(set.get(), "units", std::string("1"));
  set_attribute(set.get(), "long_name", long_name);
}

}  // namespace ridgepoint::h5

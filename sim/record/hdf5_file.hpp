// Thin ownership over the HDF5 C API: handles that close themselves, failures as exceptions, attributes.
// Everything written is a function of the values alone: no object timestamps, fixed format bounds.
#pragma once
#include <hdf5.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridgepoint::h5 {

/// An HDF5 identifier with the function that closes it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  Handle& operator=(Handle&& o) noexcept {
    if (this != &o) {
      reset();
      id_ = std::exchange(o.id_, -1);
      close_ = o.close_;
    }
    return *this;
  }
  ~Handle() { reset(); }
  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }
  hid_t release() { return std::exchange(id_, -1); }
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Stops HDF5 from printing its error stack and from working at exit. Called by whatever opens a file.
void quiet();
/// Innermost message of the pending HDF5 error ("No space left on device", ...), or empty.
std::string last_error();
/// Throws SimulationError "where: cannot what: HDF5's reason".
[[noreturn]] void fail(const std::string& where, const std::string& what);

/// What a file that is being written is called in messages, and its open handle.
class File {
 public:
  /// Creates `path`, or empties it; `name` is what messages call it. Throws ConfigError.
  File(const std::string& path, std::string name);
  /// Opens an existing file for reading and writing. Throws ConfigError.
  static File open_existing(const std::string& path);
  /// Flushes and closes. Throws SimulationError when not all could be written.
  void close();
  hid_t id() const { return handle_.get(); }
  const std::string& name() const { return name_; }

 private:
  File(Handle handle, std::string name) : handle_(std::move(handle)), name_(std::move(name)) {}
  Handle handle_;
  std::string name_;
};

/// A group directly below the root.
class Group {
 public:
  Group(const File& file, const std::string& name, const std::string& long_name);
  /// Opens it, or creates it where it is missing.
  static Group open_or_create(const File& file, const std::string& name, const std::string& long_name);
  hid_t id() const { return handle_.get(); }
  const std::string& where() const { return where_; }  ///< "file: /group", for messages

 private:
  Group(Handle handle, std::string where) : handle_(std::move(handle)), where_(std::move(where)) {}
  Handle handle_;
  std::string where_;
};

// Attributes of an object (file, group or dataset); one that exists is replaced.
void set_attribute(hid_t object, const std::string& name, const std::string& text);
void set_attribute(hid_t object, const std::string& name, double value);
void set_attribute(hid_t object, const std::string& name, std::int64_t value);
void set_attribute(hid_t object, const std::string& name, const std::vector<double>& values);
void set_attribute(hid_t object, const std::string& name, const std::vector<std::int64_t>& values);
void set_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts);
/// A scalar dataset of text.
void write_text(const File& file, const std::string& name, const std::string& long_name,
                const std::string& text);
/// UTF-8 of `bytes` bytes, padded with zeros. Never of variable length: HDF5 keeps that in heaps without
/// checksums, and a damaged heap brings the library down.
Handle text_type(std::size_t bytes);

}  // namespace ridgepoint::h5

// Scenarios with nothing but a workload in them, and what comes out of its request source.
#pragma once
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "spec/scenario.hpp"
#include "workload/source.hpp"

namespace ridgepoint::test {

inline Distribution fixed(double value) {
  Distribution d;
  d.value = value;
  return d;
}

/// One deployment, one stream of 100 tokens in and 10 out; times and counts are the test's to add.
inline Scenario one_stream(const std::string& name = "s") {
  Scenario s;
  s.deployments.emplace_back();
  s.deployments[0].engine.max_model_len = 1 << 24;
  Stream stream;
  stream.name = name;
  stream.input = fixed(100);
  stream.output = fixed(10);
  s.workload.streams.push_back(stream);
  return s;
}

inline Scenario replay(TraceFormat format, const std::filesystem::path& path) {
  Scenario s = one_stream("replay");
  s.workload.streams[0].trace.emplace();
  s.workload.streams[0].trace->format = format;
  s.workload.streams[0].trace->path = path.string();
  return s;
}

/// All requests of a source whose requests end `service` after they arrive, in order of arrival. Completions
/// at an instant come before arrivals at it.
inline std::vector<Request> drain(RequestSource& source, Nanos service = Nanos{1000}) {
  std::vector<Request> all;
  std::size_t finished = 0;  // service is the same for all, so they end in the order in which they came
  while (true) {
    const Nanos next = source.next_arrival();
    const Nanos done = finished < all.size() ? all[finished].arrival + service : kNever;
    if (next == kNever && done == kNever) return all;
    if (done <= next)
      source.on_finish(all[finished++].id, done);
    else
      all.push_back(source.pop());
  }
}

inline std::vector<Request> drain(const Scenario& scenario, Nanos service = Nanos{1000}) {
  return drain(*make_request_source(scenario), service);
}

/// A file in a folder of its own that is removed at the end of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text, const std::string& file = "trace") {
    std::string pattern = (std::filesystem::temp_directory_path() / "ridgepoint-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / file;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path beside(const std::string& name) const { return folder_ / name; }
  std::string text() const { return read(path_); }
  static std::string read(const std::filesystem::path& p) {
    std::ifstream in(p, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path folder_, path_;
};

/// The message of the error that `f` throws; empty when it throws none.
template <class Error, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace ridgepoint::test

// Files that are no results, or no longer whole: refused by name, whatever is in them.
#include <catch2/catch.hpp>

#include "analysis/summary.hpp"
#include "base/errors.hpp"
#include "support/recorded_run.hpp"
#include "support/results_file.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using analysis::summarize;
using Catch::Matchers::Contains;

namespace {

std::string a_result(const std::string& path) {
  Recorder recorder(recorded_scenario(), path);
  for (int i = 0; i < 20; ++i) recorder.request(recorded_request(i, Nanos{1s} * i, 0ms, 10ms, 10ms, 5));
  const std::vector<ReplicaSample> samples{recorded_sample(1, 0, 1, 1), recorded_sample(0, 0, 0, 0)};
  recorder.sample(1s, samples);
  recorder.finish(recorded_result(30s));
  recorder.publish();
  return path;
}

/// Opens the file for writing, lets `change` at it, closes it.
template <class Change>
void alter(const std::string& path, Change change) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  change(file);
  H5Fclose(file);
}

void replace_dataset(hid_t file, const char* name, hid_t type, std::vector<hsize_t> extent) {
  H5Ldelete(file, name, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
  H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
}

}  // namespace

TEST_CASE("foreign files: no file, a folder, text, an empty file and other HDF5 are refused by name") {
  const TemporaryFolder folder;
  std::ofstream(folder / "text.h5") << "once upon a time";
  std::ofstream(folder / "empty.h5") << "";
  H5Fclose(H5Fcreate((folder / "other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  for (const char* name : {"none.h5", "", "text.h5", "empty.h5", "other.h5"}) {
    INFO(name);
    CHECK_THROWS_AS(summarize(folder / name), ConfigError);
    CHECK_THROWS_WITH(summarize(folder / name), Contains(folder / name) && Contains("ridgepoint run"));
  }
  CHECK_THROWS_WITH(summarize(folder / "other.h5"), Contains("not a result of a run"));
}

TEST_CASE("foreign files: a result that was cut off is refused, wherever the cut is") {
  const TemporaryFolder folder;
  const std::string whole = read_bytes(a_result(folder / "a.h5"));
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 200) {
    std::ofstream(folder / "cut.h5", std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    CHECK_THROWS_AS(summarize(folder / "cut.h5"), ConfigError);
  }
}

TEST_CASE("foreign files: what is missing or of the wrong kind is named") {
  const TemporaryFolder folder;
  const std::string path = a_result(folder / "a.h5");
  SECTION("a column is missing") {
    alter(path, [](hid_t f) { H5Ldelete(f, "/requests/ttft_s", H5P_DEFAULT); });
    CHECK_THROWS_WITH(summarize(path), Contains("no dataset /requests/ttft_s"));
  }
  SECTION("a group is missing") {
    alter(path, [](hid_t f) { H5Ldelete(f, "/replicas", H5P_DEFAULT); });
    CHECK_THROWS_WITH(summarize(path), Contains("no dataset /replicas/deployment"));
  }
  SECTION("a column is text") {
    alter(path, [](hid_t f) { replace_dataset(f, "/requests/ttft_s", H5T_C_S1, {20}); });
    CHECK_THROWS_WITH(summarize(path), Contains("/requests/ttft_s does not hold numbers"));
  }
  SECTION("a column has too many dimensions") {
    alter(path, [](hid_t f) { replace_dataset(f, "/requests/ttft_s", H5T_NATIVE_DOUBLE, {20, 1, 1}); });
    CHECK_THROWS_WITH(summarize(path), Contains("3 dimensions"));
  }
  SECTION("a column claims a size that the file cannot hold") {
    alter(path,
          [](hid_t f) { replace_dataset(f, "/requests/status", H5T_NATIVE_DOUBLE, {hsize_t{1} << 60}); });
    CHECK_THROWS_WITH(summarize(path), Contains("/requests/status claims"));
  }
  SECTION("columns are of different lengths") {
    alter(path, [](hid_t f) {
      const hid_t set = H5Dopen2(f, "/requests/ttft_s", H5P_DEFAULT);
      const hsize_t rows = 19;
      H5Dset_extent(set, &rows);
      H5Dclose(set);
    });
    CHECK_THROWS_WITH(summarize(path), Contains("/requests/ttft_s has 19 rows instead of 20"));
  }
  SECTION("indices point nowhere") {
    alter(path, [](hid_t f) {
      const hid_t set = H5Dopen2(f, "/requests/stream", H5P_DEFAULT);
      const std::vector<std::int32_t> values(20, -7);
      H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      H5Dclose(set);
    });
    CHECK_THROWS_WITH(summarize(path), Contains("/requests/stream holds -7"));
  }
  SECTION("the format is a later one") {
    alter(path, [](hid_t f) {
      const std::int64_t version = 99;
      const hid_t a = H5Aopen(f, "format_version", H5P_DEFAULT);
      H5Awrite(a, H5T_NATIVE_INT64, &version);
      H5Aclose(a);
    });
    CHECK_THROWS_WITH(summarize(path), Contains("format version is 99"));
  }
}

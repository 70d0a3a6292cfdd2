// Files that are no results, or no longer whole: refused by name, whatever is in them.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include <limits>

#include "analysis/summary.hpp"
#include "base/errors.hpp"
#include "record/hdf5_file.hpp"
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

/// Extendible dataspaces need chunks.
h5::Handle chunked(hid_t space) {
  std::array<hsize_t, 2> extent{};
  const int rank = H5Sget_simple_extent_dims(space, extent.data(), nullptr);
  for (hsize_t& e : extent) e = std::max<hsize_t>(e, 1);
  h5::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties.get(), rank, extent.data());
  return properties;
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
  SECTION("rows of no width, of which a file could hold any number") {
    alter(path, [](hid_t f) {
      replace_dataset(f, "/histograms/itl", H5T_NATIVE_DOUBLE, {hsize_t{1} << 50, 0});
      replace_dataset(f, "/histograms/itl_s", H5T_NATIVE_DOUBLE, {0});
      replace_dataset(f, "/histograms/itl_upper", H5T_NATIVE_DOUBLE, {0});
    });
    CHECK_THROWS_WITH(summarize(path), Contains("/histograms/itl claims"));
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

TEST_CASE("foreign files: values that no run writes are refused with their column") {
  const TemporaryFolder folder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Damage {
    const char* column;
    double value;
    const char* message;
  };
  for (const Damage& d :
       std::vector<Damage>{{"/requests/prompt_tokens", nan, "/requests/prompt_tokens holds nan"},
                           {"/requests/output_tokens", -1, "/requests/output_tokens holds -1"},
                           {"/requests/arrival_s", -3, "/requests/arrival_s holds -3"},
                           {"/requests/ttft_s", -0.5, "/requests/ttft_s holds -0.5"},
                           {"/requests/e2e_s", nan, "/requests/e2e_s lacks"},
                           {"/requests/queued_s", 1e300, "/requests/queued_s holds 1e+300"},
                           {"/requests/status", 7, "/requests/status holds 7"},
                           {"/requests/slo_met", 2, "/requests/slo_met holds 2"},
                           {"/replicas/memory_ns", 9e14, "/replicas/wall_ns is not the sum"},
                           {"/replicas/cached_tokens", 1e6, "/replicas/cached_tokens holds more"},
                           {"/replicas/preemptions", nan, "/replicas/preemptions holds nan"},
                           {"/histograms/itl", -1, "/histograms/itl holds -1"},
                           {"/timeseries/kv_used", 1.5, "/timeseries/kv_used holds 1.5"}}) {
    INFO(d.column);
    const std::string path = a_result(folder / "a.h5");
    alter(path, [&](hid_t f) {
      const hid_t old = H5Dopen2(f, d.column, H5P_DEFAULT), space = H5Dget_space(old);
      std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
      H5Dread(old, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      H5Dclose(old);
      values[0] = d.value;
      H5Ldelete(f, d.column, H5P_DEFAULT);
      const hid_t set =
          H5Dcreate2(f, d.column, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, chunked(space).get(), H5P_DEFAULT);
      H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      H5Sclose(space);
      H5Dclose(set);
    });
    CHECK_THROWS_AS(summarize(path), ConfigError);
    CHECK_THROWS_WITH(summarize(path), Contains(d.message));
  }
}

TEST_CASE("foreign files: a format version that is no number is refused") {
  const TemporaryFolder folder;
  const std::string path = a_result(folder / "a.h5");
  alter(path,
        [](hid_t f) { h5::set_attribute(f, "format_version", std::numeric_limits<double>::quiet_NaN()); });
  CHECK_THROWS_WITH(summarize(path), Contains("format version is nan"));
}

TEST_CASE("foreign files: one damaged byte, wherever it is, ends in a summary or in a refusal") {
  const TemporaryFolder folder;
  const std::string whole = read_bytes(a_result(folder / "a.h5"));
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 1500) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    std::ofstream(folder / "damaged.h5", std::ios::binary | std::ios::trunc) << damaged;
    try {
      summarize(folder / "damaged.h5");
    } catch (const ConfigError&) {
    }
  }
}

// How results describe themselves: text without heaps, marks that each row bears.
#include <catch2/catch.hpp>
#include <string>

#include "record/recorder.hpp"
#include "support/recorded_run.hpp"
#include "support/results_file.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

TEST_CASE("recorder: no attribute is text of variable length, which a damaged heap turns into a crash") {
  const TemporaryFolder folder;
  Scenario s = recorded_scenario();
  s.workload.streams.resize(1);
  for (int i = 1; i < 4000; ++i) {  // more than an object header holds
    s.workload.streams.push_back(s.workload.streams[0]);
    s.workload.streams.back().name = "a stream of which there are many, number " + std::to_string(i);
  }
  {
    Recorder recorder(s, folder / "a.h5");
    recorder.request(recorded_request(0, 0s, 0ms, 10ms, 10ms, 5));
    recorder.finish(recorded_result(1s));
    recorder.publish();
  }
  const hid_t file = H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  int texts = 0;
  const auto visit = [](hid_t root, const char* name, const H5O_info_t*, void* into) -> herr_t {
    const hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    const auto each = [](hid_t of, const char* attribute, const H5A_info_t*, void* count) -> herr_t {
      const hid_t a = H5Aopen(of, attribute, H5P_DEFAULT), type = H5Aget_type(a);
      if (H5Tget_class(type) == H5T_STRING) {
        ++*static_cast<int*>(count);
        CHECK(H5Tis_variable_str(type) == 0);
        CHECK((H5Tget_size(type) >= 2 ||
               std::string(attribute) == "CLASS"));  // one byte is a character to netCDF
      }
      H5Tclose(type);
      H5Aclose(a);
      return 0;
    };
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, each, into);
    H5Oclose(object);
    return 0;
  };
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &texts);
  H5Fclose(file);
  CHECK(texts > 100);
  CHECK_THAT(read_text_attribute(folder / "a.h5", "/requests/stream", "names"),
             Catch::Matchers::StartsWith("chat") && Catch::Matchers::EndsWith("number 3999"));
}

TEST_CASE("recorder: each row says whether it arrived in the warm-up and which limits it met") {
  const TemporaryFolder folder;
  Scenario s = recorded_scenario();  // TTFT 200 ms, TPOT 50 ms
  s.run.warmup = 2s;
  {
    Recorder recorder(s, folder / "a.h5");
    recorder.request(recorded_request(0, 1s, 0ms, 100ms, 60ms, 4));
    recorder.request(recorded_request(1, 2s, 0ms, 300ms, 10ms, 4));
    recorder.finish(recorded_result(10s));
    recorder.publish();
  }
  const auto column = [&](const char* name) {
    return read_values(folder / "a.h5", std::string("/requests/") + name);
  };
  CHECK(column("warmup") == std::vector<double>{1, 0});
  CHECK(column("slo_met") == std::vector<double>{0, 0});
  CHECK(column("ttft_met") == std::vector<double>{1, 0});
  CHECK(column("tpot_met") == std::vector<double>{0, 1});
  CHECK(column("e2e_met") == std::vector<double>{-1, -1});
}

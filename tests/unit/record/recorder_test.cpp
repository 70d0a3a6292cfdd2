// The result file: what stands in it, in which order, and that equal calls give equal bytes.
#include "record/recorder.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <thread>

#include "base/errors.hpp"
#include "record/requests_table.hpp"
#include "support/recorded_run.hpp"
#include "support/results_file.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

std::vector<RequestRecord> many_requests(std::int64_t n) {
  std::vector<RequestRecord> all;
  for (std::int64_t i = 0; i < n; ++i) {
    all.push_back(recorded_request(i, Nanos{1ms} * i, Nanos{i}, 100ms, 10ms, 1 + static_cast<int>(i % 7)));
    all.back().stream = static_cast<std::uint16_t>(i % 2);
  }
  return all;
}

void record(const std::string& path, const std::vector<RequestRecord>& requests, bool steps = false) {
  Scenario s = recorded_scenario();
  s.run.record.steps = steps;
  Recorder recorder(s, path);
  std::int64_t n = 0;
  for (const RequestRecord& r : requests) {
    recorder.request(r);
    if (++n % 1000 == 0) {
      const std::vector<ReplicaSample> samples{recorded_sample(3, 1, 50, n), recorded_sample(0, 0, 0, 0)};
      recorder.sample(Nanos{1s} * (n / 1000), samples);
    }
  }
  recorder.finish(recorded_result(100s));
  recorder.publish();
}

std::vector<double> counting(std::int64_t n) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < n; ++i) v.push_back(static_cast<double>(i));
  return v;
}

}  // namespace

TEST_CASE("recorder: rows are in id order although requests end in any order") {
  const TemporaryFolder folder;
  auto requests = many_requests(20'000);
  std::shuffle(requests.begin(), requests.end(), std::mt19937(1));
  record(folder / "a.h5", requests);
  CHECK(read_values(folder / "a.h5", "/requests/id") == counting(20'000));
  const auto queued = read_values(folder / "a.h5", "/requests/queued_s");
  for (std::size_t i = 0; i < queued.size(); ++i)
    REQUIRE(std::llround(queued[i] * 1e9) == static_cast<long long>(i));
}

TEST_CASE("recorder: equal calls give equal bytes, also under another name and at another time") {
  const TemporaryFolder folder;
  const auto requests = many_requests(9'000);
  record(folder / "a.h5", requests);
  std::this_thread::sleep_for(1100ms);  // HDF5 stamps whole seconds where it is not told otherwise
  record(folder / "sub/other-name.h5", requests);
  const std::string a = read_bytes(folder / "a.h5");
  CHECK(a.size() > 10'000);
  CHECK((a == read_bytes(folder / "sub/other-name.h5")));
  CHECK(a.find("other-name") == std::string::npos);
}

TEST_CASE("recorder: which of two replicas reports first within a sample period does not show") {
  const TemporaryFolder folder;
  auto requests = many_requests(9'000);
  record(folder / "a.h5", requests);
  for (std::size_t from = 0; from < requests.size(); from += 1000)
    std::reverse(requests.begin() + static_cast<long>(from),
                 requests.begin() + static_cast<long>(from + 1000));
  record(folder / "b.h5", requests);
  CHECK((read_bytes(folder / "a.h5") == read_bytes(folder / "b.h5")));
}

TEST_CASE("requests table: memory stays bounded when old requests outlive all others") {
  const TemporaryFolder folder;
  const auto requests = many_requests(40'000);
  {
    h5::File file(folder / "t.h5", "t.h5");
    RequestsTable table(file, StreamTable(recorded_scenario().workload), 6'000);
    for (const RequestRecord& r : requests)
      if (r.id % 3 != 0) {
        table.add(r);
        REQUIRE(table.waiting_rows() <= 6'000);
      }
    for (const RequestRecord& r : requests)  // one of three starved until here
      if (r.id % 3 == 0) table.add(r);
    table.finish();
    CHECK(table.waiting_rows() == 0);
  }
  CHECK(read_values(folder / "t.h5", "/requests/id") == counting(40'000));
  const auto output = read_values(folder / "t.h5", "/requests/output_tokens");
  for (std::size_t i = 0; i < output.size(); ++i) REQUIRE(output[i] == static_cast<double>(1 + i % 7));
}

TEST_CASE("requests table: a request that is missing or came twice is an error") {
  const TemporaryFolder folder;
  const StreamTable streams(recorded_scenario().workload);
  const auto requests = many_requests(3);
  SECTION("missing") {
    h5::File file(folder / "t.h5", "t.h5");
    RequestsTable table(file, streams);
    table.add(requests[0]);
    table.add(requests[2]);
    CHECK_THROWS_AS(table.finish(), SimulationError);
  }
  SECTION("twice") {
    h5::File file(folder / "t.h5", "t.h5");
    RequestsTable table(file, streams);
    table.add(requests[0]);
    table.add(requests[1]);
    table.add(requests[1]);
    CHECK_THROWS_AS(table.finish(), SimulationError);
  }
}

TEST_CASE("recorder: TTFT, TPOT and E2E are defined as by vLLM's benchmark, NaN where there are none") {
  const TemporaryFolder folder;
  std::vector<RequestRecord> requests{recorded_request(0, 1s, 20ms, 100ms, 10ms, 5),
                                      recorded_request(1, 2s, 0ms, 100ms, 0ms, 1)};
  RequestRecord refused;
  refused.id = 2;
  refused.arrival = refused.finish = 3s;
  refused.status = RequestStatus::refused;
  RequestRecord running = recorded_request(3, 4s, 0ms, 50ms, 10ms, 3);
  running.status = RequestStatus::unfinished;
  running.finish = 0ns;
  requests.push_back(refused);
  requests.push_back(running);
  record(folder / "a.h5", requests);
  const auto ttft = read_values(folder / "a.h5", "/requests/ttft_s");
  const auto tpot = read_values(folder / "a.h5", "/requests/tpot_s");
  const auto e2e = read_values(folder / "a.h5", "/requests/e2e_s");
  CHECK(ttft[0] == 0.1);
  CHECK(tpot[0] == 0.01);
  CHECK(e2e[0] == 0.14);
  CHECK(ttft[1] == 0.1);
  CHECK(std::isnan(tpot[1]));  // one token: no time between tokens
  CHECK(e2e[1] == 0.1);
  CHECK(std::isnan(ttft[2]));
  CHECK(std::isnan(e2e[2]));
  CHECK(ttft[3] == 0.05);
  CHECK(std::isnan(e2e[3]));
  CHECK(read_values(folder / "a.h5", "/requests/status") == std::vector<double>{0, 0, 1, 2});
}

TEST_CASE("recorder: a request meets its SLO only when it completed within every limit") {
  const StreamTable streams(recorded_scenario().workload);  // chat: TTFT 200 ms, TPOT 50 ms; nightly: none
  auto r = recorded_request(0, 0s, 0ms, 200ms, 50ms, 4);
  CHECK(slo_met(r, streams).all() == 1);
  CHECK(slo_met(recorded_request(0, 0s, 0ms, 201ms, 10ms, 4), streams).all() == 0);
  CHECK(slo_met(recorded_request(0, 0s, 0ms, 10ms, 51ms, 4), streams).all() == 0);
  CHECK(slo_met(recorded_request(0, 0s, 0ms, 10ms, 51ms, 1), streams).all() == 1);  // no second token
  r.status = RequestStatus::unfinished;
  CHECK(slo_met(r, streams).all() == 0);
  r.stream = 1;
  CHECK(slo_met(r, streams).all() == -1);
}

TEST_CASE("recorder: time series hold the state and the rates since the sample before") {
  const TemporaryFolder folder;
  {
    Recorder recorder(recorded_scenario(), folder / "a.h5");
    const std::vector<ReplicaSample> first{recorded_sample(3, 1, 50, 100), recorded_sample(0, 0, 0, 0)};
    const std::vector<ReplicaSample> second{recorded_sample(2, 0, 25, 130), recorded_sample(1, 0, 10, 5)};
    recorder.sample(1s, first);
    recorder.sample(3s, second);
    CHECK_THROWS_AS(recorder.sample(3s, second), SimulationError);
    recorder.finish(recorded_result(4s));
    recorder.publish();
  }
  const std::string path = folder / "a.h5";
  CHECK(read_values(path, "/timeseries/time_s") == std::vector<double>{1, 3});
  CHECK(read_values(path, "/timeseries/running") == std::vector<double>{3, 0, 2, 1});
  CHECK(read_values(path, "/timeseries/waiting") == std::vector<double>{1, 0, 0, 0});
  CHECK(read_values(path, "/timeseries/kv_used") == std::vector<double>{0.5, 0, 0.25, 0.1});
  CHECK(read_values(path, "/timeseries/output_tokens_per_s") == std::vector<double>{100, 0, 15, 2.5});
  CHECK(read_values(path, "/timeseries/prompt_tokens_per_s") == std::vector<double>{1000, 0, 150, 25});
}

TEST_CASE("recorder: the time ledger of every replica adds up to the span of the run") {
  const TemporaryFolder folder;
  record(folder / "a.h5", many_requests(10));
  std::vector<double> sum(2, 0);
  for (const char* part : {"compute", "memory", "interconnect", "overhead", "idle"}) {
    const auto values = read_values(folder / "a.h5", std::string("/replicas/") + part + "_ns");
    for (std::size_t i = 0; i < 2; ++i) sum[i] += values[i];
  }
  CHECK(sum == read_values(folder / "a.h5", "/replicas/wall_ns"));
  CHECK(read_values(folder / "a.h5", "/replicas/compute_ns") == std::vector<double>{12.5e9, 0});
}

TEST_CASE("recorder: histograms keep the counts and the exact edges of their bins") {
  const TemporaryFolder folder;
  record(folder / "a.h5", many_requests(10));
  const auto counts = read_values(folder / "a.h5", "/histograms/itl");
  const auto lower = read_values(folder / "a.h5", "/histograms/itl_s");
  const auto upper = read_values(folder / "a.h5", "/histograms/itl_upper");
  REQUIRE(counts == std::vector<double>{9});
  CHECK(lower[0] <= 0.02);
  CHECK(upper[0] > 0.02);
  CHECK((upper[0] - lower[0]) / lower[0] <= 1.0 / 16);
  CHECK(read_values(folder / "a.h5", "/histograms/batch_size_sequences") == std::vector<double>{3});
}

TEST_CASE("recorder: steps are ordered by replica and time, whatever order they are reported in") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& path, int group) {
    Scenario s = recorded_scenario();
    s.run.record.steps = true;
    Recorder recorder(s, path);
    for (int from = 0; from < 600; from += group)
      for (std::int32_t replica : {1, 0})
        for (int i = from; i < from + group; ++i) {
          StepRecord step;
          step.replica = replica;
          step.start = Nanos{1ms} * i;
          step.end = step.start + 1ms;
          step.tokens = i;
          recorder.step(step);
        }
    recorder.finish(recorded_result(1s));
    recorder.publish();
  };
  write(folder / "single.h5", 1);
  write(folder / "strides.h5", 200);
  CHECK((read_bytes(folder / "single.h5") == read_bytes(folder / "strides.h5")));
  const auto tokens = read_values(folder / "single.h5", "/steps/tokens");
  REQUIRE(tokens.size() == 1200);
  CHECK(tokens[599] == 599);
  CHECK(tokens[600] == 0);
  CHECK(read_values(folder / "single.h5", "/steps/replica")[600] == 1);
}

TEST_CASE("recorder: trace rows read, accepted and dropped by reason are stored") {
  const TemporaryFolder folder;
  {
    Recorder recorder(recorded_scenario(), folder / "a.h5");
    RunResult result = recorded_result(1s);
    result.traces = {{"chat", "a.csv", 10, 7, {{"failed", 2}, {"no output", 1}}},
                     {"nightly", "b.csv", 5, 4, {{"no output", 1}}}};
    recorder.finish(result);
    recorder.publish();
  }
  CHECK(read_values(folder / "a.h5", "/traces/read") == std::vector<double>{10, 5});
  CHECK(read_values(folder / "a.h5", "/traces/accepted") == std::vector<double>{7, 4});
  CHECK(read_values(folder / "a.h5", "/traces/dropped") == std::vector<double>{2, 1, 0, 1});
}

TEST_CASE("recorder: every dataset states its units and what it is") {
  const TemporaryFolder folder;
  record(folder / "a.h5", many_requests(10), true);
  std::vector<std::string> datasets;
  const hid_t file = H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* into) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(into)->push_back(name);
    CHECK(info->mtime == 0);  // nothing stamps the time of day into the file
    return 0;
  };
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &datasets);
  H5Fclose(file);
  CHECK(datasets.size() > 60);
  for (const std::string& d : datasets) {
    INFO(d);
    const std::string units = read_text_attribute(folder / "a.h5", d, "units");
    CHECK(!units.empty());
    CHECK(units != "seconds");
    CHECK(!read_text_attribute(folder / "a.h5", d, "long_name").empty());
    if (d.ends_with("_s") && !d.ends_with("per_s")) CHECK(units == "s");
  }
}

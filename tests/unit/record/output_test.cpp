// A result file is complete under its final name, or absent.
#include <sys/resource.h>
#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <csignal>

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "record/recorder.hpp"
#include "support/recorded_run.hpp"
#include "support/results_file.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
namespace fs = std::filesystem;

TEST_CASE("output: the final name appears only when the file is published") {
  const TemporaryFolder folder;
  const std::string path = folder / "new/folder/a.h5";
  Recorder recorder(recorded_scenario(), path);
  CHECK(!fs::exists(path));
  CHECK_THROWS_AS(recorder.publish(), SimulationError);
  recorder.finish(recorded_result(1s));
  CHECK(!fs::exists(path));
  CHECK(fs::path(recorder.temporary_path()).parent_path() == fs::path(path).parent_path());
  recorder.publish();
  CHECK(fs::exists(path));
  CHECK(!fs::exists(recorder.temporary_path()));
}

TEST_CASE("output: a run that ends early leaves nothing behind") {
  const TemporaryFolder folder;
  {
    Scenario s = recorded_scenario();
    s.run.record.steps = true;
    Recorder recorder(s, folder / "a.h5");
    recorder.request(recorded_request(0, 0s, 0ms, 1ms, 1ms, 3));
  }
  CHECK(folder.empty());
}

TEST_CASE("output: an older file stays whole until the new one replaces it") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.h5";
  std::ofstream(path) << "older";
  Recorder recorder(recorded_scenario(), path);
  recorder.finish(recorded_result(1s));
  CHECK(read_bytes(path) == "older");
  recorder.publish();
  CHECK(read_bytes(path).size() > 1000);
}

TEST_CASE("output: two runs may write the same output at once") {
  const TemporaryFolder folder;
  Recorder a(recorded_scenario(), folder / "a.h5");
  Recorder b(recorded_scenario(), folder / "a.h5");
  CHECK(a.temporary_path() != b.temporary_path());
  a.finish(recorded_result(1s));
  b.finish(recorded_result(1s));
  b.publish();
  a.publish();
  CHECK(read_values(folder / "a.h5", "/replicas/wall_ns") == std::vector<double>{1e9, 1e9});
}

TEST_CASE("output: a folder that cannot be made or a name that is a folder is refused by name") {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  fs::create_directory(folder / "dir");
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(Recorder(recorded_scenario(), folder / "file/a.h5"), Contains("file"));
  CHECK_THROWS_AS(Recorder(recorded_scenario(), folder / "file/a.h5"), ConfigError);
  CHECK_THROWS_WITH(Recorder(recorded_scenario(), folder / "dir"), Contains("is a folder"));
  CHECK_THROWS_AS(Recorder(recorded_scenario(), ""), ConfigError);
  CHECK_THROWS_AS(Recorder(recorded_scenario(), "/proc/nowhere/a.h5"), ConfigError);
}

TEST_CASE("output: a pipe is refused and left alone, a symbolic link stays one") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe", file = folder / "file.h5", link = folder / "link.h5";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(OutputFile(pipe), Catch::Matchers::Contains("is a pipe"));
  CHECK(fs::is_fifo(pipe));
  fs::create_symlink("file.h5", link);
  CHECK_THROWS_AS(OutputFile(link), ConfigError);  // leads to nothing yet
  std::ofstream(file) << "older";
  OutputFile(link).publish();
  CHECK(fs::is_symlink(link));
  CHECK(read_bytes(file).empty());
  CHECK_THROWS_AS(refuse_to_replace(file, link), ConfigError);
  CHECK_NOTHROW(refuse_to_replace(file, folder / "other.h5"));
}

TEST_CASE("output: a full disk ends the run with the file's name and leaves nothing behind") {
  const TemporaryFolder folder;
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit old = limit;
  limit.rlim_cur = 200'000;  // stands in for the disk's end
  std::string message;
  {
    Recorder recorder(recorded_scenario(), folder / "full.h5");
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      for (std::int64_t i = 0; i < 200'000; ++i)
        recorder.request(
            recorded_request(i, Nanos{i * 7919}, Nanos{i % 977}, Nanos{i % 104729 + 977}, 7ms, 5));
      recorder.finish(recorded_result(1s));
    } catch (const SimulationError& e) {
      message = e.what();
    }
  }
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK_THAT(message, Catch::Matchers::Contains("full.h5") && Catch::Matchers::Contains("File too large"));
  CHECK(folder.empty());
}

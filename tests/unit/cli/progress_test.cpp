// The progress line: what it says when the run's length is known, and when it is not.
#include "cli/progress.hpp"

#include <catch2/catch.hpp>

using namespace ridgepoint;
using namespace ridgepoint::cli;
using namespace std::chrono_literals;

TEST_CASE("progress: simulated time, requests, rate and the time left") {
  const RunProgress half{3725s, std::nullopt, 500, 1000};
  CHECK(progress_line(half, 10s, 200) ==
        "[##########          ]  50 %  simulated 1:02:05  requests 500/1000  50/s  0:10 left");
}

TEST_CASE("progress: of two measures of what is done the further one counts") {
  const RunProgress by_time{90s, Nanos(100s), 10, 1000};
  CHECK(progress_line(by_time, 9s, 200) ==
        "[##################  ]  90 %  simulated 1:30  requests 10/1000  1/s  0:01 left");
}

TEST_CASE("progress: an open-ended run has no bar and no end") {
  CHECK(progress_line({65s, std::nullopt, 7, std::nullopt}, 2s, 200) == "simulated 1:05  requests 7  4/s");
}

TEST_CASE("progress: the line stays within the terminal") {
  CHECK(progress_line({65s, std::nullopt, 7, 14}, 2s, 30).size() == 29);
}

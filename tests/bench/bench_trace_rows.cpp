// Rows per second of the Azure CSV reader, from a file of a million rows that it writes beside the program.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/units.hpp"
#include "measure.hpp"
#include "scenario/load.hpp"
#include "workload/source.hpp"

namespace {
constexpr int kRows = 1'000'000;

void write_trace(const std::filesystem::path& path) {
  std::ofstream out(path);
  out << "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  char line[96];
  for (std::int64_t i = 0; i < kRows; ++i) {  // 20 requests a second, from midnight on
    const int second = static_cast<int>(i / 20);
    std::snprintf(line, sizeof line, "2023-11-16 %02d:%02d:%02d.%07d,%d,%d\n", second / 3600,
                  second / 60 % 60, second % 60, static_cast<int>(i % 20) * 500'000,
                  static_cast<int>(1 + i * 7919 % 4000), static_cast<int>(1 + i * 104'729 % 500));
    out << line;
  }
}
}  // namespace

int main(int, char** argv) {
  using namespace ridgepoint;
  const auto path = std::filesystem::path(argv[0]).parent_path() / "bench_trace.csv";
  write_trace(path);
  LoadOptions options;
  options.set = {"workload.streams.0.trace.path=" + path.string()};
  const Scenario scenario = load_scenario(RIDGEPOINT_SOURCE_DIR "/scenarios/azure-conv.yaml", options);
  std::int64_t rows = 0;
  const double seconds = bench::best_seconds([&] {
    rows = 0;
    const auto source = make_request_source(scenario);
    for (; source->next_arrival() != kNever; ++rows) source->pop();
  });
  std::filesystem::remove(path);
  bench::report(static_cast<double>(rows) / seconds);
}

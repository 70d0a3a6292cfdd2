// The units of each dimension.
#include "scenario/units_text.hpp"

namespace ridgepoint {
namespace {

constexpr Unit kBytes[] = {{"TB", 12},
                           {"GB", 9},
                           {"MB", 6},
                           {"kB", 3},
                           {"B"},
                           {"TiB", 0, std::int64_t{1} << 40},
                           {"GiB", 0, std::int64_t{1} << 30},
                           {"MiB", 0, std::int64_t{1} << 20},
                           {"KiB", 0, 1024}};
constexpr Unit kBytesPerSecond[] = {{"TB/s", 12},
                                    {"GB/s", 9},
                                    {"MB/s", 6},
                                    {"kB/s", 3},
                                    {"B/s"},
                                    {"TiB/s", 0, std::int64_t{1} << 40},
                                    {"GiB/s", 0, std::int64_t{1} << 30},
                                    {"MiB/s", 0, std::int64_t{1} << 20},
                                    {"KiB/s", 0, 1024},
                                    {"Tbit/s", 12, 1, 8},
                                    {"Gbit/s", 9, 1, 8},
                                    {"Mbit/s", 6, 1, 8}};
constexpr Unit kFlops[] = {{"PFLOP/s", 15}, {"TFLOP/s", 12}, {"GFLOP/s", 9}, {"MFLOP/s", 6},
                           {"kFLOP/s", 3},  {"FLOP/s"},      {"POP/s", 15},  {"TOP/s", 12},
                           {"GOP/s", 9},    {"MOP/s", 6},    {"kOP/s", 3},   {"OP/s"}};
constexpr Unit kWatts[] = {{"MW", 6}, {"kW", 3}, {"W"}};
constexpr Unit kHertz[] = {{"GHz", 9}, {"MHz", 6}, {"kHz", 3}, {"Hz"}};
constexpr Unit kDuration[] = {{"d", 0, 86400}, {"h", 0, 3600}, {"min", 0, 60}, {"s"},
                              {"ms", -3},      {"us", -6},     {"ns", -9}};
constexpr Unit kRate[] = {{"/s"}, {"/min", 0, 1, 60}, {"/h", 0, 1, 3600}};
constexpr Unit kMoney[] = {{"USD"}};
constexpr Unit kMoneyPerHour[] = {{"USD/h"}};

struct DimensionText {
  std::span<const Unit> units;
  std::string_view what, example;
};
// Indexed by Dimension.
constexpr DimensionText kDimensions[] = {
    {kBytes, "an amount of memory", "80 GB"},       {kBytesPerSecond, "a bandwidth", "3.35 TB/s"},
    {kFlops, "a compute rate", "989 TFLOP/s"},      {kWatts, "a power", "700 W"},
    {kHertz, "a clock frequency", "1.98 GHz"},      {kDuration, "a duration", "30 s"},
    {kRate, "a rate of requests", "12 /s"},         {kMoney, "a price", "25000 USD"},
    {kMoneyPerHour, "a rental price", "2.5 USD/h"},
};
static_assert(std::size(kDimensions) == kDimensionCount);

}  // namespace

std::span<const Unit> units_of(Dimension d) { return kDimensions[static_cast<std::size_t>(d)].units; }
std::string_view describe(Dimension d) { return kDimensions[static_cast<std::size_t>(d)].what; }
std::string_view example(Dimension d) { return kDimensions[static_cast<std::size_t>(d)].example; }

std::string unit_names(Dimension d) {
  std::string s;
  for (const Unit& u : units_of(d)) s += (s.empty() ? "" : ", ") + std::string(u.name);
  return s;
}

std::string quantity_pattern(Dimension d) {
  std::string s;
  for (const Unit& u : units_of(d)) s += (s.empty() ? "" : "|") + std::string(u.name);
  return "^[-+]?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)? *(" + s + ")$";
}

}  // namespace ridgepoint

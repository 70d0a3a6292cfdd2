// Reads hw/calibrations/NAME.yaml for tests below the scenario floor; no checks, the real reader has those.
#pragma once
#include <yaml-cpp/yaml.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "spec/calibration.hpp"

namespace ridgepoint::test {

/// "3.5 us" -> 3.5e-6, "259 GB/s" -> 259e9: prefixes of seconds, bytes and bytes a second.
inline double quantity(const YAML::Node& node) {
  std::istringstream text(node.as<std::string>());
  double value = 0;
  std::string unit;
  text >> value >> unit;
  const std::map<std::string, double> scale{{"us", 1e-6},  {"ms", 1e-3},  {"s", 1},      {"MB", 1e6},
                                            {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
  const auto it = scale.find(unit);
  REQUIRE(it != scale.end());
  return value * it->second;
}

inline OperatorFit operator_fit(const YAML::Node& n) {
  return {Seconds{quantity(n["constant"])},    Seconds{quantity(n["memory_latency"])},
          n["memory_efficiency"].as<double>(), n["compute_efficiency"].as<double>(),
          n["softmax_p"].as<double>(),         n["wave_exponent"].as<double>(),
          n["half_length"].as<double>()};
}

inline Calibration calibration_file(const std::string& name) {
  const YAML::Node y = YAML::LoadFile(RIDGEPOINT_SOURCE_DIR "/hw/calibrations/" + name + ".yaml");
  Calibration c;
  c.name = y["name"].as<std::string>();
  c.provenance = y["provenance"].as<std::string>();
  c.by_analogy = y["by_analogy"] && y["by_analogy"].as<bool>();
  const auto by_dtype = [](const YAML::Node& node, std::map<Dtype, OperatorFit>& fits) {
    for (const auto& item : node)
      fits[parse_dtype(item.first.as<std::string>()).value()] = operator_fit(item.second);
  };
  by_dtype(y["gemm"], c.gemm);
  if (y["experts"]) by_dtype(y["experts"], c.experts);
  c.attention_prefill = operator_fit(y["attention_prefill"]);
  c.attention_decode = operator_fit(y["attention_decode"]);
  c.elementwise = operator_fit(y["elementwise"]);
  c.mixed_decode = y["mixed_decode"].as<double>();
  c.decode_skew = y["decode_skew"].as<double>();
  const YAML::Node a = y["all_reduce"];
  c.all_reduce.link = BytesPerSecond{quantity(a["link"])};
  for (const auto& i : a["latency"]) c.all_reduce.latency[i.first.as<int>()] = Seconds{quantity(i.second)};
  for (const auto& i : a["busbw"]) c.all_reduce.busbw[i.first.as<int>()] = BytesPerSecond{quantity(i.second)};
  for (const auto& i : a["half_size"]) c.all_reduce.half_size[i.first.as<int>()] = Bytes{quantity(i.second)};
  c.all_reduce.eager_extra = Seconds{quantity(a["eager_extra"])};
  c.step_overhead = Seconds{quantity(y["step_overhead"])};
  c.host = Seconds{quantity(y["host"])};
  c.host_per_sequence = Seconds{quantity(y["host_per_sequence"])};
  c.kernel_launch = Seconds{quantity(y["kernel_launch"])};
  c.frontend = Seconds{quantity(y["frontend"])};
  const YAML::Node b = y["band"];
  c.band = {b["median"].as<double>(), b["p90"].as<double>(), b["basis"].as<std::string>()};
  return c;
}

}  // namespace ridgepoint::test

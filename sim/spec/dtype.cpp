#include "spec/dtype.hpp"

#include <array>
#include <utility>

namespace ridgepoint {
namespace {
struct Format {
  std::string_view name;
  double bits;
};
// Indexed by Dtype. tf32 is a multiplication format: it is stored as fp32.
constexpr std::array<Format, kDtypeCount> kFormats{{{"fp32", 32},
                                                    {"tf32", 32},
                                                    {"bf16", 16},
                                                    {"fp16", 16},
                                                    {"fp8", 8},
                                                    {"int8", 8},
                                                    {"fp6", 6},
                                                    {"nvfp4", 4.5},
                                                    {"mxfp4", 4.25},
                                                    {"int4", 4}}};
constexpr std::pair<std::string_view, Dtype> kAliases[] = {
    {"float32", Dtype::fp32}, {"float", Dtype::fp32},        {"bfloat16", Dtype::bf16},
    {"float16", Dtype::fp16}, {"half", Dtype::fp16},         {"fp8_e4m3", Dtype::fp8},
    {"fp8_e5m2", Dtype::fp8}, {"float8_e4m3fn", Dtype::fp8}, {"float8_e5m2", Dtype::fp8},
};
}  // namespace

double bits(Dtype d) { return kFormats[static_cast<std::size_t>(d)].bits; }
std::string_view name(Dtype d) { return kFormats[static_cast<std::size_t>(d)].name; }

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < kFormats.size(); ++i)
    if (kFormats[i].name == text) return static_cast<Dtype>(i);
  for (const auto& [alias, d] : kAliases)
    if (alias == text) return d;
  return std::nullopt;
}

}  // namespace ridgepoint

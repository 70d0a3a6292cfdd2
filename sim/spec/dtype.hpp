// Number formats of weights, activations and KV cache.
#pragma once
#include <optional>
#include <string_view>

namespace ridgepoint {

enum class Dtype { fp32, tf32, bf16, fp16, fp8, int8, fp6, nvfp4, mxfp4, int4 };
inline constexpr int kDtypeCount = 10;

/// Bits one element occupies, block scales included where the format itself defines them
/// (nvfp4: 4 + 8/16; mxfp4: 4 + 8/32). int4 is the bare 4: its group scales are the quantisation's.
double bits(Dtype d);
inline double bytes_per_element(Dtype d) { return bits(d) / 8.0; }

std::string_view name(Dtype d);  ///< "bf16"
/// Accepts our names and the framework's: bfloat16, float16, half, float32, float, float8_e4m3fn, fp8_e4m3
/// ...
std::optional<Dtype> parse_dtype(std::string_view text);

}  // namespace ridgepoint

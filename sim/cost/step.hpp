// One engine step as the cost model sees it, and what it costs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"

namespace ridgepoint {

/// How the step is launched (vllm-v1.md section 12).
enum class GraphMode : std::uint8_t { eager, piecewise, full };

/// A sequence that computes more than one token, or its last prompt token: `tokens` new ones after `cached`.
struct PrefillPiece {
  std::int32_t tokens = 0;
  std::int32_t cached = 0;
};

/// Shape of one step. `tokens` are real, `padded_tokens` what the GEMMs see (>= tokens).
struct StepShape {
  std::int32_t tokens = 0;
  std::int32_t padded_tokens = 0;
  std::int32_t sequences = 0;  ///< scheduled
  std::int32_t sampled = 0;    ///< rows of the LM head: sequences that emit a token
  GraphMode graph = GraphMode::full;
  // decode attention: sequences with exactly one new token
  std::int32_t decode_sequences = 0;
  std::int64_t decode_context = 0;         ///< sum of attended tokens, the new one included
  std::int64_t decode_window_context = 0;  ///< sum of min(attended, window); models without windows: ignored
  std::int32_t decode_max_context = 0;     ///< longest attended
  std::span<const PrefillPiece> prefill;
};

/// GPU seconds of a step (host time apart) and their exact split; the four sum to total() by construction.
struct StepCost {
  double compute = 0, memory = 0, interconnect = 0, overhead = 0;  ///< seconds
  std::int64_t flops = 0;                                          ///< of one rank
  std::int64_t hbm_bytes = 0;                                      ///< read and written by one rank
  std::int64_t link_bytes = 0;                                     ///< sent by one rank
  double total() const { return compute + memory + interconnect + overhead; }
};

}  // namespace ridgepoint

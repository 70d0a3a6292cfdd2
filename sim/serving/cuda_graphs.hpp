// Which CUDA graph a step is replayed from, and to how many tokens it is padded (vllm-v1.md section 12).
#pragma once
#include <cstdint>
#include <vector>

#include "cost/step.hpp"
#include "spec/engine.hpp"

namespace ridgepoint {

class CudaGraphs {
 public:
  explicit CudaGraphs(const Engine& engine);
  struct Launch {
    std::int32_t padded_tokens = 0;
    GraphMode mode = GraphMode::eager;
  };
  /// For `tokens` over `requests`, none of which has more than `longest`.
  Launch pick(std::int32_t tokens, std::int32_t requests, std::int32_t longest) const;
  const std::vector<std::int32_t>& sizes() const {
    return sizes_;
  }  ///< captured, ascending; empty when eager

 private:
  std::vector<std::int32_t> sizes_;
  std::vector<std::int32_t> padded_;  ///< by tokens, up to the largest size
  std::int32_t per_decode_ = 1;       ///< 1 + K
  std::int32_t largest_full_ = 0;     ///< R (1 + K); 0 = no full decode graphs
};

}  // namespace ridgepoint

// Random models, engines and step shapes for the properties of the cost model.
#pragma once
#include <algorithm>
#include <random>
#include <vector>

#include "cost/cost_model.hpp"
#include "support/fixtures.hpp"

namespace ridgepoint::test {

/// Uniform whole numbers from a fixed seed: the raw engine is the same everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  int in(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(in(0, static_cast<int>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

inline std::vector<Model> all_models() {
  return {llama_3_1_8b(), llama_3_1_70b(), llama_2_7b(), qwen3_30b_a3b(), gpt_oss_20b(), deepseek_v3()};
}

inline StepShape decode_shape(int batch, std::int64_t context, int longest, int padded, GraphMode graph) {
  StepShape s;
  s.tokens = s.sequences = s.sampled = s.decode_sequences = batch;
  s.padded_tokens = padded;
  s.decode_context = context;
  s.decode_max_context = longest;
  s.graph = graph;
  return s;
}

/// A step with decodes, prefill pieces, or both; the pieces live in `pieces`.
inline StepShape random_step(Draw& draw, const Model& m, std::vector<PrefillPiece>& pieces) {
  StepShape s;
  pieces.clear();
  const int window = m.window_size();
  s.decode_sequences = draw.in(0, 200);
  for (int i = 0; i < s.decode_sequences; ++i) {
    const int context = draw.in(1, 6000);
    s.decode_context += context;
    s.decode_window_context += window > 0 ? std::min(context, window) : context;
    s.decode_max_context = std::max(s.decode_max_context, context);
  }
  const int count = draw.in(s.decode_sequences == 0 ? 1 : 0, 3);
  s.tokens = s.decode_sequences;
  for (int i = 0; i < count; ++i) {
    pieces.push_back({draw.in(2, 1500), draw.in(0, 1) * draw.in(0, 20000)});
    s.tokens += pieces.back().tokens;
  }
  s.padded_tokens = s.tokens + draw.in(0, 15);
  s.sequences = s.decode_sequences + count;
  s.sampled = std::max(1, s.sequences - draw.in(0, count));
  s.graph = static_cast<GraphMode>(draw.in(0, 2));
  s.prefill = pieces;
  return s;
}

}  // namespace ridgepoint::test

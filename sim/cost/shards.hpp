// The weight matrices one rank holds: the single source of both what a step multiplies and what fits in
// memory.
#pragma once
#include <cstdint>
#include <vector>

#include "spec/engine.hpp"
#include "spec/model.hpp"

namespace ridgepoint::cost {

/// How a matrix is stored and what it is multiplied in.
struct WeightFormat {
  Dtype weights = Dtype::bf16;
  Dtype multiply = Dtype::bf16;
  int group_rows = 0, group_cols = 0;  ///< see Quantization
  double scale_bytes = 0;
};

/// n outputs by k inputs, as one rank holds it. n = 0: there is none.
struct Matrix {
  const char* name = "";
  std::int64_t n = 0, k = 0;
  WeightFormat format;
  double bytes() const;  ///< scales included
};

/// One decoder layer of a rank.
struct LayerShard {
  std::vector<Matrix> projections;  ///< before attention: QKV, or the low-rank chain of MLA
  Matrix output;                    ///< after attention
  Matrix gate_up, down;             ///< dense MLP, or the shared experts of an expert layer
  Matrix router;
  Matrix expert_gate_up, expert_down;  ///< of one expert
  int experts = 0;                     ///< resident on the rank: all of them, each sliced
  std::int64_t vectors = 0;            ///< elements of norms, biases and sinks
  double bytes(Dtype activations) const;
};

struct Shards {
  LayerShard dense, expert;  ///< layers with a dense MLP; layers with experts
  int dense_layers = 0, expert_layers = 0;
  Matrix embedding;           ///< vocabulary-parallel; a look-up, not a GEMM
  Matrix lm_head;             ///< vocabulary-parallel
  bool tied = false;          ///< the head is the embedding
  int heads = 0;              ///< query heads of the rank
  std::int64_t q_width = 0;   ///< elements of a token's queries on the rank
  std::int64_t kv_width = 0;  ///< elements a token adds to the cache in one layer of the rank
  double bytes(Dtype activations) const;
};

/// Throws ConfigError when the tensor-parallel degree is not legal for the model.
Shards shard_model(const Model& model, const Engine& engine);

}  // namespace ridgepoint::cost

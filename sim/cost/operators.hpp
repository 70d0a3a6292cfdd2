// What a step runs on one rank: shapes, FLOPs and bytes, not yet seconds.
// A step is a list of operators; those of equal layers are one entry with a count.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "cost/shards.hpp"
#include "cost/step.hpp"

namespace ridgepoint::cost {

enum class OperatorKind : std::uint8_t {
  gemm,
  experts,
  attention_prefill,
  attention_decode,
  elementwise,
  all_reduce,
  gather
};

/// One kernel, run `count` times in the step. All other fields are of one run.
struct Operator {
  const char* name = "";
  OperatorKind kind = OperatorKind::elementwise;
  int count = 1;
  WeightFormat format;
  double flops = 0;
  double bytes = 0;         ///< of HBM, read and written
  double message = 0;       ///< bytes that a collective reduces or gathers
  double length_flops = 0;  ///< FLOPs that each unit of the fit's half_length stands for
  double tiles = 0;         ///< of 128 rows (GEMM: by 128 columns), not rounded: the work
  double whole_tiles = 0;   ///< the same in whole tiles: what occupies the SMs
  // Prefill attention has tiles of unequal lengths instead:
  double whole_flops = 0;         ///< FLOPs with each sequence's rows rounded up to whole tiles
  double whole_length_flops = 0;  ///< of them, for each unit of half_length
  double longest_tile_flops = 0;  ///< FLOPs of a tile of the sequence with the longest view
  double tile_length_flops = 0;   ///< of a tile, for each unit of half_length
};

/// Builds the lists for one model and engine.
class OperatorList {
 public:
  OperatorList(const Model& model, const Engine& engine);

  /// Everything that depends on the GEMM rows alone: embedding, layers without attention proper, final norm.
  std::vector<Operator> body(std::int32_t padded_tokens) const;
  /// LM head and sampling.
  std::vector<Operator> head(std::int32_t sampled) const;
  /// Attention of the prefill pieces in all layers of one kind; window 0 = full attention.
  Operator prefill(std::span<const PrefillPiece> pieces, int window, int layers) const;
  /// MLA prefill attends in full dimensions: cached latents are expanded anew. count 0 where there is nothing
  /// to do.
  Operator expansion(std::span<const PrefillPiece> pieces, int layers) const;
  /// Attention of `batch` decoding sequences with `context` attended tokens in all, in `layers` layers.
  Operator decode(std::int32_t batch, double context, int layers) const;

  double decode_flops_per_token() const { return decode_flops_; }
  double kv_bytes_per_token() const { return kv_bytes_; }
  double decode_bytes_per_sequence() const;  ///< queries in, output out
  const Shards& shards() const { return shards_; }
  const Model& model() const { return model_; }
  const Engine& engine() const { return engine_; }

 private:
  Model model_;
  Engine engine_;
  Shards shards_;
  double element_;          ///< bytes of one activation
  double kv_bytes_;         ///< of one token in one layer on the rank
  double decode_flops_;     ///< for each attended token, MLA in its absorbed form
  double prefill_flops_;    ///< for each (new, attended) pair of tokens
  std::int64_t out_width_;  ///< elements of a token's attention output on the rank
  void add_linear(std::vector<Operator>& list, const Matrix& w, double tokens, int count) const;
  void add_layer(std::vector<Operator>& list, const LayerShard& layer, int layers, std::int32_t tokens) const;
  void add_experts(std::vector<Operator>& list, const LayerShard& layer, int layers,
                   std::int32_t tokens) const;
};

/// (new, attended) pairs of `tokens` new tokens after `cached` ones, each seeing at most `window` (0 = all).
double attended_pairs(std::int32_t tokens, std::int32_t cached, int window);
/// Distinct experts that `tokens` tokens hit in expectation, routed evenly.
double distinct_experts(int experts, int per_token, double tokens);

}  // namespace ridgepoint::cost

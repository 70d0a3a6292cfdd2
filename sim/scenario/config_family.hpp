// Architectures that can be modelled: one row each of the table, which is all that is special about it.
#pragma once
#include <array>
#include <string_view>

namespace ridgepoint {

/// Which layers are windowed, whence biases come, and how experts are named.
enum class Windows { none, all, from_layer, every_nth_full, alternating };
enum class Bias { none, qkv, configured };
enum class Experts { none, local, qwen, deepseek };

/// What the architecture's name says beyond the fields, and the defaults of its configuration class.
/// source: transformers, configuration_*.py and modeling_*.py of each model type.
struct Family {
  std::string_view architecture;
  bool nested = false;  ///< the language model stands in text_config
  Experts experts = Experts::none;
  Windows windows = Windows::none;  ///< where the file has no layer_types
  Bias bias = Bias::none;
  bool bias_default = false;
  bool qk_norm = false, gemma = false, gpt_oss = false, score_bias = false;
  int heads = 0, kv_heads = 0;  ///< 0: heads must be stated; kv_heads = heads
  int head_dim = 0;             ///< 0: hidden_size / num_attention_heads
  int vocab = 0, max_position = 0, window = 0;
};

constexpr Family gemma(std::string_view name, bool nested) {
  return {.architecture = name,
          .nested = nested,
          .windows = Windows::every_nth_full,
          .bias = Bias::configured,
          .qk_norm = true,
          .gemma = true,
          .heads = 8,
          .kv_heads = 4,
          .head_dim = 256,
          .vocab = 262208,
          .max_position = 131072,
          .window = 4096};
}

inline constexpr std::array<Family, 11> kFamilies{{
    {.architecture = "DeepseekV2ForCausalLM", .experts = Experts::deepseek, .bias = Bias::configured},
    {.architecture = "DeepseekV3ForCausalLM",
     .experts = Experts::deepseek,
     .bias = Bias::configured,
     .score_bias = true},
    gemma("Gemma3ForCausalLM", false),
    gemma("Gemma3ForConditionalGeneration", true),
    {.architecture = "GptOssForCausalLM",
     .experts = Experts::local,
     .windows = Windows::alternating,
     .bias = Bias::configured,
     .bias_default = true,
     .gpt_oss = true,
     .kv_heads = 8,
     .head_dim = 64,
     .window = 128},
    {.architecture = "LlamaForCausalLM", .bias = Bias::configured},
    {.architecture = "MistralForCausalLM", .windows = Windows::all, .kv_heads = 8, .window = 4096},
    {.architecture = "MixtralForCausalLM", .experts = Experts::local, .windows = Windows::all, .kv_heads = 8},
    {.architecture = "Qwen2ForCausalLM", .windows = Windows::from_layer, .bias = Bias::qkv, .window = 4096},
    {.architecture = "Qwen3ForCausalLM",
     .windows = Windows::from_layer,
     .bias = Bias::configured,
     .qk_norm = true,
     .head_dim = 128,
     .window = 4096},
    {.architecture = "Qwen3MoeForCausalLM",
     .experts = Experts::qwen,
     .windows = Windows::from_layer,
     .bias = Bias::configured,
     .qk_norm = true,
     .kv_heads = 4,
     .window = 4096},
}};

}  // namespace ridgepoint

// quantization_config of a checkpoint: which format the linear layers are stored in and multiplied in.
#include <algorithm>
#include <array>
#include <string_view>

#include "scenario/config_json.hpp"

namespace ridgepoint {
namespace {

/// Bytes of an fp32 and of a 16-bit scale.
constexpr double kScale32 = 4, kScale16 = 2;

/// Block-scaled or per-tensor fp8, as DeepSeek-V3 and Qwen3-FP8 publish it: weights and activations.
Quantization fp8(const ConfigFields& q, const Model&) {
  Quantization out{"fp8", Dtype::fp8, Dtype::fp8, 0, 0, kScale32, false};
  if (!q.has("weight_block_size")) return out;
  const nlohmann::json& block = q.at("weight_block_size");
  const auto whole = [](const nlohmann::json& n) { return n.is_number_integer() && n > 0 && n <= 65536; };
  if (!block.is_array() || block.size() != 2 || !whole(block[0]) || !whole(block[1])) {
    q.problem("weight_block_size", "is " + shown(block), "it must be two positive whole numbers, [128, 128]");
    return out;
  }
  out.group_rows = block[0].get<int>();
  out.group_cols = block[1].get<int>();
  return out;
}

/// OCP microscaling: the block scales are part of the format. Only expert weights; they meet 16-bit
/// activations.
Quantization mxfp4(const ConfigFields& q, const Model& m) {
  if (!m.moe())
    q.problem("quant_method", "is \"mxfp4\", which covers only experts, and the model has none",
              "use the checkpoint's 16-bit config");
  return {"mxfp4", Dtype::mxfp4, m.dtype, 0, 0, 0, true};
}

/// Group size of weight-only integers; -1 is one scale an output column, which is 1/k of the elements and
/// counts as one a tensor.
int group_size(const ConfigFields& q, const std::string& key) {
  const int g = q.integer(key, -1, 65536, 128);
  if (g == 0) q.problem(key, "is 0", "it must be -1 (one scale a column) or the size of a group");
  return g > 0 ? g : 0;
}

Quantization weight_only(const ConfigFields& q, const Model& m, const std::string& method, int bits,
                         int group, bool zero_points) {
  Quantization out{method, Dtype::int4, m.dtype, 0, 0, 0, false};
  if (bits == 8)
    out.weights = Dtype::int8;
  else if (bits != 4)
    q.problem(q.first_of({"bits", "num_bits", "w_bit"}), "is " + std::to_string(bits),
              "only 4 and 8 bit weights can be modelled");
  out.group_rows = group;
  out.group_cols = group > 0 ? 1 : 0;
  out.scale_bytes = kScale16 + (zero_points ? bits / 8.0 : 0);
  return out;
}

Quantization awq(const ConfigFields& q, const Model& m) {
  return weight_only(q, m, "awq", q.integer(q.first_of({"bits", "w_bit"}), 1, 64),
                     group_size(q, q.first_of({"group_size", "q_group_size"})),
                     q.boolean("zero_point", true));
}

/// GPTQ files hold zero points whether the scheme is symmetric or not.
Quantization gptq(const ConfigFields& q, const Model& m) {
  return weight_only(q, m, "gptq", q.integer("bits", 1, 64), group_size(q, "group_size"), true);
}

Quantization modelopt(const ConfigFields& q, const Model&) {
  const std::string algo = q.text("quant_algo");
  // NVFP4 blocks of 16 with an fp8 scale are part of the format; one fp32 scale a tensor comes on top.
  if (algo == "NVFP4") return {"modelopt_fp4", Dtype::nvfp4, Dtype::nvfp4, 0, 0, kScale32, false};
  if (algo != "FP8" && !algo.empty())
    q.problem("quant_algo", "is \"" + algo + "\"", "FP8 and NVFP4 can be modelled");
  return {"modelopt", Dtype::fp8, Dtype::fp8, 0, 0, kScale32, false};
}

/// compressed-tensors with one group of equal linear layers, which is how such checkpoints are published.
Quantization compressed_tensors(const ConfigFields& q, const Model& m) {
  const Quantization none{"compressed-tensors", m.dtype, m.dtype, 0, 0, 0, false};
  const auto groups = q.object("config_groups");
  if (!groups || q.at("config_groups").size() != 1) {
    q.problem("config_groups", "does not hold exactly one group", "only uniform schemes can be modelled");
    return none;
  }
  const auto group = groups->object(q.at("config_groups").begin().key());
  const auto weights = group ? group->object("weights") : std::nullopt;
  if (!weights) {
    q.problem("config_groups", "has a group without weights", "it must say how the weights are stored");
    return none;
  }
  const bool activations = group->object("input_activations").has_value();
  const int bits = weights->integer("num_bits", 1, 64);
  const std::string type = weights->text("type");
  const int scaled = weights->has("group_size") ? group_size(*weights, "group_size") : 0;
  if (type == "float" && bits == 8)
    return {none.method, Dtype::fp8, activations ? Dtype::fp8 : m.dtype, 0, 0, kScale32, false};
  if (type == "float" && bits == 4 && scaled == 16)
    return {none.method, Dtype::nvfp4, activations ? Dtype::nvfp4 : m.dtype, 0, 0, kScale32, false};
  if (type == "int" && !activations)
    return weight_only(*weights, m, none.method, bits, scaled, !weights->boolean("symmetric", true));
  if (type == "int" && bits == 8) return {none.method, Dtype::int8, Dtype::int8, 0, 0, kScale32, false};
  weights->problem("type", "with num_bits " + std::to_string(bits) + " is " + shown(type),
                   "float of 8 or 4 bits (groups of 16), int of 8 or, weight-only, 4 bits can be modelled");
  return none;
}

struct Method {
  std::string_view name;
  Quantization (*read)(const ConfigFields&, const Model&);
};
constexpr std::array<Method, 6> kMethods{{{"awq", awq},
                                          {"compressed-tensors", compressed_tensors},
                                          {"fp8", fp8},
                                          {"gptq", gptq},
                                          {"modelopt", modelopt},
                                          {"mxfp4", mxfp4}}};

/// Layers that no method quantises, or that hold next to nothing; naming them as excluded changes nothing.
bool small_or_never_quantised(const std::string& module) {
  constexpr std::string_view kNames[] = {"lm_head",   "embed_tokens", "norm",       "layernorm",
                                         "gate",      "router",       "vision",     "visual",
                                         "projector", "eh_proj",      "shared_head"};
  const std::string last = module.substr(module.find_last_of('.') + 1);
  const auto ends_with = [&](std::string_view name) {
    return last.size() >= name.size() && last.compare(last.size() - name.size(), name.size(), name) == 0;
  };
  return std::any_of(std::begin(kNames), std::end(kNames), ends_with) ||
         module.find("vision") != std::string::npos || module.find("visual") != std::string::npos;
}

/// Excluded modules: all of attention in a mixture of experts leaves the experts; other parts are refused.
void apply_exclusions(const ConfigFields& q, const std::string& key, const Model& m, Quantization& out) {
  for (const std::string& module : q.texts(key)) {
    const bool all_attention =
        module.find("self_attn") != std::string::npos && module.find('*') != std::string::npos;
    if (all_attention && m.moe() && m.first_dense_layers == 0 && m.shared_expert_intermediate == 0)
      out.experts_only = true;
    else if (!small_or_never_quantised(module))
      q.problem(key, "leaves " + shown(module) + " unquantised",
                "only whole-model or experts-only quantisation can be modelled");
  }
}

}  // namespace

Quantization read_quantization(const ConfigFields& config, const Model& model) {
  const auto q = config.object("quantization_config");
  if (!q) return {"none", model.dtype, model.dtype, 0, 0, 0, false};
  const std::string name = q->text("quant_method");
  for (const Method& method : kMethods)
    if (method.name == name) {
      Quantization out = method.read(*q, model);
      for (const char* key : {"modules_to_not_convert", "ignored_layers", "ignore"})
        apply_exclusions(*q, key, model, out);
      return out;
    }
  std::string known;
  for (const Method& method : kMethods) known += (known.empty() ? "" : ", ") + std::string(method.name);
  if (!name.empty()) q->problem("quant_method", "is " + shown(name), "can be modelled: " + known);
  return {};
}

}  // namespace ridgepoint

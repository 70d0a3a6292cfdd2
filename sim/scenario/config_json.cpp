// Reads the fields of a config.json by its architecture's row in the table of config_family.hpp.
#include "scenario/config_json.hpp"

#include <algorithm>

#include "scenario/config_family.hpp"

namespace ridgepoint {
namespace {

// Upper limits far above any published model, so that no product of sizes leaves 64 bits unnoticed.
constexpr int kMostLayers = 4096, kMostWidth = 1 << 20, kMostHeads = 4096, kMostExperts = 65536;
constexpr int kMostVocab = 1 << 26, kMostPositions = 1 << 30;
constexpr double kMostParameters = 1e15;

std::optional<int> or_none(int n) { return n > 0 ? std::optional<int>(n) : std::nullopt; }

const Family* find_family(const ConfigFields& root) {
  const std::vector<std::string> names = root.texts("architectures");
  std::string known;
  for (const Family& f : kFamilies) known += (known.empty() ? "" : ", ") + std::string(f.architecture);
  if (names.size() != 1) {
    if (!root.has("architectures") || root.at("architectures").is_array())
      root.problem("architectures", names.empty() ? "is missing or empty" : "names more than one",
                   "it must name one of " + known);
    return nullptr;
  }
  const auto it = std::find_if(kFamilies.begin(), kFamilies.end(),
                               [&](const Family& f) { return f.architecture == names[0]; });
  if (it != kFamilies.end()) return &*it;
  const std::string near = nearest_name(names[0], modelled_architectures());
  root.problem("architectures", shown(names[0]) + " cannot be modelled",
               (near.empty() ? "" : "did you mean " + near + "? ") + "known are " + known);
  return nullptr;
}

/// Features that change what a layer computes and that no field of Model can carry.
void refuse_unmodelled(const ConfigFields& t, const Family& f) {
  if (t.boolean("is_encoder_decoder", false))
    t.problem("is_encoder_decoder", "is true", "only decoder-only models can be modelled");
  for (const char* key : {"attention_chunk_size", "mamba_d_state", "ssm_cfg", "linear_num_key_heads",
                          "index_topk", "num_kv_shared_layers", "cross_attention_layers"})
    if (t.has(key) && t.at(key) != 0)
      t.problem(key, "is " + shown(t.at(key)), "only full and sliding-window attention can be modelled");
  const std::string act = t.first_of({"hidden_activation", "hidden_act"});
  const std::string name = t.text(act, f.gemma ? "gelu_pytorch_tanh" : "silu");
  if (name != "silu" && name != "swish" && name != "gelu" && name != "gelu_pytorch_tanh")
    t.problem(act, "is " + shown(name),
              "only gated silu (swish) and gated gelu (gelu_pytorch_tanh) MLPs can be modelled");
}

void read_sizes(const ConfigFields& t, const Family& f, Model& m) {
  m.layers = t.integer("num_hidden_layers", 1, kMostLayers);
  m.hidden = t.integer("hidden_size", 1, kMostWidth);
  m.vocab = t.integer("vocab_size", 1, kMostVocab, or_none(f.vocab));
  m.heads = t.integer("num_attention_heads", 1, kMostHeads, or_none(f.heads));
  m.kv_heads =
      t.integer("num_key_value_heads", 1, kMostHeads, f.kv_heads > 0 ? f.kv_heads : std::max(1, m.heads));
  if (m.heads % m.kv_heads != 0)
    t.problem("num_key_value_heads",
              "is " + std::to_string(m.kv_heads) + ", which does not divide num_attention_heads " +
                  std::to_string(m.heads),
              "each KV head must serve the same number of query heads");
  if (f.experts == Experts::deepseek) return;  // head sizes come with the latent attention
  if (!t.has("head_dim") && f.head_dim == 0 && m.hidden % m.heads != 0)
    t.problem("head_dim", "is missing, and hidden_size is not a multiple of num_attention_heads",
              "state head_dim");
  m.head_dim =
      t.integer("head_dim", 1, kMostWidth, f.head_dim > 0 ? f.head_dim : std::max(1, m.hidden / m.heads));
}

void read_latent_attention(const ConfigFields& t, Model& m) {
  m.q_lora_rank = t.integer("q_lora_rank", 1, kMostWidth, 0);
  m.kv_lora_rank = t.integer("kv_lora_rank", 1, kMostWidth);
  m.qk_nope_dim = t.integer("qk_nope_head_dim", 1, kMostWidth);
  m.qk_rope_dim = t.integer("qk_rope_head_dim", 1, kMostWidth);
  m.v_head_dim = t.integer("v_head_dim", 1, kMostWidth);
  m.head_dim = m.qk_nope_dim + m.qk_rope_dim;
}

/// A rule by which some layers would be dense and others not, in a way that Model does not hold.
void refuse_partial_experts(const ConfigFields& t) {
  for (const char* key : {"decoder_sparse_step", "moe_layer_freq"})
    if (t.has(key) && t.at(key) != 1)
      t.problem(key, "is " + shown(t.at(key)), "only 1 (experts in every layer) can be modelled");
  if (t.has("mlp_only_layers") && t.at("mlp_only_layers") != nlohmann::json::array())
    t.problem("mlp_only_layers", "is " + shown(t.at("mlp_only_layers")),
              "only [] (experts in every layer) can be modelled");
}

void read_mlp(const ConfigFields& t, const Family& f, Model& m) {
  const bool routed = f.experts != Experts::none;
  if (!routed || f.experts == Experts::deepseek)
    m.intermediate = t.integer("intermediate_size", 1, kMostWidth);
  if (!routed) return;
  refuse_partial_experts(t);
  const char* count = f.experts == Experts::local  ? "num_local_experts"
                      : f.experts == Experts::qwen ? "num_experts"
                                                   : "n_routed_experts";
  m.experts = t.integer(count, 1, kMostExperts);
  const std::string per_token = t.first_of({"num_experts_per_tok", "experts_per_token"});
  m.experts_per_token = t.integer(per_token, 1, kMostExperts);
  if (m.experts_per_token > m.experts)
    t.problem(per_token, "is more than " + std::string(count), "a token visits each expert at most once");
  m.expert_intermediate =
      t.integer(f.experts == Experts::local ? "intermediate_size" : "moe_intermediate_size", 1, kMostWidth);
  if (f.experts == Experts::deepseek) {
    m.first_dense_layers = t.integer("first_k_dense_replace", 0, std::max(1, m.layers), 0);
    m.shared_expert_intermediate = t.integer("n_shared_experts", 0, 64, 0) * m.expert_intermediate;
  }
  m.router_bias = f.gpt_oss || f.score_bias;
}

/// True for each layer whose attention is windowed when the file has no layer_types.
std::vector<bool> windowed_by_rule(const ConfigFields& t, const Family& f, int layers) {
  std::vector<bool> windowed(static_cast<std::size_t>(layers), false);
  int first_windowed = 0, period = 0;  // every period-th layer is full
  switch (f.windows) {
    case Windows::none:
      return windowed;
    case Windows::all:
      break;
    case Windows::from_layer:
      if (!t.boolean("use_sliding_window", false)) return windowed;
      first_windowed = t.integer("max_window_layers", 0, kMostLayers);
      break;
    case Windows::every_nth_full:
      period =
          t.integer(t.first_of({"sliding_window_pattern", "_sliding_window_pattern"}), 1, kMostLayers, 6);
      break;
    case Windows::alternating:
      period = 2;
      break;
  }
  for (int l = first_windowed; l < layers; ++l)
    windowed[static_cast<std::size_t>(l)] = period == 0 || (l + 1) % period != 0;
  return windowed;
}

std::vector<bool> windowed_by_type(const ConfigFields& t, int layers) {
  const std::vector<std::string> types = t.texts("layer_types");
  std::vector<bool> windowed(static_cast<std::size_t>(layers), false);
  if (types.size() != windowed.size()) {
    t.problem("layer_types", "has " + std::to_string(types.size()) + " entries",
              "it must have one for each of the " + std::to_string(layers) + " layers");
    return windowed;
  }
  for (std::size_t l = 0; l < types.size(); ++l) {
    windowed[l] = types[l] == "sliding_attention";
    if (windowed[l] || types[l] == "full_attention") continue;
    t.problem("layer_types", "entry " + std::to_string(l) + " is " + shown(types[l]),
              "only full_attention and sliding_attention can be modelled");
    break;
  }
  return windowed;
}

void read_windows(const ConfigFields& t, const Family& f, Model& m) {
  const std::vector<bool> windowed =
      t.has("layer_types") ? windowed_by_type(t, m.layers) : windowed_by_rule(t, f, m.layers);
  if (std::none_of(windowed.begin(), windowed.end(), [](bool w) { return w; })) return;
  // A sliding_window of null switches it off; one that is not written has the class's default.
  if (!t.has("sliding_window") &&
      (f.windows == Windows::none || f.window == 0 || t.states_null("sliding_window"))) {
    if (t.has("layer_types")) t.problem("sliding_window", "is missing", "layer_types names windowed layers");
    return;
  }
  const int window = t.integer("sliding_window", 1, kMostPositions, or_none(f.window));
  for (const bool w : windowed) m.window.push_back(w ? window : 0);
}

/// The longest context, as vLLM derives it from positions and rope scaling (vllm/config/model.py,
/// _get_and_verify_max_len): yarn multiplies its original length, linear and dynamic the stated one; llama3
/// and longrope are in the stated one already, and so is Gemma 3's factor.
void read_max_position(const ConfigFields& t, const Family& f, Model& m) {
  double longest = t.integer("max_position_embeddings", 1, kMostPositions, or_none(f.max_position));
  for (const char* key : {"model_max_length", "max_seq_len", "seq_length", "max_sequence_length"})
    if (t.has(key)) longest = std::min<double>(longest, t.integer(key, 1, kMostPositions));
  const std::string key = t.first_of({"rope_scaling", "rope_parameters"});
  if (const auto rope = t.object(key); rope && !f.gemma) {
    const std::string type_key = rope->first_of({"rope_type", "type"});
    const std::string type = rope->text(type_key);
    if (type == "linear" || type == "dynamic" || type == "yarn") {
      if (type == "yarn") longest = rope->integer("original_max_position_embeddings", 1, kMostPositions);
      longest *= rope->number("factor", 1, 1e6);
    } else if (type != "default" && type != "llama3" && type != "longrope" && type != "su" && !type.empty()) {
      rope->problem(type_key, "is " + shown(type),
                    "default, linear, dynamic, yarn, llama3 and longrope can be modelled");
    }
  }
  if (longest > kMostPositions)
    t.problem(key, "gives a context of more than 2^30 tokens", "lower its factor");
  m.max_position = static_cast<int>(std::min<double>(longest, kMostPositions));
}

void read_dtype(const ConfigFields& root, const ConfigFields& text, const Family& f, Model& m) {
  const bool in_text = text.has("dtype") || text.has("torch_dtype");
  const ConfigFields& where = in_text ? text : root;
  const std::string key = where.first_of({"torch_dtype", "dtype"});
  // gpt-oss leaves it out: what its quantisation does not cover is published in bfloat16.
  const std::string value = where.has(key) || !f.gpt_oss ? where.text(key) : "bfloat16";
  const std::optional<Dtype> d = parse_dtype(value);
  if (d == Dtype::bf16 || d == Dtype::fp16 || d == Dtype::fp32)
    m.dtype = *d;
  else if (!value.empty())
    where.problem(key, "is " + shown(value), "it must be bfloat16, float16 or float32");
}

void refuse_absurd_total(const ConfigFields& t, const Model& m) {
  const double h = m.hidden;
  const double mlp = std::max<double>(m.intermediate, double(m.expert_intermediate) * m.experts);
  const double attention = (2.0 * m.heads + 2.0 * m.kv_heads) * m.head_dim;
  if (m.layers * h * (3 * mlp + attention) + 2.0 * m.vocab * h > kMostParameters)
    t.problem("hidden_size", "makes, with the other sizes, more than 10^15 parameters", "check the sizes");
}

std::string name_of(const std::filesystem::path& file) {
  if (file.filename() != "config.json") return file.stem().string();
  return std::filesystem::absolute(file).lexically_normal().parent_path().filename().string();
}

}  // namespace

std::vector<std::string> modelled_architectures() {
  std::vector<std::string> names;
  for (const Family& f : kFamilies) names.emplace_back(f.architecture);
  return names;
}

Model read_config_json(const std::filesystem::path& file) {
  const nlohmann::json json = parse_json_file(file);
  std::vector<Problem> problems;
  const ConfigFields root(json, file.string(), problems);
  const Family* f = find_family(root);
  if (f == nullptr) throw ConfigError(problems);
  const std::optional<ConfigFields> nested = f->nested ? root.object("text_config") : std::nullopt;
  if (f->nested && !nested && problems.empty())
    root.problem("text_config", "is missing", "it must hold the language model's fields");
  if (!problems.empty()) throw ConfigError(problems);
  const ConfigFields& t = nested ? *nested : root;

  Model m;
  m.name = name_of(file);
  m.architecture = f->architecture;
  refuse_unmodelled(t, *f);
  read_sizes(t, *f, m);
  if (f->experts == Experts::deepseek) read_latent_attention(t, m);
  read_mlp(t, *f, m);
  read_windows(t, *f, m);
  read_max_position(t, *f, m);
  read_dtype(root, t, *f, m);
  m.tied_embeddings = t.has("tie_word_embeddings") ? t.boolean("tie_word_embeddings", f->gemma)
                                                   : root.boolean("tie_word_embeddings", f->gemma);
  const bool bias = f->bias == Bias::configured && t.boolean("attention_bias", f->bias_default);
  m.qkv_bias = bias || f->bias == Bias::qkv;
  m.output_bias = bias;
  m.mlp_bias = f->gpt_oss || (f->architecture == "LlamaForCausalLM" && t.boolean("mlp_bias", false));
  m.qk_norm = f->qk_norm;
  m.norms_per_layer = f->gemma ? 4 : 2;
  m.attention_sinks = f->gpt_oss;
  m.quantization = read_quantization(t.has("quantization_config") ? t : root, m);
  refuse_absurd_total(t, m);
  if (!problems.empty()) throw ConfigError(problems);
  return m;
}

}  // namespace ridgepoint

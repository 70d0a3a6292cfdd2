// What read_config_json accepts as it is, and what it refuses with the field that is the reason.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "scenario/config_json.hpp"

using namespace ridgepoint;
using nlohmann::json;

namespace {

/// A file in a folder of its own, gone with the object.
class Config {
 public:
  explicit Config(const std::string& text) {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("ridgepoint-config-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directory(folder_);
    std::ofstream(file(), std::ios::binary) << text;
  }
  explicit Config(const json& fields) : Config(fields.dump()) {}
  ~Config() { std::filesystem::remove_all(folder_); }
  std::filesystem::path file() const { return folder_ / "config.json"; }
  Model read() const { return read_config_json(file()); }

 private:
  std::filesystem::path folder_;
};

json llama() {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"hidden_act", "silu"},
          {"hidden_size", 4096},
          {"intermediate_size", 14336},
          {"num_attention_heads", 32},
          {"num_key_value_heads", 8},
          {"num_hidden_layers", 32},
          {"vocab_size", 128256},
          {"max_position_embeddings", 8192},
          {"torch_dtype", "bfloat16"}};
}

json with(json base, const json& changes) {
  base.update(changes);
  return base;
}

json without(json base, const char* key) {
  base.erase(key);
  return base;
}

json catalog(const std::string& name) {
  return parse_json_file(std::filesystem::path(RIDGEPOINT_SOURCE_DIR) / "workloads" / "models" /
                         (name + ".json"));
}

/// The problems a config is refused with.
std::vector<Problem> refusal(const Config& config) {
  try {
    config.read();
  } catch (const ConfigError& e) {
    for (const Problem& p : e.problems()) {
      CHECK(p.file == config.file().string());
      CHECK_FALSE(p.what.empty());
      CHECK_FALSE(p.remedy.empty());
    }
    return e.problems();
  }
  return {};
}

/// The one key a change of `base` is refused for; empty when it is accepted, "several" for more than one.
std::string reason(const json& base, const json& changes = json::object()) {
  const std::vector<Problem> problems = refusal(Config(with(base, changes)));
  if (problems.empty()) return "";
  return problems.size() == 1 ? problems[0].key : "several";
}

}  // namespace

TEST_CASE("config.json: what a Llama file leaves out follows from the rest") {
  json file = llama();
  file.erase("num_key_value_heads");
  const Model m = Config(file).read();
  CHECK(m.kv_heads == 32);
  CHECK(m.head_dim == 128);
  CHECK_FALSE(m.tied_embeddings);
  CHECK_FALSE(m.qkv_bias);
  CHECK(m.max_position == 8192);
  CHECK(m.quantization.method == "none");
  CHECK(Config(with(llama(), {{"head_dim", nullptr}, {"num_key_value_heads", nullptr}})).read().kv_heads ==
        32);
  CHECK(Config(with(llama(), {{"tie_word_embeddings", true}})).read().tied_embeddings);
  const Model biased = Config(with(llama(), {{"attention_bias", true}, {"mlp_bias", true}})).read();
  CHECK((biased.qkv_bias && biased.output_bias && biased.mlp_bias));
}

TEST_CASE("config.json: a model is named for its file, or for the folder of a config.json") {
  const Config config(llama());
  CHECK(config.read().name == config.file().parent_path().filename().string());
}

TEST_CASE("config.json: fields that do not concern sizes are let be") {
  CHECK(reason(llama(), {{"transformers_version", "4.43"}, {"eos_token_id", {1, 2}}, {"_source", "x"}}) ==
        "");
}

TEST_CASE("config.json: Mistral's window is its file's, null switches it off, and its class has a default") {
  const json mistral = with(llama(), {{"architectures", {"MistralForCausalLM"}}});
  CHECK(Config(with(mistral, {{"sliding_window", 2048}})).read().windowed_layers() == 32);
  CHECK(Config(with(mistral, {{"sliding_window", nullptr}})).read().window.empty());
  CHECK(Config(mistral).read().window_size() == 4096);
}

TEST_CASE("config.json: Qwen windows only the layers from max_window_layers on, and only when told to") {
  const json qwen =
      with(llama(),
           {{"architectures", {"Qwen2ForCausalLM"}}, {"sliding_window", 32768}, {"max_window_layers", 28}});
  CHECK(Config(qwen).read().window.empty());
  CHECK(Config(qwen).read().qkv_bias);
  CHECK_FALSE(Config(qwen).read().output_bias);
  const Model m = Config(with(qwen, {{"use_sliding_window", true}})).read();
  CHECK(m.windowed_layers() == 4);
  CHECK(m.layer_window(27) == 0);
  CHECK(m.layer_window(28) == 32768);
}

TEST_CASE("config.json: Gemma 3 reads its text part with the class's defaults") {
  // A file may leave nearly everything out, as google/gemma-3-4b-it does.
  const Model m = Config(json{{"architectures", {"Gemma3ForConditionalGeneration"}},
                              {"torch_dtype", "bfloat16"},
                              {"vision_config", {{"hidden_size", 1152}}},
                              {"text_config",
                               {{"hidden_size", 2560},
                                {"intermediate_size", 10240},
                                {"num_hidden_layers", 34},
                                {"sliding_window", 1024}}}})
                      .read();
  CHECK(m.heads == 8);
  CHECK(m.kv_heads == 4);
  CHECK(m.head_dim == 256);
  CHECK(m.full_layers() == 5);
  CHECK(m.tied_embeddings);
  // The text part of the 4B model: 3.88 B parameters.
  CHECK(static_cast<double>(count_parameters(m).total()) / 1e9 == Approx(3.88).epsilon(0.005));
  CHECK(reason(catalog("gemma-3-27b"), {{"text_config", nullptr}}) == "text_config");
}

TEST_CASE("config.json: rope scaling lengthens the context as the engine derives it") {
  const auto longest = [](const json& rope) {
    return Config(with(llama(), {{"rope_scaling", rope}})).read().max_position;
  };
  CHECK(longest({{"type", "linear"}, {"factor", 4.0}}) == 32768);
  CHECK(longest({{"rope_type", "dynamic"}, {"factor", 2}}) == 16384);
  CHECK(longest({{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 4096}}) ==
        16384);
  CHECK(longest({{"rope_type", "llama3"}, {"factor", 8.0}}) == 8192);
  CHECK(longest({{"rope_type", "default"}}) == 8192);
  CHECK(Config(with(llama(), {{"model_max_length", 4096}})).read().max_position == 4096);
  CHECK(reason(llama(), {{"rope_scaling", {{"rope_type", "spiral"}, {"factor", 2}}}}) ==
        "rope_scaling.rope_type");
  CHECK(reason(llama(), {{"rope_scaling", {{"rope_type", "linear"}}}}) == "rope_scaling.factor");
  CHECK(reason(llama(), {{"rope_scaling", {{"rope_type", "linear"}, {"factor", 0.5}}}}) ==
        "rope_scaling.factor");
  CHECK(reason(llama(), {{"rope_scaling", {{"rope_type", "linear"}, {"factor", 999999}}}}) == "rope_scaling");
}

TEST_CASE("config.json: quantised checkpoints keep format and scales") {
  const auto read = [](const json& q) {
    return Config(with(llama(), {{"quantization_config", q}})).read().quantization;
  };
  const Quantization awq =
      read({{"quant_method", "awq"}, {"bits", 4}, {"group_size", 128}, {"zero_point", true}});
  CHECK(awq.weights == Dtype::int4);
  CHECK(awq.multiply == Dtype::bf16);
  CHECK(awq.group_rows * awq.group_cols == 128);
  CHECK(awq.scale_bytes == 2.5);
  const Quantization gptq = read({{"quant_method", "gptq"}, {"bits", 8}, {"group_size", -1}});
  CHECK(gptq.weights == Dtype::int8);
  CHECK(gptq.group_rows == 0);
  CHECK(read({{"quant_method", "fp8"}}).group_rows == 0);
  CHECK(read({{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}}).weights == Dtype::nvfp4);
  const json weights = {{"num_bits", 8}, {"type", "float"}, {"strategy", "channel"}};
  const json group = {{"targets", {"Linear"}}, {"weights", weights}, {"input_activations", weights}};
  const Quantization ct = read({{"quant_method", "compressed-tensors"},
                                {"config_groups", {{"group_0", group}}},
                                {"ignore", {"lm_head"}}});
  CHECK(ct.weights == Dtype::fp8);
  CHECK(ct.multiply == Dtype::fp8);
}

TEST_CASE("config.json: quantisation that cannot be modelled is refused by its field") {
  const auto quantised = [](const json& q) { return reason(llama(), {{"quantization_config", q}}); };
  CHECK(quantised({{"quant_method", "bitsandbytes"}}) == "quantization_config.quant_method");
  CHECK(quantised(json::object()) == "quantization_config.quant_method");
  CHECK(quantised("fp8") == "quantization_config");
  CHECK(quantised({{"quant_method", "awq"}, {"bits", 3}}) == "quantization_config.bits");
  CHECK(quantised({{"quant_method", "fp8"}, {"weight_block_size", {128}}}) ==
        "quantization_config.weight_block_size");
  CHECK(quantised({{"quant_method", "fp8"}, {"modules_to_not_convert", {"model.layers.3.self_attn"}}}) ==
        "quantization_config.modules_to_not_convert");
  CHECK(quantised({{"quant_method", "mxfp4"}}) == "quantization_config.quant_method");
  CHECK(quantised({{"quant_method", "compressed-tensors"}, {"config_groups", {{"a", json::object()}}}}) ==
        "quantization_config.config_groups");
}

TEST_CASE("config.json: what the simulator cannot model is refused with the field that is the reason") {
  CHECK(reason(llama(), {{"architectures", {"MambaForCausalLM"}}}) == "architectures");
  CHECK(reason(llama(), {{"architectures", {"T5ForConditionalGeneration"}}}) == "architectures");
  CHECK(reason(llama(), {{"architectures", json::array()}}) == "architectures");
  CHECK(reason(llama(), {{"architectures", "LlamaForCausalLM"}}) == "architectures");
  CHECK(reason(llama(), {{"is_encoder_decoder", true}}) == "is_encoder_decoder");
  CHECK(reason(llama(), {{"attention_chunk_size", 8192}}) == "attention_chunk_size");
  CHECK(reason(llama(), {{"hidden_act", "relu"}}) == "hidden_act");
  CHECK(reason(llama(), {{"torch_dtype", "float8_e4m3fn"}}) == "torch_dtype");
  const json moe = catalog("qwen3-30b-a3b");
  CHECK(reason(moe, {{"decoder_sparse_step", 2}}) == "decoder_sparse_step");
  CHECK(reason(moe, {{"mlp_only_layers", {0, 1}}}) == "mlp_only_layers");
  CHECK(reason(moe, {{"num_experts_per_tok", 129}}) == "num_experts_per_tok");
  CHECK(reason(catalog("deepseek-v3"), {{"moe_layer_freq", 2}}) == "moe_layer_freq");
  CHECK(reason(catalog("deepseek-v3"), {{"first_k_dense_replace", 62}}) == "first_k_dense_replace");
  json types = json::array();
  for (int l = 0; l < 36; ++l) types.push_back("linear_attention");
  CHECK(reason(catalog("gpt-oss-120b"), {{"layer_types", types}}) == "layer_types");
  CHECK(reason(catalog("gpt-oss-120b"), {{"layer_types", {"full_attention"}}}) == "layer_types");
}

TEST_CASE("config.json: an unknown architecture near a known one is corrected") {
  const auto problems = refusal(Config(with(llama(), {{"architectures", {"LlamaForCasualLM"}}})));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].remedy.find("did you mean LlamaForCausalLM") != std::string::npos);
}

TEST_CASE("config.json: a missing size is never guessed") {
  for (const char* key : {"hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers",
                          "vocab_size", "max_position_embeddings", "torch_dtype"}) {
    INFO(key);
    CHECK(refusal(Config(without(llama(), key))).at(0).key == key);
  }
}

TEST_CASE("config.json: sizes of the wrong type or beyond reason are refused by their key") {
  for (const char* key : {"hidden_size", "num_hidden_layers", "vocab_size", "max_position_embeddings"})
    for (const json& value : {json(0), json(-4096), json("4096"), json(4096.5), json(true), json::array({1}),
                              json(4'000'000'000'000LL), json(18446744073709551615ULL)}) {
      INFO(key << " = " << value);
      CHECK(refusal(Config(with(llama(), {{key, value}}))).at(0).key == key);
    }
  CHECK(reason(llama(), {{"num_key_value_heads", 7}}) == "num_key_value_heads");
  CHECK(reason(llama(), {{"num_attention_heads", 24}}) == "head_dim");
  CHECK(reason(llama(), {{"tie_word_embeddings", "false"}}) == "tie_word_embeddings");
  CHECK(reason(llama(),
               {{"hidden_size", 1048576}, {"intermediate_size", 1048576}, {"num_hidden_layers", 4096}}) ==
        "hidden_size");
}

TEST_CASE("config.json: all problems of a file are reported at once") {
  const auto problems = refusal(
      Config(with(llama(), {{"hidden_act", "relu"}, {"vocab_size", -1}, {"num_hidden_layers", "x"}})));
  CHECK(problems.size() == 3);
}

TEST_CASE("config.json: hostile text ends in a clear refusal") {
  const std::string nested(100000, '[');
  CHECK(refusal(Config("{\"a\":" + nested)).size() == 1);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  CHECK(refusal(Config(objects)).at(0).what.find("nested") != std::string::npos);
  CHECK(refusal(Config(std::string("{\"a\": \0 1}", 10))).size() == 1);
  CHECK(refusal(Config(std::string("{\"hidden_size\": NaN}"))).size() == 1);
  CHECK(refusal(Config(std::string("{\"hidden_size\": 1e999}"))).size() == 1);
  CHECK(refusal(Config(std::string("{\"a\": \"\xff\xfe\"}"))).size() == 1);
  CHECK(refusal(Config(std::string("[]"))).size() == 1);
  CHECK(refusal(Config(std::string("{\"hidden_size\": 4096"))).size() == 1);
  CHECK(refusal(Config(std::string())).size() == 1);
  CHECK_THROWS_AS(read_config_json("/nonexistent/config.json"), ConfigError);
  CHECK_THROWS_AS(read_config_json(std::filesystem::temp_directory_path()), ConfigError);
  CHECK_THROWS_AS(read_config_json("/dev/zero"), ConfigError);
}

TEST_CASE("config.json: a key that stands twice is refused, in whichever object") {
  const auto twice = refusal(Config(std::string("{\"hidden_size\": 1, \"hidden_size\": 2}")));
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].key == "hidden_size");
  CHECK(refusal(Config(std::string("{\"a\": {\"b\": 1, \"b\": 1}}"))).size() == 1);
  CHECK(refusal(Config(std::string("{\"a\": {\"x\": 1}, \"b\": {\"x\": 1}}"))).at(0).key == "architectures");
}

TEST_CASE("config.json: a syntax error is placed by line and column") {
  const auto problems = refusal(Config(std::string("{\n  \"a\": 1,\n  \"b\": oops\n}")));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].line == 3);
  CHECK(problems[0].column > 5);
}

// The catalog's models against published parameter counts and hand-calculated KV bytes.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "scenario/config_json.hpp"

using namespace ridgepoint;

namespace {

const std::filesystem::path kModels = std::filesystem::path(RIDGEPOINT_SOURCE_DIR) / "workloads" / "models";

Model catalog(const std::string& name) { return read_config_json(kModels / (name + ".json")); }

struct Published {
  const char* name;
  double billions;         ///< the model page's or the report's count
  double active_billions;  ///< 0 = dense
  bool embeds;             ///< whether that count takes in the embedding, which no token multiplies
  double kv_bytes;         ///< a token, bf16, worked out by hand: 2 * layers * kv heads * head_dim * 2
};

// Counts are the published ones.
// Active counts: gpt-oss card 5.13; DeepSeek-V3 report 37, and READMEs of Mixtral and Qwen3.
const Published kPublished[] = {
    {"llama-2-7b", 6.738, 0, false, 2. * 32 * 32 * 128 * 2},
    {"llama-2-70b", 68.977, 0, false, 2. * 80 * 8 * 128 * 2},
    {"llama-3.1-8b", 8.030, 0, false, 2. * 32 * 8 * 128 * 2},
    {"llama-3.1-70b", 70.554, 0, false, 2. * 80 * 8 * 128 * 2},
    {"llama-3.1-405b", 405.85, 0, false, 2. * 126 * 8 * 128 * 2},
    {"llama-3.2-1b", 1.236, 0, false, 2. * 16 * 8 * 64 * 2},
    {"mistral-7b", 7.248, 0, false, 2. * 32 * 8 * 128 * 2},
    {"mixtral-8x7b", 46.703, 12.9, true, 2. * 32 * 8 * 128 * 2},
    {"qwen3-8b", 8.191, 0, false, 2. * 36 * 8 * 128 * 2},
    {"qwen3-32b", 32.762, 0, false, 2. * 64 * 8 * 128 * 2},
    {"qwen3-30b-a3b", 30.532, 3.3, true, 2. * 48 * 4 * 128 * 2},
    {"qwen3-235b-a22b", 235.094, 22, true, 2. * 94 * 4 * 128 * 2},
    {"deepseek-v3", 671.03, 37, false, 61. * 576 * 2},
    {"gemma-3-27b", 27.009, 0, false, 2. * 62 * 16 * 128 * 2},
    {"gpt-oss-120b", 116.83, 5.13, false, 2. * 36 * 8 * 64 * 2},
};

}  // namespace

TEST_CASE("model catalog: parameter counts are the published ones within half a percent") {
  for (const Published& p : kPublished) {
    INFO(p.name);
    const double counted = static_cast<double>(count_parameters(catalog(p.name)).total()) / 1e9;
    CHECK(counted == Approx(p.billions).epsilon(0.005));
  }
}

TEST_CASE("model catalog: every published count is matched to its last digit") {
  // Nearly always the whole index is reproduced, so a wrong bias or norm shows though it is far below 0.5 %.
  CHECK(count_parameters(catalog("llama-2-7b")).total() == 6738415616);
  CHECK(count_parameters(catalog("llama-2-70b")).total() == 68976648192);
  CHECK(count_parameters(catalog("llama-3.1-8b")).total() == 8030261248);
  CHECK(count_parameters(catalog("llama-3.1-70b")).total() == 70553706496);
  CHECK(count_parameters(catalog("llama-3.1-405b")).total() == 405853388800);
  CHECK(count_parameters(catalog("llama-3.2-1b")).total() == 1235814400);
  CHECK(count_parameters(catalog("mistral-7b")).total() == 7248023552);
  CHECK(count_parameters(catalog("mixtral-8x7b")).total() == 46702792704);
  CHECK(count_parameters(catalog("qwen3-8b")).total() == 8190735360);
  CHECK(count_parameters(catalog("qwen3-32b")).total() == 32762123264);
  CHECK(count_parameters(catalog("qwen3-30b-a3b")).total() == 30532122624);
  CHECK(count_parameters(catalog("qwen3-235b-a22b")).total() == 235093634560);
  CHECK(count_parameters(catalog("deepseek-v3")).total() == 671026419200);
  CHECK(count_parameters(catalog("gpt-oss-120b")).total() == 116829156672);
}

TEST_CASE("model catalog: active parameters of the mixtures are the published ones") {
  for (const Published& p : kPublished) {
    if (p.active_billions == 0) continue;
    INFO(p.name);
    const Model m = catalog(p.name);
    const std::int64_t active = active_parameters(m) + (p.embeds ? count_parameters(m).embedding : 0);
    CHECK(static_cast<double>(active) / 1e9 == Approx(p.active_billions).epsilon(0.02));
  }
}

TEST_CASE("model catalog: KV bytes a token are the hand calculations") {
  for (const Published& p : kPublished) {
    INFO(p.name);
    CHECK(kv_bytes_per_token(catalog(p.name), Dtype::bf16).v == p.kv_bytes);
  }
  CHECK(kv_bytes_per_token(catalog("llama-3.1-70b"), Dtype::bf16).v == 327680);
  CHECK(kv_bytes_per_token(catalog("llama-3.1-70b"), Dtype::bf16).v * 32768 == 10. * (1 << 30));
  CHECK(kv_bytes_per_token(catalog("deepseek-v3"), Dtype::bf16).v == 70272);
}

TEST_CASE("model catalog: windows lie where the model's layers alternate") {
  const Model gemma = catalog("gemma-3-27b");
  CHECK(gemma.window_size() == 1024);
  CHECK(gemma.full_layers() == 10);  // layers 5, 11, ... 59 of 62
  CHECK(gemma.layer_window(4) == 1024);
  CHECK(gemma.layer_window(5) == 0);
  CHECK(gemma.layer_window(61) == 1024);
  const Model oss = catalog("gpt-oss-120b");
  CHECK(oss.window_size() == 128);
  CHECK(oss.full_layers() == 18);
  CHECK(oss.layer_window(0) == 128);
  CHECK(oss.layer_window(35) == 0);
  for (const Published& p : kPublished)
    if (std::string(p.name) != "gemma-3-27b" && std::string(p.name) != "gpt-oss-120b")
      CHECK(catalog(p.name).window.empty());
}

TEST_CASE("model catalog: the longest contexts are those the engine derives") {
  const std::pair<const char*, int> expected[] = {
      {"llama-2-7b", 4096},    {"llama-3.1-8b", 131072}, {"mistral-7b", 32768},    {"qwen3-8b", 40960},
      {"deepseek-v3", 163840}, {"gemma-3-27b", 131072},  {"gpt-oss-120b", 131072}, {"mixtral-8x7b", 32768}};
  for (const auto& [name, length] : expected) {
    INFO(name);
    CHECK(catalog(name).max_position == length);
  }
}

TEST_CASE("model catalog: published quantisation is read with its scales") {
  const Quantization ds = catalog("deepseek-v3").quantization;
  CHECK(ds.method == "fp8");
  CHECK(ds.weights == Dtype::fp8);
  CHECK(ds.multiply == Dtype::fp8);
  CHECK(ds.group_rows == 128);
  CHECK(ds.group_cols == 128);
  CHECK(ds.scale_bytes == 4);
  CHECK_FALSE(ds.experts_only);
  const Quantization oss = catalog("gpt-oss-120b").quantization;
  CHECK(oss.method == "mxfp4");
  CHECK(oss.weights == Dtype::mxfp4);
  CHECK(oss.multiply == Dtype::bf16);
  CHECK(oss.experts_only);
  CHECK(catalog("llama-2-7b").quantization.method == "none");
  CHECK(catalog("llama-2-7b").dtype == Dtype::fp16);
  CHECK(catalog("llama-2-7b").quantization.weights == Dtype::fp16);
}

TEST_CASE("model catalog: details that decide sizes are read") {
  CHECK(catalog("llama-3.2-1b").tied_embeddings);
  CHECK(catalog("gemma-3-27b").tied_embeddings);
  CHECK(catalog("gemma-3-27b").norms_per_layer == 4);
  CHECK(catalog("gemma-3-27b").qk_norm);
  CHECK(catalog("qwen3-8b").qk_norm);
  CHECK_FALSE(catalog("qwen3-8b").qkv_bias);
  const Model oss = catalog("gpt-oss-120b");
  CHECK((oss.attention_sinks && oss.router_bias && oss.mlp_bias && oss.qkv_bias && oss.output_bias));
  const Model ds = catalog("deepseek-v3");
  CHECK(ds.first_dense_layers == 3);
  CHECK(ds.shared_expert_intermediate == 2048);
  CHECK(ds.head_dim == 192);
  CHECK(valid_tensor_parallel(catalog("llama-3.1-70b")) == std::vector<int>{1, 2, 4, 8, 16, 32, 64});
  CHECK(kv_heads_per_rank(catalog("qwen3-235b-a22b"), 8) == 1);
}

TEST_CASE("model catalog: every file is listed here, is named as it is read, and states its source") {
  std::set<std::string> listed, found;
  for (const Published& p : kPublished) listed.insert(p.name);
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    found.insert(entry.path().stem().string());
    CHECK(read_config_json(entry.path()).name == entry.path().stem().string());
    const nlohmann::json source = parse_json_file(entry.path()).at("_source");
    CHECK(source.get<std::string>().find("config.json") != std::string::npos);
  }
  CHECK(found == listed);
}

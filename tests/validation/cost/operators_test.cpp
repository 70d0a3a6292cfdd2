// The shipped calibrations against measured kernels: aiconfigurator (NVIDIA), Vidur, LLMServingSim.
#include <catch2/catch.hpp>

#include "cost/roofline.hpp"
#include "support/calibration_file.hpp"
#include "support/csv.hpp"
#include "support/fixtures.hpp"
#include "support/shared_data.hpp"
#include "validation/cost/errors.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using cost::Operator;
using cost::OperatorKind;
using cost::OperatorList;
using cost::Roofline;

namespace {

struct Device {
  const char* rows;  ///< in file names of the tables
  const char* calibration;
  Gpu gpu;
};

std::vector<Device> devices() {
  return {{"a100_sxm", "a100", a100()}, {"h100_sxm", "h100", h100()}, {"b200_sxm", "b200", b200()}};
}

double seconds(const StepCost& c) { return c.total(); }

/// One m x k by k x n product.
Operator gemm(double m, double n, double k, cost::WeightFormat format) {
  Operator op;
  op.kind = OperatorKind::gemm;
  op.format = format;
  op.flops = 2 * m * n * k;
  op.bytes = bytes_per_element(format.weights) * n * k + 2 * m * (n + k);
  op.length_flops = 2 * n * k;
  op.tiles = m * n / (128 * 128);
  op.whole_tiles = std::ceil(m / 128) * std::ceil(n / 128);
  return op;
}

/// One layer with `heads` query and `kv` key heads of 128.
OperatorList attention_only(int heads, int kv, Dtype cache = Dtype::bf16) {
  Model m = llama_3_1_8b();
  m.layers = 1;
  m.heads = heads;
  m.kv_heads = kv > 0 ? kv : heads;
  Engine e = bf16_engine();
  e.kv_cache_dtype = cache;
  return OperatorList(m, e);
}

}  // namespace

TEST_CASE("validation: GEMMs in bf16 match NVIDIA's kernel benchmarks") {
  const auto folder = shared_data("measured/aiconfigurator_ops");
  RP_SKIP_WITHOUT(folder, "aiconfigurator_ops");
  const std::map<std::string, std::pair<double, double>> reached{
      {"a100", {0.07, 0.18}}, {"h100", {0.06, 0.16}}, {"b200", {0.09, 0.25}}};
  for (const Device& d : devices()) {
    const Roofline r(d.gpu, node_of(d.gpu), calibration_file(d.calibration), 1);
    Errors errors;
    for (const char* framework : {"vllm", "trtllm"})
      for (const CsvRow& row : read_csv(*folder / ("gemm_" + std::string(d.rows) + "_" + framework + ".csv")))
        if (row.text("dtype") == "bfloat16")
          errors.add(seconds(r.cost(gemm(row.number("m"), row.number("n"), row.number("k"), {}), false)),
                     row.number("time_ms") * 1e-3);
    errors.check(d.calibration, reached.at(d.calibration).first, reached.at(d.calibration).second);
  }
}

TEST_CASE("validation: fp8 GEMMs match NVIDIA's kernel benchmarks") {
  const auto folder = shared_data("measured/aiconfigurator_ops");
  RP_SKIP_WITHOUT(folder, "aiconfigurator_ops");
  const Roofline r(h100(), node_of(h100()), calibration_file("h100"), 1);
  Errors errors;
  for (const CsvRow& row : read_csv(*folder / "gemm_h100_sxm_vllm.csv"))
    if (row.text("dtype") == "fp8") {
      Operator op =
          gemm(row.number("m"), row.number("n"), row.number("k"), {Dtype::fp8, Dtype::fp8, 0, 0, 0});
      errors.add(seconds(r.cost(op, false)), row.number("time_ms") * 1e-3);
    }
  errors.check("h100 fp8", 0.08, 0.28);
}

TEST_CASE("validation: decode attention matches vLLM's kernels") {
  const auto folder = shared_data("measured/aiconfigurator_ops");
  RP_SKIP_WITHOUT(folder, "aiconfigurator_ops");
  const std::map<std::string, std::pair<double, double>> reached{
      {"a100", {0.08, 0.38}}, {"h100", {0.06, 0.22}}, {"b200", {0.07, 0.20}}};
  for (const Device& d : devices()) {
    const Roofline r(d.gpu, node_of(d.gpu), calibration_file(d.calibration), 1);
    Errors errors;
    for (const CsvRow& row : read_csv(*folder / ("attn_generation_" + std::string(d.rows) + "_vllm.csv"))) {
      if (row.text("kv_dtype") != "bfloat16") continue;
      const auto list =
          attention_only(static_cast<int>(row.number("n_q_head")), static_cast<int>(row.number("n_kv_head")));
      const double batch = row.number("batch_size");
      StepCost c;
      cost::add_time(c, r.decode_time(list, static_cast<int>(batch), batch * (row.number("kv_len") + 1)), 1);
      errors.add(c.total(), row.number("time_ms") * 1e-3);
    }
    errors.check(d.calibration, reached.at(d.calibration).first, reached.at(d.calibration).second);
  }
}

TEST_CASE("validation: prefill attention matches vLLM's kernels") {
  const auto folder = shared_data("measured/aiconfigurator_ops");
  RP_SKIP_WITHOUT(folder, "aiconfigurator_ops");
  const std::map<std::string, std::pair<double, double>> reached{
      {"a100", {0.07, 0.27}}, {"h100", {0.06, 0.22}}, {"b200", {0.10, 0.34}}};
  for (const Device& d : devices()) {
    const Roofline r(d.gpu, node_of(d.gpu), calibration_file(d.calibration), 1);
    Errors errors;
    for (const CsvRow& row : read_csv(*folder / ("attn_context_" + std::string(d.rows) + "_vllm.csv"))) {
      if (row.text("kv_dtype") != "bfloat16" || row.text("attn_dtype") != "bfloat16") continue;
      const auto list =
          attention_only(static_cast<int>(row.number("n_q_head")), static_cast<int>(row.number("n_kv_head")));
      const std::vector<PrefillPiece> pieces(static_cast<std::size_t>(row.number("batch_size")),
                                             {static_cast<std::int32_t>(row.number("seq_len")), 0});
      errors.add(seconds(r.cost(list.prefill(pieces, 0, 1), false)), row.number("time_ms") * 1e-3);
    }
    errors.check(d.calibration, reached.at(d.calibration).first, reached.at(d.calibration).second);
  }
}

TEST_CASE("validation: all-reduce matches vLLM's custom kernel up to 8 MB and NCCL above") {
  const auto folder = shared_data("measured/aiconfigurator_ops");
  RP_SKIP_WITHOUT(folder, "aiconfigurator_ops");
  for (const Device& d : devices()) {
    const Calibration c = calibration_file(d.calibration);
    Errors errors;
    const auto compare = [&](const CsvRow& row, bool custom) {
      const double bytes = 2 * row.number("message_elements");
      if ((bytes <= 8.4e6) != custom || bytes > 3e8) return;
      const cost::Collectives all(d.gpu, node_of(d.gpu), c.all_reduce,
                                  static_cast<int>(row.number("n_gpus")));
      errors.add(all.all_reduce(bytes, false).seconds, row.number("time_ms") * 1e-3);
    };
    for (const CsvRow& row : read_csv(*folder / ("allreduce_custom_" + std::string(d.rows) + "_vllm.csv")))
      if (row.text("kernel_source") == "vLLM_custom_graph") compare(row, true);
    for (const CsvRow& row : read_csv(*folder / ("nccl_" + std::string(d.rows) + ".csv")))
      if (row.text("collective") == "all_reduce" && row.text("dtype") == "half") compare(row, false);
    errors.check(d.calibration, 0.07, 0.30);
  }
}

TEST_CASE("validation: expert layers match vLLM's fused kernel") {
  const auto folder = shared_data("measured/aiconfigurator_ops");
  RP_SKIP_WITHOUT(folder, "aiconfigurator_ops");
  const std::map<std::string, std::pair<double, double>> reached{
      {"a100", {0.17, 0.72}}, {"h100", {0.09, 0.24}}, {"b200", {0.13, 0.40}}};
  for (const Device& d : devices()) {
    const Roofline r(d.gpu, node_of(d.gpu), calibration_file(d.calibration), 1);
    Errors errors;
    for (const CsvRow& row : read_csv(*folder / ("moe_" + std::string(d.rows) + "_vllm.csv"))) {
      if (row.text("dtype") != "bfloat16" || row.number("moe_ep") != 1) continue;
      Model m = qwen3_30b_a3b();
      m.layers = 1;
      m.hidden = static_cast<int>(row.number("hidden_size"));
      m.experts = static_cast<int>(row.number("n_experts"));
      m.experts_per_token = static_cast<int>(row.number("topk"));
      m.expert_intermediate = static_cast<int>(row.number("inter_size") / row.number("moe_tp"));
      double sum = 0;
      for (const Operator& op :
           OperatorList(m, bf16_engine()).body(static_cast<int>(row.number("n_tokens")))) {
        const std::string name = op.name;
        // The benchmark starts from routed tokens.
        if (name.starts_with("expert")) sum += seconds(r.cost(op, false));
      }
      errors.add(sum, row.number("time_ms") * 1e-3);
    }
    errors.check(d.calibration, reached.at(d.calibration).first, reached.at(d.calibration).second);
  }
}

TEST_CASE("validation: GEMMs of models that were not fitted match Vidur's profiles") {
  const auto folder = shared_data("measured/vidur");
  RP_SKIP_WITHOUT(folder, "vidur");
  struct Shape {
    const char* file;
    int hidden, q, kv, mlp;
  };
  // source: config.json of each model
  const std::vector<Shape> shapes{{"Llama-2-7b-hf", 4096, 32, 32, 11008},
                                  {"Llama-2-70b-hf", 8192, 64, 8, 28672},
                                  {"CodeLlama-34b-Instruct-hf", 8192, 64, 8, 22016}};
  for (const Device& d : devices()) {
    if (std::string(d.calibration) == "b200") continue;
    const Roofline r(d.gpu, node_of(d.gpu), calibration_file(d.calibration), 1);
    Errors errors;
    for (const Shape& s : shapes)
      for (const CsvRow& row :
           read_csv(*folder / ("mlp_" + std::string(d.calibration) + "_" + s.file + ".csv"))) {
        const double m = row.number("n_tokens"), tp = row.number("tp"), head = s.hidden / s.q;
        const auto compare = [&](const char* column, double n, double k) {
          if (!row.empty(column) && row.number(column) > 0)
            errors.add(seconds(r.cost(gemm(m, n, k, {}), false)), row.number(column) * 1e-3);
        };
        compare("attn_pre_proj_time_ms_median", (s.q / tp + 2 * std::max(1.0, s.kv / tp)) * head, s.hidden);
        compare("attn_post_proj_time_ms_median", s.hidden, s.hidden / tp);
        compare("mlp_up_proj_time_ms_median", 2 * s.mlp / tp, s.hidden);
        compare("mlp_down_proj_time_ms_median", s.hidden, s.mlp / tp);
      }
    errors.check(std::string(d.calibration) + " vidur", 0.13, 0.32);
  }
}

// Whole decode steps against inter-token latencies of real engines (ML.ENERGY, vLLM on H100 and B200).
#include <catch2/catch.hpp>

#include "cost/cost_model.hpp"
#include "support/calibration_file.hpp"
#include "support/csv.hpp"
#include "support/fixtures.hpp"
#include "support/shared_data.hpp"
#include "validation/cost/errors.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

std::optional<Model> model_of(const std::string& name) {
  if (name == "meta-llama/Llama-3.1-8B-Instruct") return llama_3_1_8b();
  if (name == "meta-llama/Llama-3.1-70B-Instruct") return llama_3_1_70b();
  if (name == "Qwen/Qwen3-30B-A3B-Instruct-2507") return qwen3_30b_a3b();
  return std::nullopt;
}

}  // namespace

TEST_CASE("validation: decode steps at up to 64 sequences match the median inter-token latency") {
  // Larger batches interleave prefill with every step, and B200 at 128 and more is bound by its host. Prompts
  // are not in the file; a KV-saturated run of Llama-3.1-8B holds about 650 tokens a sequence.
  const auto file = shared_data("measured/ml_energy/llm_energy.csv");
  RP_SKIP_WITHOUT(file, "ml_energy");
  Errors h, b;
  for (const CsvRow& row : read_csv(*file)) {
    const auto model = model_of(row.text("model"));
    const double batch = row.number("max_num_seqs");
    if (!model || row.number("ep") != 1 || batch > 64) continue;
    const bool hopper = row.text("gpu") == "H100";
    const Gpu gpu = hopper ? h100() : b200();
    Engine e = bf16_engine(static_cast<int>(row.number("tp")));
    e.version = EngineVersion::v0_15;  // benchmark of early 2026; top-p is on in the models' defaults
    const auto cost =
        make_cost_model(*model, e, gpu, node_of(gpu), calibration_file(hopper ? "h100" : "b200"));
    const int n = static_cast<int>(batch), context = 650;
    StepShape s;
    s.tokens = s.padded_tokens = s.sequences = s.sampled = s.decode_sequences = n;
    s.decode_context = n * std::int64_t{context};
    s.decode_max_context = context;
    (hopper ? h : b).add(cost->step(s).total(), row.number("median_itl_ms") * 1e-3);
  }
  h.check("H100", 0.04, 0.08);
  b.check("B200", 0.12, 0.28);
}

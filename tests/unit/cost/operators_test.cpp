// The operator list by hand calculation: FLOPs, bytes and pairs.
#include <catch2/catch.hpp>

#include "cost/operators.hpp"
#include "support/fixtures.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;
using cost::attended_pairs;
using cost::Operator;
using cost::OperatorKind;
using cost::OperatorList;

namespace {

double gemm_flops(const std::vector<Operator>& list) {
  double sum = 0;
  for (const Operator& op : list) sum += op.count * op.flops;
  return sum;
}

}  // namespace

TEST_CASE("operators: attended pairs count each new token's own view") {
  CHECK(attended_pairs(4, 0, 0) == 1 + 2 + 3 + 4);
  CHECK(attended_pairs(3, 10, 0) == 11 + 12 + 13);
  for (int n : {1, 3, 8, 50})
    for (int c : {0, 1, 5, 7, 8, 20}) {
      double expected = 0;
      for (int i = 1; i <= n; ++i) expected += std::min(c + i, 8);
      CHECK(attended_pairs(n, c, 8) == expected);
    }
}

TEST_CASE("operators: expected distinct experts start at k, never exceed all, and match the closed form") {
  CHECK(cost::distinct_experts(128, 8, 1) == Approx(8));
  CHECK(cost::distinct_experts(128, 8, 2) == Approx(8 + 8 * (1 - 8.0 / 128)));
  CHECK(cost::distinct_experts(128, 8, 10000) == Approx(128));
}

TEST_CASE("operators: linear layers take two FLOPs a parameter and token") {
  for (const Model& m : {llama_3_1_8b(), llama_3_1_70b()}) {
    const OperatorList list(m, bf16_engine());
    const ParameterCount p = count_parameters(m);
    CHECK(gemm_flops(list.body(100)) == 2.0 * 100 * static_cast<double>(p.attention + p.dense_mlp));
    CHECK(gemm_flops(list.head(3)) == 2.0 * 3 * static_cast<double>(p.lm_head));
  }
}

TEST_CASE("operators: a token passes through its experts only, the step reads those that are hit") {
  const Model m = qwen3_30b_a3b();
  const OperatorList list(m, bf16_engine());
  const ParameterCount p = count_parameters(m);
  const double active = static_cast<double>(p.attention + p.router + p.experts / 16);
  CHECK(gemm_flops(list.body(7)) == Approx(2.0 * 7 * active).epsilon(1e-12));
  double expert_bytes = 0;
  for (const Operator& op : list.body(1))
    if (op.kind == OperatorKind::experts) expert_bytes += op.count * op.bytes;
  CHECK(expert_bytes == Approx(2.0 * static_cast<double>(p.experts) / 16).epsilon(0.01));
}

TEST_CASE("operators: decode reads the cache once, MLA only its latents") {
  const OperatorList gqa(llama_3_1_70b(), bf16_engine());
  // 2 (K and V) x 8 heads x 128 x 2 bytes
  CHECK(gqa.kv_bytes_per_token() == 4096);
  CHECK(gqa.decode_flops_per_token() == 4 * 64 * 128);
  Engine fp8 = bf16_engine(8);
  fp8.kv_cache_dtype = Dtype::fp8;
  CHECK(OperatorList(llama_3_1_70b(), fp8).kv_bytes_per_token() == 256);
  const OperatorList mla(deepseek_v3(), bf16_engine(8));
  CHECK(mla.kv_bytes_per_token() == 576 * 2);
  CHECK(mla.decode_flops_per_token() == 2 * 16 * (512 + 64 + 512));
  CHECK(mla.decode(1, 1000, 1).bytes > 1000 * 1152);
}

TEST_CASE("operators: fewer KV heads than ranks are replicated, and reading the copy takes bytes") {
  const OperatorList four(qwen3_30b_a3b(), bf16_engine(4)), eight(qwen3_30b_a3b(), bf16_engine(8));
  CHECK(four.kv_bytes_per_token() == 2 * 128 * 2);
  CHECK(eight.kv_bytes_per_token() == four.kv_bytes_per_token());
}

TEST_CASE("operators: two all-reduces a layer and one for the embedding, none on one rank") {
  const auto count = [](int tp) {
    int n = 0;
    for (const Operator& op : OperatorList(llama_3_1_70b(), bf16_engine(tp)).body(16))
      if (op.kind == OperatorKind::all_reduce) {
        CHECK(op.message == 16 * 8192 * 2);
        n += op.count;
      }
    return n;
  };
  CHECK(count(1) == 0);
  CHECK(count(4) == 161);
}

TEST_CASE("operators: sampling sorts whole rows before vLLM 0.18 only") {
  Engine e = bf16_engine();
  e.version = EngineVersion::v0_17;
  const std::size_t before = OperatorList(llama_3_1_8b(), e).head(8).size();
  e.version = EngineVersion::v0_18;
  CHECK(OperatorList(llama_3_1_8b(), e).head(8).size() == before - 1);
}

TEST_CASE("operators: narrow activations are quantised first, weight-only formats are not") {
  Model m = llama_3_1_8b();
  const std::size_t plain = OperatorList(m, bf16_engine()).body(1).size();
  m.quantization = {"fp8", Dtype::fp8, Dtype::fp8, 0, 0, 4, false};
  CHECK(OperatorList(m, bf16_engine()).body(1).size() == plain + 4);
  m.quantization = {"awq", Dtype::int4, Dtype::bf16, 1, 128, 2.5, false};
  CHECK(OperatorList(m, bf16_engine()).body(1).size() == plain);
}

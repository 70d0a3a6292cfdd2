// Engine defaults as vLLM chooses them, by version and device, and the combinations it refuses at start-up.
#include <catch2/catch.hpp>

#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {
Engine engine(std::vector<std::string> set) {
  for (std::string& s : set)
    if (!s.starts_with("cluster") && !s.starts_with("deployments")) s = "deployments.0.engine." + s;
  return load_text(kSmall, set).deployments[0].engine;
}
std::string refused(std::vector<std::string> set) {
  for (std::string& s : set)
    if (!s.starts_with("cluster") && !s.starts_with("deployments")) s = "deployments.0.engine." + s;
  return said(kSmall, set);
}
}  // namespace

TEST_CASE("engine defaults: batch limits go by memory, and an A100 is small whatever it holds") {
  // vLLM, API server: 8192 tokens and 1024 sequences on devices of 70 GiB or more that are no A100
  const Engine h100 = engine({});
  CHECK(h100.max_num_batched_tokens == 8192);
  CHECK(h100.max_num_seqs == 1024);
  for (const char* node : {"dgx-a100", "l40s-8", "l4-8"}) {
    INFO(node);
    const Engine e = engine({std::string("cluster.nodes.0.type=") + node});
    CHECK(e.max_num_batched_tokens == 2048);
    CHECK(e.max_num_seqs == 256);
  }
}

TEST_CASE("engine defaults: a defaulted token budget is capped by what the batch can hold") {
  CHECK(engine({"max_model_len=100", "max_num_seqs=4"}).max_num_batched_tokens == 400);
  CHECK(
      engine({"max_model_len=100", "max_num_seqs=4", "max_num_batched_tokens=500"}).max_num_batched_tokens ==
      500);
  // and then caps the default of max_num_seqs (from 0.10.2 on)
  CHECK(engine({"max_num_batched_tokens=100"}).max_num_seqs == 100);
  CHECK(engine({"max_num_batched_tokens=100", "engine_version=vllm-0.10.2"}).max_num_seqs == 100);
  CHECK(has(refused({"max_num_batched_tokens=100", "engine_version=vllm-0.10"}),
            "is less than max_num_seqs, 1024"));
  // without chunking a whole prompt must fit
  CHECK(engine({"enable_chunked_prefill=false", "max_model_len=20000"}).max_num_batched_tokens == 20000);
}

TEST_CASE("engine defaults: what changed between versions") {
  struct Row {
    const char* version;
    double utilization;
    bool async, gate;
  };
  for (const Row& r : {Row{"vllm-0.10", 0.9, false, false}, Row{"vllm-0.11.1", 0.9, false, false},
                       Row{"vllm-0.13", 0.9, false, false}, Row{"vllm-0.14", 0.9, true, false},
                       Row{"vllm-0.18", 0.9, true, false}, Row{"vllm-0.19", 0.9, true, true},
                       Row{"vllm-0.20", 0.92, true, true}}) {
    INFO(r.version);
    const Engine e = engine({std::string("engine_version=") + r.version});
    CHECK(e.gpu_memory_utilization == r.utilization);
    CHECK(e.async_scheduling == r.async);
    CHECK(e.scheduler_reserve_full_isl == r.gate);
    CHECK(e.enable_chunked_prefill);
    CHECK(e.enable_prefix_caching);
    CHECK(e.block_size == 16);
    CHECK(e.long_prefill_token_threshold == 0);
    CHECK(e.scheduling_policy == "fcfs");
  }
  CHECK(name(engine({}).version) == "vllm-0.19");
  CHECK(has(refused({"engine_version=vllm-0.18", "scheduler_reserve_full_isl=true"}),
            "it came with vllm-0.19"));
}

TEST_CASE("engine defaults: the model gives the length, the dtype and the KV dtype") {
  const Engine e = engine({"max_model_len=null"});
  CHECK(e.max_model_len == 131072);
  CHECK(e.dtype == Dtype::bf16);
  CHECK(e.kv_cache_dtype == Dtype::bf16);
  CHECK(engine({"dtype=half"}).kv_cache_dtype == Dtype::fp16);
  CHECK(engine({"kv_cache_dtype=fp8"}).kv_cache_dtype == Dtype::fp8);
  CHECK(has(refused({"kv_cache_dtype=float16"}), "differs from dtype"));
  CHECK(has(refused({"max_model_len=131073"}), "llama-3.1-8b takes at most 131072 tokens"));
}

TEST_CASE("engine: what vLLM refuses at start-up is refused with the remedy") {
  CHECK(has(refused({"max_num_batched_tokens=64", "max_num_seqs=128"}), "64 is less than max_num_seqs, 128"));
  CHECK(has(refused({"enable_chunked_prefill=false", "max_num_batched_tokens=4096"}),
            "4096 is less than max_model_len, 8192, and chunked prefill is off"));
  CHECK(has(refused({"long_prefill_token_threshold=9000"}), "above max_model_len, 8192"));
  CHECK(has(refused({"block_size=7"}), "one of: 1, 8, 16, 32, 64, 128, 256"));
}

TEST_CASE("engine: fp8 of a 16-bit checkpoint, the published format, and nothing else") {
  const Scenario s = load_text(kSmall, {"deployments.0.engine.quantization=fp8"});
  CHECK(s.deployments[0].model.quantization.weights == Dtype::fp8);
  CHECK(s.deployments[0].model.quantization.multiply == Dtype::fp8);
  // an A100 has no fp8 multipliers: weights only
  const Scenario a =
      load_text(kSmall, {"deployments.0.engine.quantization=fp8", "cluster.nodes.0.type=dgx-a100"});
  CHECK(a.deployments[0].model.quantization.weights == Dtype::fp8);
  CHECK(a.deployments[0].model.quantization.multiply == Dtype::bf16);
  CHECK(has(refused({"quantization=awq"}), "the checkpoint of llama-3.1-8b is not published in `awq`"));
  CHECK(has(refused({"quantization=int4"}), "not simulated yet"));
  CHECK(has(refused({"deployments.0.model=gpt-oss-120b", "quantization=fp8"}), "is published in `mxfp4`"));
  const Scenario f = load_text(kSmall, {"deployments.0.engine.dtype=float32"});
  CHECK(f.deployments[0].model.quantization.weights == Dtype::fp32);
}

TEST_CASE("engine: a memory fraction of free memory is a setting of its own [complaint 8]") {
  CHECK(engine({}).gpu_memory_basis == MemoryBasis::total);
  CHECK(engine({"gpu_memory_basis=free"}).gpu_memory_basis == MemoryBasis::free);
}

TEST_CASE("engine: a model that does not fit names the breakdown and the fewest GPUs for it [complaint 9]") {
  const std::string text = refused({"deployments.0.model=llama-3.1-70b"});
  CHECK(has(text, "deployments.0.engine"));
  CHECK(has(text, "weights"));
  CHECK(has(text, "activations"));
  // 141 GB of weights in two halves leave 4 GB of a GPU's 76.5 for the 1.3 GB of one request
  CHECK(has(text, "use at least 2 GPUs (tensor_parallel_size: 2)"));
  CHECK_FALSE(has(text, "tensor_parallel_size: 4"));
  CHECK(refused({"deployments.0.model=llama-3.1-70b", "tensor_parallel_size=2"}) == "");
}

TEST_CASE("engine: a block size that is none says which there are, however large it is") {
  CHECK(has(refused({"block_size=1099511627776"}), "none of the values that are possible; one of: 1, 8, 16"));
}

TEST_CASE("engine: a pool given by hand without room for a request is refused there [complaint 10]") {
  for (const char* pool : {"num_gpu_blocks_override=100", "kv_cache_memory_bytes=200 MB"}) {
    const std::string text = refused({"max_model_len=8192", pool});
    CHECK(has(text, "deployments.0.engine.max_model_len: one request of max_model_len 8192 needs"));
    CHECK(has(text, "the longest max_model_len that fits is 1"));
  }
}

TEST_CASE("engine: one request of max_model_len must fit, or the longest that does is named [complaint 10]") {
  const std::string text = refused({"cluster.nodes.0.type=l4-8", "max_model_len=131072"});
  CHECK(has(text, "--set: deployments.0.engine.max_model_len: "));
  // 1,932 blocks of 16 tokens fit on an L4
  CHECK(has(text, "the longest max_model_len that fits is 30912;"));
  CHECK(refused({"cluster.nodes.0.type=l4-8", "max_model_len=30912"}) == "");
  CHECK(has(refused({"cluster.nodes.0.type=l4-8", "max_model_len=30913"}), "that fits is 30912;"));
}

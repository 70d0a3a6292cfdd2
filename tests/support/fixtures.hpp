// Models, accelerators and a calibration written out by hand, for tests that must not depend on the catalog.
#pragma once
#include "spec/calibration.hpp"
#include "spec/engine.hpp"
#include "spec/hardware.hpp"
#include "spec/model.hpp"

namespace ridgepoint::test {

// Models: source: the published config.json of each.

inline Model llama_3_1_8b() {
  Model m;
  m.name = "llama-3.1-8b";
  m.architecture = "LlamaForCausalLM";
  m.layers = 32;
  m.hidden = 4096;
  m.heads = 32;
  m.kv_heads = 8;
  m.head_dim = 128;
  m.intermediate = 14336;
  m.vocab = 128256;
  m.max_position = 131072;
  return m;
}

inline Model llama_3_1_70b() {
  Model m = llama_3_1_8b();
  m.name = "llama-3.1-70b";
  m.layers = 80;
  m.hidden = 8192;
  m.heads = 64;
  m.intermediate = 28672;
  return m;
}

inline Model llama_2_7b() {
  Model m = llama_3_1_8b();
  m.name = "llama-2-7b";
  m.kv_heads = 32;
  m.intermediate = 11008;
  m.vocab = 32000;
  m.max_position = 4096;
  return m;
}

inline Model llama_2_70b() {
  Model m = llama_3_1_70b();
  m.name = "llama-2-70b";
  m.vocab = 32000;
  m.max_position = 4096;
  return m;
}

/// 128 experts, 8 a token (Qwen3-30B-A3B).
inline Model qwen3_30b_a3b() {
  Model m;
  m.name = "qwen3-30b-a3b";
  m.architecture = "Qwen3MoeForCausalLM";
  m.layers = 48;
  m.hidden = 2048;
  m.heads = 32;
  m.kv_heads = 4;
  m.head_dim = 128;
  m.intermediate = 6144;
  m.vocab = 151936;
  m.max_position = 262144;
  m.qk_norm = true;
  m.experts = 128;
  m.experts_per_token = 8;
  m.expert_intermediate = 768;
  return m;
}

/// Alternating windows of 128 tokens and full attention, mxfp4 experts (gpt-oss-20b).
inline Model gpt_oss_20b() {
  Model m;
  m.name = "gpt-oss-20b";
  m.architecture = "GptOssForCausalLM";
  m.layers = 24;
  m.hidden = 2880;
  m.heads = 64;
  m.kv_heads = 8;
  m.head_dim = 64;
  m.intermediate = 2880;
  m.vocab = 201088;
  m.max_position = 131072;
  m.qkv_bias = m.output_bias = m.mlp_bias = m.router_bias = m.attention_sinks = true;
  m.experts = 32;
  m.experts_per_token = 4;
  m.expert_intermediate = 2880;
  m.quantization = {"mxfp4", Dtype::mxfp4, Dtype::bf16, 0, 0, 0, true};
  for (int l = 0; l < m.layers; ++l) m.window.push_back(l % 2 == 0 ? 128 : 0);
  return m;
}

/// Multi-head latent attention, fp8 in 128 x 128 blocks (DeepSeek-V3).
inline Model deepseek_v3() {
  Model m;
  m.name = "deepseek-v3";
  m.architecture = "DeepseekV3ForCausalLM";
  m.layers = 61;
  m.hidden = 7168;
  m.heads = 128;
  m.kv_heads = 128;
  m.head_dim = 128;
  m.intermediate = 18432;
  m.vocab = 129280;
  m.max_position = 163840;
  m.experts = 256;
  m.experts_per_token = 8;
  m.expert_intermediate = 2048;
  m.shared_expert_intermediate = 2048;
  m.first_dense_layers = 3;
  m.router_bias = true;
  m.q_lora_rank = 1536;
  m.kv_lora_rank = 512;
  m.qk_nope_dim = 128;
  m.qk_rope_dim = 64;
  m.v_head_dim = 128;
  m.quantization = {"fp8", Dtype::fp8, Dtype::fp8, 128, 128, 4, false};
  return m;
}

// Accelerators: source: vendor data sheets, dense peaks; capacity as the driver reports it.

inline Gpu h100() {
  Gpu g;
  g.name = "h100-sxm";
  g.vendor = "NVIDIA";
  g.title = "H100 SXM5 80GB";
  g.architecture = "hopper";
  g.peak = {{Dtype::fp32, FlopsPerSecond{67e12}},
            {Dtype::bf16, FlopsPerSecond{989.4e12}},
            {Dtype::fp16, FlopsPerSecond{989.4e12}},
            {Dtype::fp8, FlopsPerSecond{1978.9e12}}};
  g.hbm_capacity = Bytes{85.0e9};
  g.hbm_bandwidth = BytesPerSecond{3.35e12};
  g.sm_count = 132;
  g.boost_clock = Hertz{1.98e9};
  g.min_clock = Hertz{0.345e9};
  g.idle_power = Watts{70};
  g.power_limit = Watts{700};
  g.scale_up_bandwidth = BytesPerSecond{450e9};
  g.pcie_bandwidth = BytesPerSecond{64e9};
  g.price_per_hour = 2.5;
  g.calibration = "h100";
  return g;
}

inline Gpu a100() {
  Gpu g = h100();
  g.name = "a100-sxm";
  g.title = "A100 SXM4 80GB";
  g.architecture = "ampere";
  g.peak = {{Dtype::fp32, FlopsPerSecond{19.5e12}},
            {Dtype::tf32, FlopsPerSecond{156e12}},
            {Dtype::bf16, FlopsPerSecond{312e12}},
            {Dtype::fp16, FlopsPerSecond{312e12}},
            {Dtype::int8, FlopsPerSecond{624e12}}};
  g.hbm_capacity = Bytes{85.0e9};
  g.hbm_bandwidth = BytesPerSecond{2.039e12};
  g.sm_count = 108;
  g.boost_clock = Hertz{1.41e9};
  g.power_limit = Watts{400};
  g.scale_up_bandwidth = BytesPerSecond{300e9};
  g.pcie_bandwidth = BytesPerSecond{32e9};
  g.calibration = "a100";
  return g;
}

inline Gpu b200() {
  Gpu g = h100();
  g.name = "b200-sxm";
  g.title = "B200 SXM 180GB";
  g.architecture = "blackwell";
  g.peak = {{Dtype::bf16, FlopsPerSecond{2250e12}},
            {Dtype::fp16, FlopsPerSecond{2250e12}},
            {Dtype::fp8, FlopsPerSecond{4500e12}},
            {Dtype::nvfp4, FlopsPerSecond{9000e12}}};
  g.hbm_capacity = Bytes{191.5e9};
  g.hbm_bandwidth = BytesPerSecond{8e12};
  g.sm_count = 148;
  g.power_limit = Watts{1000};
  g.scale_up_bandwidth = BytesPerSecond{900e9};
  g.calibration = "b200";
  return g;
}

inline Gpu rtx_4090() {
  Gpu g;
  g.name = "rtx-4090";
  g.vendor = "NVIDIA";
  g.title = "GeForce RTX 4090 24GB";
  g.architecture = "ada";
  g.peak = {{Dtype::fp32, FlopsPerSecond{82.6e12}},
            {Dtype::bf16, FlopsPerSecond{165.2e12}},
            {Dtype::fp16, FlopsPerSecond{165.2e12}},
            {Dtype::fp8, FlopsPerSecond{330.3e12}}};
  g.hbm_capacity = Bytes{25'250'627'584};
  g.hbm_bandwidth = BytesPerSecond{1.008e12};
  g.sm_count = 128;
  g.boost_clock = Hertz{2.52e9};
  g.min_clock = Hertz{0.21e9};
  g.idle_power = Watts{20};
  g.power_limit = Watts{450};
  g.pcie_bandwidth = BytesPerSecond{32e9};
  g.calibration = "rtx-4090";
  return g;
}

/// Eight of them behind a switch, or over PCIe where the GPU has no other link.
inline Node node_of(const Gpu& gpu, int gpus = 8) {
  Node n;
  n.name = gpu.name + "-node";
  n.title = n.name;
  n.gpu = gpu.name;
  n.gpus = gpus;
  n.scale_up = gpu.scale_up_bandwidth.v > 0 ? ScaleUp::switched : ScaleUp::pcie;
  n.nics = 8;
  n.nic_bandwidth = BytesPerSecond{50e9};
  n.host_memory = Bytes{2e12};
  n.host_power = Watts{1500};
  return n;
}

inline Engine bf16_engine(int tensor_parallel = 1) {
  Engine e;
  e.tensor_parallel_size = tensor_parallel;
  e.max_model_len = 4096;
  return e;
}

/// The coefficients of hw/calibrations/h100.yaml.
inline Calibration h100_calibration() {
  Calibration c;
  c.name = "h100";
  c.provenance = "hw/calibrations/h100.yaml";
  c.gemm[Dtype::bf16] = {Seconds{2.87e-6}, Seconds{0.92e-6}, 0.861, 0.766, 6, 0.299, 0};
  c.gemm[Dtype::fp8] = {Seconds{4.75e-6}, Seconds{0}, 0.85, 0.623, 3.4, 0.649, 1.1};
  c.gemm[Dtype::int4] = {Seconds{10e-6}, Seconds{0}, 0.86, 0.74, 6, 0.47, 2.6};
  c.experts[Dtype::bf16] = {Seconds{8.17e-6}, Seconds{0.84e-6}, 1, 0.469, 1.72, 0.58, 2.8};
  c.experts[Dtype::fp8] = {Seconds{11.3e-6}, Seconds{2.04e-6}, 1, 0.366, 3.11, 0.81, 0.8};
  c.attention_prefill = {Seconds{7.94e-6}, Seconds{1.82e-6}, 0.798, 0.765, 1, 1, 41.5};
  c.attention_decode = {Seconds{6.4e-6}, Seconds{3e-6}, 0.89, 0.525, 1.1, 0, 147.7};
  c.elementwise = {Seconds{2.18e-6}, Seconds{0}, 0.52, 1, 1, 0, 0};
  c.mixed_decode = 1;
  c.decode_skew = 0.1;
  c.all_reduce.link = BytesPerSecond{450e9};
  c.all_reduce.latency = {{2, Seconds{4.3e-6}}, {4, Seconds{4.2e-6}}, {8, Seconds{4.2e-6}}};
  c.all_reduce.busbw = {{2, BytesPerSecond{259e9}}, {4, BytesPerSecond{306e9}}, {8, BytesPerSecond{386e9}}};
  c.all_reduce.half_size = {{2, Bytes{0.01e6}}, {4, Bytes{0.54e6}}, {8, Bytes{1.46e6}}};
  c.all_reduce.eager_extra = Seconds{18e-6};
  c.step_overhead = Seconds{0.6e-3};
  c.host = Seconds{1.0e-3};
  c.host_per_sequence = Seconds{10e-6};
  c.kernel_launch = Seconds{29e-6};
  c.frontend = Seconds{8e-3};
  c.band = {0.06, 0.20, "operator rows of H100, by class; decode steps of Llama-3.1-8B and 70B within 5 %"};
  return c;
}

}  // namespace ridgepoint::test

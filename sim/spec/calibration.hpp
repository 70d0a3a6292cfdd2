// How far a device stays below its data sheet, fitted from measurements (hw/calibrations/NAME.yaml).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "spec/dtype.hpp"

namespace ridgepoint {

/// One operator class: t = c + (t_mem^p + t_cmp^p)^(1/p), t_mem = latency + bytes / (memory_efficiency * BW),
/// t_cmp = flops / (compute_efficiency * peak) * (whole waves of tiles / tiles)^wave_exponent.
struct OperatorFit {
  Seconds constant;  ///< c: launch and fill, inside a CUDA graph
  Seconds memory_latency;
  double memory_efficiency = 1;   ///< asymptotic share of HBM bandwidth
  double compute_efficiency = 1;  ///< asymptotic share of the dtype's peak
  double softmax_p = 2;           ///< sharpness of the corner between the two limits
  double wave_exponent = 0;       ///< 0 = no tile/wave quantisation, 1 = whole waves
  /// GEMM, experts: e_c = compute_efficiency * m / (m + half_length). Attention prefill: the same with the
  /// mean number of tokens that a new one attends to. Attention decode: a shorter context costs as much as
  /// one of half_length (whole tiles of keys). 0 = no such loss.
  double half_length = 0;
};

/// All-reduce over n ranks inside a node: t = latency[n] + S 2(n-1)/n / busbw(S), with busbw(S) = busbw[n]
/// sqrt(S/(S + 3 half_size[n])), half of the asymptote at S = half_size. Rates hold for a link of rate `link`
/// and scale with the link in use.
struct CollectiveFit {
  BytesPerSecond link;                  ///< each way, one GPU, where it was measured; 0 = do not scale
  std::map<int, Seconds> latency;       ///< by n, inside a CUDA graph
  std::map<int, BytesPerSecond> busbw;  ///< asymptotic
  std::map<int, Bytes> half_size;       ///< message at which half of it is reached; absent = 0
  Seconds eager_extra;                  ///< added when not graph-captured
};

/// Error of the fit, stated wherever the prediction is used: median and 90th percentile of |error|.
struct ErrorBand {
  double median = 0, p90 = 0;
  std::string basis;  ///< what it was measured against, or with what it is an analogy
};

struct Calibration {
  std::string name;
  std::string provenance;   ///< sources of the rows, date, method
  bool by_analogy = false;  ///< no measurement of this device: another's efficiencies
  /// By multiplication dtype; a missing one uses bf16's. int4 and mxfp4 are weight-only: dequantised in the
  /// kernel, multiplied in the activations' dtype.
  std::map<Dtype, OperatorFit> gemm;
  std::map<Dtype, OperatorFit> experts;  ///< grouped GEMMs of an expert layer; a missing one uses gemm's
  OperatorFit attention_prefill;
  OperatorFit attention_decode;
  OperatorFit elementwise;  ///< norms, activation, rope, KV write, sampling: memory side only
  /// Decode attention in a step that also prefills takes this many times as long: one kernel for both cannot
  /// pack grouped query heads nor split long contexts. 1 where the kernel can, or where there are two.
  double mixed_decode = 1;
  double decode_skew = 0;  ///< t = t(mean context) + skew (t(max) - t(mean))
  CollectiveFit all_reduce;
  Seconds step_overhead;      ///< a step's graph launch, input copies, sampler: never hidden
  Seconds host;               ///< scheduling and bookkeeping a step: hidden by async scheduling
  Seconds host_per_sequence;  ///< the same, for each scheduled sequence
  Seconds kernel_launch;      ///< host time to launch one kernel when not graph-captured
  Seconds frontend;           ///< tokenisation and HTTP before a request reaches the scheduler
  ErrorBand band;             ///< whole step
};

}  // namespace ridgepoint

#include "scenario/catalog_tables.hpp"

#include "scenario/codecs.hpp"

namespace ridgepoint {
namespace {

Codec<Bytes> memory(Range range = kNotNegative) { return quantity<Bytes>(Dimension::bytes, range); }
Codec<BytesPerSecond> bandwidth(Range range = kNotNegative) {
  return quantity<BytesPerSecond>(Dimension::bytes_per_second, range);
}
Codec<Seconds> seconds() { return quantity<Seconds>(Dimension::duration, kNotNegative); }
Codec<Watts> power() { return quantity<Watts>(Dimension::watts, kNotNegative); }
Codec<Hertz> clock_rate() { return quantity<Hertz>(Dimension::hertz, kNotNegative); }
constexpr Range kShare{0, 1, true};

template <class T>
void add_names(Table<T>& t) {
  t.add("name", &T::name, text(), "The file's name without .yaml; need not be given");
  t.add("title", &T::title, text(), "As it is marketed");
  t.remark("source", "Where the numbers come from");
  t.remark("notes", "Remarks for readers");
}

const Table<OperatorFit>& fit_table() {
  static const Table<OperatorFit> table = [] {
    Table<OperatorFit> t("an operator fit");
    t.add("constant", &OperatorFit::constant, seconds(), "Launch and fill, inside a CUDA graph");
    t.add("memory_latency", &OperatorFit::memory_latency, seconds(), "Added to the memory time");
    t.add("memory_efficiency", &OperatorFit::memory_efficiency, number(kShare),
          "Share of the HBM bandwidth reached");
    t.add("compute_efficiency", &OperatorFit::compute_efficiency, number(kShare),
          "Share of the dtype's peak reached");
    t.add("softmax_p", &OperatorFit::softmax_p, number({0.5, 100}),
          "Sharpness of the corner between the limits");
    t.add("wave_exponent", &OperatorFit::wave_exponent, number({0, 1}),
          "0 = no tile and wave quantisation, 1 = whole waves");
    t.add("half_length", &OperatorFit::half_length, number(kNotNegative),
          "Operand length at which half of the compute efficiency is reached; 0 = constant");
    t.remark("source", "Where the numbers come from");
    t.remark("notes", "Remarks for readers");
    return t;
  }();
  return table;
}

const Table<CollectiveFit>& collective_table() {
  static const Table<CollectiveFit> table = [] {
    const std::string ranks = "numbers of ranks: 2, 4, 8 ...";
    Table<CollectiveFit> t("a collective fit");
    t.add("link", &CollectiveFit::link, bandwidth(), "Link rate at which it was measured; 0 = do not scale");
    t.add("latency", &CollectiveFit::latency, by_count(seconds(), ranks),
          "By number of ranks, inside a CUDA graph");
    t.add("busbw", &CollectiveFit::busbw, by_count(bandwidth(kPositive), ranks),
          "Asymptotic bus bandwidth by number of ranks");
    t.add("half_size", &CollectiveFit::half_size, by_count(memory(), ranks),
          "Message at which half the bus bandwidth is reached");
    t.add("eager_extra", &CollectiveFit::eager_extra, seconds(), "Added when not graph-captured");
    t.remark("source", "Where the numbers come from");
    t.remark("notes", "Remarks for readers");
    return t;
  }();
  return table;
}

const Table<ErrorBand>& band_table() {
  static const Table<ErrorBand> table = [] {
    Table<ErrorBand> t("an error band");
    t.add("median", &ErrorBand::median, number(kNotNegative), "Median of |error|, as a share: 0.05 is 5 %");
    t.add("p90", &ErrorBand::p90, number(kNotNegative), "90th percentile of |error|, as a share");
    t.add("basis", &ErrorBand::basis, prose(), "What it was measured against, or with what it is an analogy");
    return t;
  }();
  return table;
}

void check_gpu(const Gpu& g, const YamlNode& n, Reader& r) {
  if (!g.peak.contains(Dtype::bf16) && !g.peak.contains(Dtype::fp16) && !g.peak.contains(Dtype::fp32))
    r.problem(n.entry("peak")->place, "none of bf16, fp16 and fp32 has a peak", "give at least one of them",
              "peak");
  if (g.boost_clock.v > 0 && g.min_clock > g.boost_clock)
    r.problem(n.entry("min_clock")->place, "above boost_clock", "give the lowest clock", "min_clock");
  if (g.power_limit.v > 0 && g.idle_power > g.power_limit)
    r.problem(n.entry("idle_power")->place, "above power_limit", "give the power drawn when idle",
              "idle_power");
}

}  // namespace

const Table<Gpu>& gpu_table() {
  static const Table<Gpu> table = [] {
    const auto flops = quantity<FlopsPerSecond>(Dimension::flops_per_second, kPositive);
    Table<Gpu> t("a GPU file");
    add_names(t);
    t.add("vendor", &Gpu::vendor, text(), "Maker");
    t.add("architecture", &Gpu::architecture, text(), "Architecture");
    t.add("peak", &Gpu::peak, by_dtype(flops), "Dense peak at boost clock, by number format it multiplies")
        .required();
    t.add("hbm_capacity", &Gpu::hbm_capacity, memory(kPositive), "What the driver reports").required();
    t.add("hbm_bandwidth", &Gpu::hbm_bandwidth, bandwidth(kPositive), "Data-sheet peak").required();
    t.add("sm_count", &Gpu::sm_count, whole(0), "SMs, CUs or cores");
    t.add("boost_clock", &Gpu::boost_clock, clock_rate(), "Clock at which the peaks hold");
    t.add("min_clock", &Gpu::min_clock, clock_rate(), "Lowest clock");
    t.add("idle_power", &Gpu::idle_power, power(), "Drawn when idle");
    t.add("power_limit", &Gpu::power_limit, power(), "Default limit of the board");
    t.add("scale_up_bandwidth", &Gpu::scale_up_bandwidth, bandwidth(),
          "NVLink and the like, each way; 0 = none");
    t.add("pcie_bandwidth", &Gpu::pcie_bandwidth, bandwidth(), "Each way");
    t.add("price_per_hour", &Gpu::price_per_hour, amount(Dimension::money_per_hour, kNotNegative),
          "On-demand rental of one GPU");
    t.add("list_price", &Gpu::list_price, amount(Dimension::money, kNotNegative), "Purchase price");
    t.add("calibration", &Gpu::calibration, name_or_path(".yaml"),
          "hw/calibrations/NAME.yaml, or a path relative to this file")
        .required();
    t.check(check_gpu);
    return t;
  }();
  return table;
}

const Table<Node>& node_table() {
  static const Table<Node> table = [] {
    Table<Node> t("a node file");
    add_names(t);
    t.add("gpu", &Node::gpu, name_or_path(".yaml"), "hw/gpus/NAME.yaml, or a path relative to this file")
        .required();
    t.add("gpus", &Node::gpus, whole(1, 4096), "GPUs in a node").required();
    t.add(
        "scale_up", &Node::scale_up,
        choice<ScaleUp>({{"switched", ScaleUp::switched}, {"mesh", ScaleUp::mesh}, {"pcie", ScaleUp::pcie}}),
        "How its GPUs are joined");
    t.add("nics", &Node::nics, whole(0, 4096), "Network interfaces");
    t.add("nic_bandwidth", &Node::nic_bandwidth, bandwidth(), "Each way, one interface");
    t.add("host_memory", &Node::host_memory, memory(), "Main memory");
    t.add("host_power", &Node::host_power, power(), "Of the node without its GPUs");
    t.add("price_per_hour", &Node::price_per_hour, amount(Dimension::money_per_hour, kNotNegative),
          "Rental of the node; 0 = sum of its GPUs' prices");
    return t;
  }();
  return table;
}

const Table<Fabric>& fabric_table() {
  static const Table<Fabric> table = [] {
    Table<Fabric> t("a fabric");
    add_names(t);
    t.add("link_bandwidth", &Fabric::link_bandwidth, bandwidth(kPositive), "Each way, one port").required();
    t.add("latency", &Fabric::latency, seconds(), "One way, end to end").required();
    t.add("oversubscription", &Fabric::oversubscription, number({1, 1000}), "Downlink : uplink at the leaf");
    t.add("nodes_per_leaf", &Fabric::nodes_per_leaf, whole(0), "Nodes under one leaf switch");
    t.add("rail_optimised", &Fabric::rail_optimised, flag(),
          "Each GPU index of all nodes has a leaf of its own");
    return t;
  }();
  return table;
}

const Table<Calibration>& calibration_table() {
  static const Table<Calibration> table = [] {
    using C = Calibration;
    const Codec<OperatorFit> fit = fit_table().codec();
    Table<C> t("a calibration file");
    t.add("name", &C::name, text(), "The file's name without .yaml; need not be given");
    t.add("provenance", &C::provenance, prose(), "Sources of the rows, date, method").required();
    t.add("by_analogy", &C::by_analogy, flag(), "No measurement of this device: another's efficiencies");
    t.add("gemm", &C::gemm, by_dtype(fit), "By multiplication format; a missing one uses bf16's").required();
    t.add("experts", &C::experts, by_dtype(fit),
          "Grouped GEMMs of an expert layer; a missing one uses gemm's");
    t.add("attention_prefill", &C::attention_prefill, fit, "Attention of new tokens").required();
    t.add("attention_decode", &C::attention_decode, fit, "Attention of one new token a sequence").required();
    t.add("elementwise", &C::elementwise, fit, "Norms, activations, rope, KV write, sampling").required();
    t.add("mixed_decode", &C::mixed_decode, number({0.1, 100}),
          "Decode attention takes this many times as long in a step that also prefills");
    t.add("decode_skew", &C::decode_skew, number({0, 1}), "Weight of the longest context against the mean");
    t.add("all_reduce", &C::all_reduce, collective_table().codec(), "All-reduce inside a node");
    t.add("step_overhead", &C::step_overhead, seconds(), "Of each step: graph launch, copies, sampler");
    t.add("host", &C::host, seconds(), "Of each step: scheduling; hidden by async scheduling");
    t.add("host_per_sequence", &C::host_per_sequence, seconds(), "The same, for each scheduled sequence");
    t.add("kernel_launch", &C::kernel_launch, seconds(),
          "Host time to launch one kernel when not graph-captured");
    t.add("frontend", &C::frontend, seconds(), "Of each request before the scheduler sees it");
    t.add("band", &C::band, band_table().codec(), "Error of whole steps").required();
    t.remark("source", "Where the numbers come from");
    t.remark("notes", "Remarks for readers");
    return t;
  }();
  return table;
}

}  // namespace ridgepoint

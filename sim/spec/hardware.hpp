// What stands in the rack: accelerators, nodes, fabrics. Plain data; the files are in hw/.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "spec/dtype.hpp"

namespace ridgepoint {

/// One accelerator (hw/gpus/NAME.yaml). Peaks are dense, at the boost clock.
struct Gpu {
  std::string name;    ///< file name without .yaml: h100-sxm
  std::string vendor;  ///< NVIDIA, AMD, Google, ...
  std::string title;   ///< as marketed: "H100 SXM5 80GB"
  std::string architecture;
  std::map<Dtype, FlopsPerSecond> peak;  ///< formats it multiplies natively; at least one of bf16, fp16, fp32
  Bytes hbm_capacity;                    ///< what the driver reports, not the nominal figure
  BytesPerSecond hbm_bandwidth;          ///< data-sheet peak
  int sm_count = 0;                      ///< SMs, CUs, cores: what a wave of tiles is spread over
  Hertz boost_clock, min_clock;
  Watts idle_power, power_limit;
  BytesPerSecond
      scale_up_bandwidth;         ///< NVLink, Infinity Fabric, ICI: each way, one GPU; 0 = none (PCIe only)
  BytesPerSecond pcie_bandwidth;  ///< each way
  double price_per_hour = 0;      ///< USD, on-demand rental of one GPU; 0 = unknown
  double list_price = 0;          ///< USD; 0 = unknown
  std::string calibration;        ///< hw/calibrations/NAME.yaml
};

enum class ScaleUp { switched, mesh, pcie };  ///< NVSwitch-like, all-to-all pair links, host PCIe only

/// A server (hw/nodes/NAME.yaml).
struct Node {
  std::string name;
  std::string title;
  std::string gpu;  ///< name of the accelerator
  int gpus = 0;
  ScaleUp scale_up = ScaleUp::pcie;
  int nics = 0;
  BytesPerSecond nic_bandwidth;  ///< each way, one NIC
  Bytes host_memory;
  Watts host_power;           ///< without the GPUs
  double price_per_hour = 0;  ///< USD for the whole node; 0 = sum of its GPUs' prices
};

/// What joins nodes (hw/fabrics/NAME.yaml): a two-level leaf/spine network.
struct Fabric {
  std::string name;
  std::string title;
  BytesPerSecond link_bandwidth;  ///< each way, one port
  Seconds latency;                ///< one way, end to end
  double oversubscription = 1.0;  ///< downlink : uplink at the leaf; 1 = full bisection
  int nodes_per_leaf = 0;
  bool rail_optimised = false;
};

}  // namespace ridgepoint

// The keys of the files under hw/: accelerators, nodes, fabrics, calibrations.
#pragma once
#include "scenario/strict_yaml.hpp"
#include "spec/calibration.hpp"
#include "spec/hardware.hpp"

namespace ridgepoint {

const Table<Gpu>& gpu_table();
const Table<Node>& node_table();
const Table<Fabric>& fabric_table();
const Table<Calibration>& calibration_table();

}  // namespace ridgepoint

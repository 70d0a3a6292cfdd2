// What produced the file: program, scenario, seed, calibrations. Nothing that differs between equal runs.
#pragma once
#include "record/hdf5_file.hpp"
#include "spec/scenario.hpp"

namespace ridgepoint {

/// Version of the file's layout, in the root attribute format_version.
inline constexpr std::int64_t kFormatVersion = 1;
inline constexpr const char* kFormatName = "ridgepoint results";

/// /provenance, /scenario and the root's attributes.
void write_provenance(const h5::File& file, const Scenario& scenario);
/// Commit that the program was built from, with -dirty when files differed; "unknown" without git.
std::string build_commit();

}  // namespace ridgepoint

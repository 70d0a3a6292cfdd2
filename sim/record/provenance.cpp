#include "record/provenance.hpp"

#include <algorithm>

#include "ridgepoint_commit.hpp"

namespace ridgepoint {
namespace {

/// Calibrations of the nodes on which something is deployed, each once, in the scenario's order.
std::vector<const Calibration*> calibrations(const Scenario& s) {
  std::vector<const Calibration*> used;
  for (const Deployment& d : s.deployments)
    for (const Placement& p : d.placements) {
      const Calibration* c = &s.nodes.at(static_cast<std::size_t>(p.group)).calibration;
      const auto same = [c](const Calibration* other) { return other->name == c->name; };
      if (std::none_of(used.begin(), used.end(), same)) used.push_back(c);
    }
  return used;
}

}  // namespace

std::string build_commit() { return RIDGEPOINT_COMMIT; }

void write_provenance(const h5::File& file, const Scenario& scenario) {
  h5::set_attribute(file.id(), "format", std::string(kFormatName));
  h5::set_attribute(file.id(), "format_version", kFormatVersion);
  h5::set_attribute(file.id(), "title", scenario.name);
  h5::set_attribute(file.id(), "warmup_s", static_cast<double>(scenario.run.warmup.count()) / 1e9);
  h5::write_text(file, "scenario", "the scenario with every default filled in, as YAML",
                 scenario.resolved_yaml);

  const h5::Group group(file, "provenance", "what produced this file");
  h5::set_attribute(group.id(), "version", std::string(RIDGEPOINT_VERSION));
  h5::set_attribute(group.id(), "commit", build_commit());
  h5::set_attribute(group.id(), "seed",
                    std::to_string(scenario.seed));  // text: no signed type holds all seeds
  std::vector<std::string> names, bases, sources;
  std::vector<double> median, p90;
  std::vector<std::int64_t> analogy;
  for (const Calibration* c : calibrations(scenario)) {
    names.push_back(c->name);
    sources.push_back(c->provenance);
    bases.push_back(c->band.basis);
    median.push_back(c->band.median);
    p90.push_back(c->band.p90);
    analogy.push_back(c->by_analogy ? 1 : 0);
  }
  if (names.empty()) return;
  h5::set_attribute(group.id(), "calibrations", names);
  h5::set_attribute(group.id(), "calibration_source", sources);
  h5::set_attribute(group.id(), "calibration_basis", bases);
  h5::set_attribute(group.id(), "calibration_median_error", median);
  h5::set_attribute(group.id(), "calibration_p90_error", p90);
  h5::set_attribute(group.id(), "calibration_by_analogy", analogy);
}

}  // namespace ridgepoint

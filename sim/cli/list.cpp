// ridgepoint list: what the catalog holds and what the program can do.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/errors.hpp"
#include "cli/options.hpp"
#include "cluster/router.hpp"
#include "scenario/load.hpp"
#include "spec/policies.hpp"
#include "workload/trace_format.hpp"

namespace ridgepoint::cli {
namespace {

using Row = std::pair<std::string, std::string>;  // name, description
using Rows = std::vector<Row>;
using Root = const std::filesystem::path&;

Rows gpus(Root root) {
  Rows rows;
  for (const std::string& n : catalog_names(root, "gpus")) {
    const Gpu gpu = load_gpu(root, n);
    rows.emplace_back(n, fmt::format("{}: {:.1f} GB, {:.2f} TB/s", gpu.title, gpu.hbm_capacity.v * 1e-9,
                                     gpu.hbm_bandwidth.v * 1e-12));
  }
  return rows;
}

Rows nodes(Root root) {
  Rows rows;
  for (const std::string& n : catalog_names(root, "nodes")) {
    const Node node = load_node(root, n);
    rows.emplace_back(n, fmt::format("{}: {} x {}", node.title, node.gpus, node.gpu));
  }
  return rows;
}

Rows fabrics(Root root) {
  Rows rows;
  for (const std::string& n : catalog_names(root, "fabrics"))
    rows.emplace_back(n, load_fabric(root, n).title);
  return rows;
}

Rows models(Root root) {
  Rows rows;
  for (const std::string& n : catalog_names(root, "models")) {
    const Model model = load_model(root, n);
    rows.emplace_back(n,
                      fmt::format("{}: {:.1f} billion parameters, {} layers", model.architecture,
                                  static_cast<double>(count_parameters(model).total()) * 1e-9, model.layers));
  }
  return rows;
}

Rows calibrations(Root root) {
  Rows rows;
  for (const std::string& n : catalog_names(root, "calibrations")) {
    const Calibration c = load_calibration(root, n);
    rows.emplace_back(n, fmt::format("median error {}{:.0f} %: {}", c.by_analogy ? "assumed to be " : "",
                                     100 * c.band.median, c.band.basis));
  }
  return rows;
}

Rows policies(Root) {
  Rows rows;
  for (const PolicyName& p : kSchedulingPolicies)
    rows.emplace_back(fmt::format("scheduling_policy {}", p.name), std::string(p.what));
  for (const RouterEntry& entry : router_table())
    rows.emplace_back(fmt::format("router.policy {}", entry.name), std::string(entry.what));
  return rows;
}

Rows engine_versions(Root) {
  Rows rows;
  for (const std::string& n : engine_version_names()) rows.emplace_back(n, "");
  return rows;
}

Rows trace_formats(Root) {
  Rows rows;
  for (const TraceFormatName& f : trace_format_names())
    rows.emplace_back(std::string(f.name), std::string(f.summary));
  return rows;
}

struct Kind {
  const char* name;
  Rows (*rows)(Root root);
};
constexpr Kind kKinds[] = {
    {"gpus", gpus},
    {"nodes", nodes},
    {"fabrics", fabrics},
    {"models", models},
    {"calibrations", calibrations},
    {"policies", policies},
    {"engine-versions", engine_versions},
    {"trace-formats", trace_formats},
};

const Kind& find_kind(const std::string& wanted) {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) {
    if (kind.name == wanted) return kind;
    names.emplace_back(kind.name);
  }
  const std::string nearest = nearest_name(wanted, names);
  throw ConfigError(fmt::format("ridgepoint list: unknown kind '{}'", wanted),
                    nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean '{}'?", nearest));
}

void print_rows(const Rows& rows) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.first.size());
  for (const auto& [title, what] : rows) {
    if (what.empty())
      fmt::print("{}\n", title);
    else
      fmt::print("{:<{}}  {}\n", title, width, what);
  }
}

}  // namespace

int list_command(const Arguments& arguments) {
  OptionSet set;
  set.command = "list";
  set.details =
      "KIND is one of gpus, nodes, fabrics, models, calibrations (files of the catalog), policies,\n"
      "engine-versions, trace-formats (what the program knows).";
  set.positional = {"KIND"};
  set.options.add_options()("json", "print as JSON: a list of {name, what}");
  const auto values = parse_options(set, arguments);
  if (!values) return 0;
  const Rows rows = find_kind((*values)["KIND"].as<std::string>()).rows(find_data_root());
  if (values->count("json") > 0) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const auto& [title, what] : rows) json.push_back({{"name", title}, {"what", what}});
    fmt::print("{}\n", json.dump(2));
  } else {
    print_rows(rows);
  }
  return 0;
}

}  // namespace ridgepoint::cli

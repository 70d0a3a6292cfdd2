// Whatever bytes are given, the reader answers with a scenario or with ConfigError, and never with anything
// else.
#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "scenario/yaml_tree.hpp"
#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

struct Tally {
  int loaded = 0, refused = 0;
};

void try_text(const Folder& folder, const std::string& text, Tally& tally,
              const std::vector<std::string>& set = {}) {
  const auto file = folder.write("fuzz.yaml", text);
  try {
    const Scenario s = load_scenario(file, options(set));
    // what loads, loads again from its own resolved text
    const Scenario again = load_scenario(folder.write("again.yaml", s.resolved_yaml), options());
    CHECK(again.resolved_yaml == s.resolved_yaml);
    ++tally.loaded;
  } catch (const ConfigError& e) {
    CHECK_FALSE(e.problems().empty());
    for (const Problem& p : e.problems()) CHECK_FALSE(p.what.empty());
    ++tally.refused;
  }
}

const std::vector<std::string> kFragments = {"\n",
                                             " ",
                                             ": ",
                                             "- ",
                                             "[",
                                             "]",
                                             "{",
                                             "}",
                                             ",",
                                             "&a ",
                                             "*a",
                                             "<<: ",
                                             "'",
                                             "\"",
                                             "|\n",
                                             ">\n",
                                             "#",
                                             "---\n",
                                             "...\n",
                                             "!!int ",
                                             "? ",
                                             "%YAML 1.2\n",
                                             "\t",
                                             "~",
                                             "null",
                                             ".inf",
                                             "-.inf",
                                             ".nan",
                                             "010",
                                             "0x10",
                                             "-1",
                                             "1e999",
                                             "99999999999999999999",
                                             "true",
                                             "yes",
                                             "5 GB",
                                             "12 /s",
                                             "1 h",
                                             "-3 s",
                                             "type: ",
                                             "name: ",
                                             "cluster: ",
                                             "nodes: ",
                                             "\\x00",
                                             "\xc3\xbc",
                                             "\xff",
                                             "extends: fuzz.yaml\n",
                                             "{type: fixed, value: 5}",
                                             "{type: zipf}",
                                             "0",
                                             "1"};

std::string random_text(RandomStream& r, int pieces) {
  std::string text;
  for (int i = 0; i < pieces; ++i) text += kFragments[r.below(kFragments.size())];
  return text;
}

const std::string kRich = R"(name: rich
seed: 3
cluster:
  nodes: [{type: dgx-h100, count: 2}, {type: l40s-8, name: small}]
  fabric: ib-ndr-rail
deployments:
- name: a
  model: llama-3.1-70b
  replicas: 2
  engine: {tensor_parallel_size: 4, max_model_len: 8192, quantization: fp8, gpu_memory_utilization: 0.9}
- {name: b, model: llama-3.1-8b, nodes: small, engine: {max_model_len: 4096, max_num_seqs: 64}}
router: {policy: random}
workload:
  slo_classes: {gold: {ttft: 1 s}}
  prefix_groups: {p: {count: 2, length: 64}}
  streams:
  - {name: s, deployment: a, slo_class: gold, rate: 2 /s, arrival: {process: gamma, cv: 2}, num_requests: 10,
     input: {type: lognormal, mean: 100, std_dev: 50, min: 1}, output: {type: geometric, mean: 20}, prefix: {group: p}}
  - {name: t, deployment: b, concurrency: 4, duration: 1 h, input: 5, output: {type: uniform, min: 1, max: 9}}
run: {until: 2 h, warmup: 1 s, sample_period: 1 s, record: {steps: true}}
)";

}  // namespace

TEST_CASE("fuzz: random fragments of YAML never do more than be refused") {
  RandomStream r(1);
  const Folder folder;
  Tally tally;
  for (int i = 0; i < 4000; ++i) try_text(folder, random_text(r, 1 + static_cast<int>(r.below(30))), tally);
  CHECK(tally.refused > 3000);
}

TEST_CASE("fuzz: random bytes are refused") {
  RandomStream r(2);
  const Folder folder;
  Tally tally;
  for (int i = 0; i < 2000; ++i) {
    std::string text(1 + r.below(200), ' ');
    for (char& c : text) c = static_cast<char>(i % 2 == 0 ? r.below(256) : 32 + r.below(95));
    try_text(folder, text, tally);
  }
  CHECK(tally.loaded == 0);
}

TEST_CASE("fuzz: a good scenario with a few bytes changed loads or is refused") {
  RandomStream r(3);
  const Folder folder;
  Tally tally;
  for (int i = 0; i < 600; ++i) {
    std::string text = kRich;
    for (std::uint64_t k = r.below(4); k > 0; --k) {
      if (text.empty()) break;
      const std::size_t at = r.below(text.size());
      switch (r.below(4)) {
        case 0:
          text.erase(at, 1 + r.below(8));
          break;
        case 1:
          text.insert(at, kFragments[r.below(kFragments.size())]);
          break;
        case 2:
          text[at] = static_cast<char>(r.below(256));
          break;
        default:
          text = text.substr(0, at);
          break;
      }
    }
    try_text(folder, text, tally);
  }
  CHECK(tally.loaded > 50);
  CHECK(tally.refused > 100);
}

TEST_CASE("fuzz: any value at any key loads or is refused") {
  RandomStream r(4);
  const Folder folder;
  Tally tally;
  std::vector<std::string> paths;
  const auto walk = [&](auto&& self, const YamlNode& n, const std::string& at) -> void {
    if (!at.empty()) paths.push_back(at);
    const std::string dot = at.empty() ? "" : at + ".";
    for (std::size_t i = 0; i < n.items.size(); ++i) self(self, n.items[i], dot + std::to_string(i));
    for (const YamlEntry& e : n.entries) self(self, e.value, dot + e.key);
  };
  walk(walk, parse_yaml(load_text(kRich).resolved_yaml, "r.yaml"), "");
  const std::vector<std::string> values = {"",     "0",       "1",
                                           "-1",   "2",       "1.5",
                                           "64",   "1000000", "99999999999999999999",
                                           "true", "yes",     "5 GB",
                                           "1 s",  "1 ns",    "36525 d",
                                           "2 /s", "[]",      "[1]",
                                           "{}",   "{a: 1}",  "{type: fixed, value: 1}",
                                           "x",    "\"\"",    "1e308",
                                           ".inf", "010",     "a"};
  for (int i = 0; i < 900; ++i)
    try_text(folder, kRich, tally, {paths[r.below(paths.size())] + "=" + values[r.below(values.size())]});
  CHECK(tally.refused > 100);
  CHECK(tally.loaded > 20);
}

// `extends` and --set: later keys win, and every problem points to the file, or the option, it came from.
#include <catch2/catch.hpp>

#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

TEST_CASE(
    "extends: later keys win, maps are merged, lists replaced, paths relative to the file that names them") {
  const Folder folder;
  folder.write("base/base.yaml", kSmall + "seed: 5\nrun: {warmup: 1 s, sample_period: 2 s}\n");
  folder.write("base/middle.yaml", "extends: base.yaml\nseed: 6\n");
  const auto file = folder.write("s.yaml", "extends: base/middle.yaml\nrun: {warmup: 3 s}\n");
  const Scenario s = load_scenario(file, options());
  CHECK(s.seed == 6);
  CHECK(s.name == "s");
  CHECK(s.run.warmup == Nanos{3'000'000'000});
  CHECK(s.run.sample_period == Nanos{2'000'000'000});
  CHECK(s.deployments.size() == 1);
}

TEST_CASE("extends: a distribution of another type replaces the base's, null takes a key away") {
  const Folder folder;
  folder.write("base.yaml", kSmall + "router: {policy: random}\n");
  const auto file = folder.write("s.yaml",
                                 "extends: base.yaml\nrouter: {policy: round_robin}\ndeployments:\n"
                                 "- {name: chat, model: llama-3.1-8b, engine: {max_model_len: null}}\n");
  const Scenario s = load_scenario(file, options());
  CHECK(s.router_policy == "round_robin");
  CHECK(s.deployments[0].engine.max_model_len == 131072);
}

TEST_CASE("extends: problems are reported where their key stands, in whichever file") {
  const Folder folder;
  folder.write("base.yaml", kSmall + "run: {warmup: 5}\n");
  const auto file = folder.write("s.yaml", "extends: base.yaml\nseeed: 1\n");
  try {
    load_scenario(file, options());
    FAIL("loads");
  } catch (const ConfigError& e) {
    const std::string text = e.what();
    CHECK(has(text, "s.yaml:2:1: seeed: unknown key"));
    CHECK(has(text, "base.yaml:10:15: run.warmup: a bare number"));
    CHECK(e.problems().size() == 2);
  }
}

TEST_CASE("extends: circles, missing files and broken files are refused") {
  const Folder folder;
  folder.write("a.yaml", "extends: b.yaml\n");
  folder.write("b.yaml", "extends: ./a.yaml\n");
  CHECK_THROWS_WITH(load_scenario(folder.path() / "a.yaml", options()), Catch::Contains("in a circle"));
  folder.write("self.yaml", "extends: self.yaml\n");
  CHECK_THROWS_WITH(load_scenario(folder.path() / "self.yaml", options()), Catch::Contains("in a circle"));
  const auto gone = folder.write("gone.yaml", "name: x\nextends: nowhere.yaml\n");
  CHECK_THROWS_WITH(load_scenario(gone, options()),
                    Catch::Contains("gone.yaml:2:10: extends: there is no file"));
  folder.write("broken.yaml", "a: [\n");
  const auto on_broken = folder.write("on.yaml", "extends: broken.yaml\n");
  CHECK_THROWS_WITH(load_scenario(on_broken, options()), Catch::Contains("broken.yaml:"));
  CHECK_THROWS_WITH(load_scenario(folder.write("l.yaml", "extends: [a, b]\n"), options()),
                    Catch::Contains("l.yaml:1:10: extends: expected a path, found a list"));
  for (int i = 0; i < 20; ++i)
    folder.write("d" + std::to_string(i) + ".yaml", "extends: d" + std::to_string(i + 1) + ".yaml\n");
  CHECK_THROWS_WITH(load_scenario(folder.path() / "d0.yaml", options()),
                    Catch::Contains("more than 16 files"));
}

TEST_CASE(
    "extends: a file that is not there or is broken is the only thing reported, not what it would have "
    "given") {
  const Folder folder;
  const auto problems = [&](const std::string& text) {
    try {
      load_scenario(folder.write("s.yaml", text), options());
    } catch (const ConfigError& e) {
      return e.problems();
    }
    return std::vector<Problem>{};
  };
  const auto gone = problems("extends: nowhere.yaml\nseed: 3\n");
  REQUIRE(gone.size() == 1);
  CHECK(has(gone[0].what, "there is no file"));
  folder.write("broken.yaml", "a: [\n");
  const auto broken = problems("extends: broken.yaml\nseed: 3\n");
  REQUIRE(broken.size() == 2);
  CHECK(has(broken[0].text() + broken[1].text(), "not valid YAML"));
  CHECK(has(broken[0].text() + broken[1].text(), "extends: the file it names has problems"));
}

TEST_CASE("overrides: --set: a key that is emptied is the option's doing, not the file's") {
  for (const char* value : {"", "~", "null"}) {
    CHECK(
        has(said(kSmall, {std::string("deployments=") + value}), "--set: deployments: the key has no value"));
    CHECK(has(said(kSmall, {std::string("workload.streams.0.name=") + value}),
              "--set: workload.streams.0.name: the key has no value"));
  }
}

TEST_CASE("overrides: --set: values go through the same table, in order, and make what is missing") {
  const Scenario s =
      load_text(kSmall, {"seed=7", "seed=8", "run.warmup=1.5 s", "workload.streams.0.rate=90 /min",
                         "workload.streams.0.input={type: uniform, min: 1, max: 9}",
                         "workload.streams.1={name: t, concurrency: 2, num_requests: 3, input: 4, "
                         "output: 5}",
                         "workload.slo_classes.gold.ttft=100 ms", "workload.streams.1.slo_class=gold"});
  CHECK(s.seed == 8);
  CHECK(s.run.warmup == Nanos{1'500'000'000});
  CHECK(s.workload.streams[0].rate == 1.5);
  CHECK(s.workload.streams[0].input.max == 9);
  REQUIRE(s.workload.streams.size() == 2);
  CHECK(s.workload.streams[1].slo_class == 0);
  CHECK(s.workload.slo_classes[0].ttft == Nanos{100'000'000});
}

TEST_CASE("overrides: --set: mistakes point to the option") {
  CHECK(said(kSmall, {"run.warmup=5"}) ==
        "--set: run.warmup: a bare number, `5`, where a unit is due; give a duration with its unit, such as "
        "`30 s` (d, "
        "h, min, s, ms, us, ns)\n");
  CHECK(has(said(kSmall, {"run.warmpu=5 s"}), "--set: run.warmpu: unknown key; did you mean `warmup`?"));
  CHECK(has(said(kSmall, {"seed"}), "--set: seed: not of the form key=value"));
  CHECK(has(said(kSmall, {"=5"}), "--set: not of the form key=value"));
  CHECK(has(said(kSmall, {"workload.streams.5.rate=1 /s"}), "use an index from 0 to 0, or 1 to add one"));
  CHECK(has(said(kSmall, {"deployments.0.name.x=1"}), "--set: deployments.0.name.x: "));
  CHECK(has(said(kSmall, {"extends=x.yaml"}), "cannot be set"));
  CHECK(has(said(kSmall, {"name=[1"}), "--set: name: not valid YAML"));
  CHECK(has(said(kSmall, {"name=a", "seed=010"}), "--set: seed: `010` has a leading zero"));
}

TEST_CASE(
    "overrides: --set: a relative path is seen from the working directory, one in a file from that file") {
  const Folder folder;
  const auto file = folder.write("s.yaml", R"(cluster: {nodes: [{type: dgx-h100}]}
deployments: [{name: chat, model: llama-3.1-8b}]
workload: {streams: [{name: s, trace: {format: azure_2023, path: data/x.csv}}]}
)");
  CHECK(load_scenario(file, options()).workload.streams[0].trace->path ==
        (folder.path() / "data/x.csv").string());
  CHECK(load_scenario(file, options({"workload.streams.0.trace.path=here.csv"}))
            .workload.streams[0]
            .trace->path == (std::filesystem::current_path() / "here.csv").string());
}

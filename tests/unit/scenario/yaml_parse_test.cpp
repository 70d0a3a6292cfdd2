// The YAML layer: everything that two readers could understand differently is refused, with its place.
#include <catch2/catch.hpp>

#include "scenario/yaml_tree.hpp"

using namespace ridgepoint;

namespace {
std::vector<std::string> problems_of(const std::string& text) {
  try {
    parse_yaml(text, "f.yaml");
  } catch (const ConfigError& e) {
    std::vector<std::string> lines;
    for (const Problem& p : e.problems()) lines.push_back(p.text());
    return lines;
  }
  return {};
}
std::string only_problem(const std::string& text) {
  const auto lines = problems_of(text);
  return lines.size() == 1 ? lines.front() : "problems: " + std::to_string(lines.size());
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("yaml: a duplicate key is an error that names both places") {
  CHECK(only_problem("a: 1\nb:\n  c: 2\n  d: 3\n  c: 4\n") ==
        "f.yaml:5:3: b.c: the key stands here a second time; the first is at line 3, column 3; keep one of "
        "them");
}

TEST_CASE("yaml: all duplicate and merge keys are reported at once") {
  const auto lines = problems_of("a: &x {k: 1}\na: 2\nb:\n  <<: *x\n  k: 2\nc: 1\nc: 2\n");
  REQUIRE(lines.size() == 3);
  CHECK(has(lines[0], "f.yaml:2:1: a: "));
  CHECK(has(lines[1], "f.yaml:4:3: b: merge keys (`<<`) are not supported; put what is shared"));
  CHECK(has(lines[1], "extends"));
  CHECK(has(lines[2], "f.yaml:7:1: c: "));
}

TEST_CASE("yaml: an alias is a plain copy") {
  const YamlNode n = parse_yaml("a: &x [1, 2]\nb: *x\n", "f.yaml");
  REQUIRE(n.entry("b")->value.items.size() == 2);
  CHECK(n.entry("b")->value.items[1].text == "2");
}

TEST_CASE("yaml: aliases cannot blow up") {
  std::string text = "a0: &a0 [1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) text += (k == 0 ? "" : ", ") + below;
    text += "]\n";
  }
  CHECK(has(only_problem(text), "more than 50000 values"));
  CHECK(has(only_problem("a: &x [*x]\n"), "f.yaml:1:"));
  CHECK(has(only_problem("a: *nowhere\n"), "f.yaml:1:"));
}

TEST_CASE("yaml: syntax errors, tabs and garbage are reported with their place") {
  CHECK(has(only_problem("a:\n\tb: 1\n"), "f.yaml:2:1: a tab in the indentation; use spaces"));
  CHECK(has(only_problem("a: [1, 2\nb: 3\n"), "f.yaml:"));
  CHECK(has(only_problem("a: 1\n b: 2\n"), "f.yaml:2:"));
  CHECK(has(only_problem("a: \"open\n"), "f.yaml:1:4: a: the quotes that open here are never closed"));
  CHECK(has(only_problem(std::string("a: \0b\n", 6)), "f.yaml:1:4: a control character, 0x00"));
  CHECK(has(only_problem("a: \xff\xfe\n"), "f.yaml:1:4: not a text file"));
  CHECK(has(only_problem("\x7f"
                         "ELF\x02\x01"),
            "a control character, 0x7f"));
}

TEST_CASE("yaml: columns count characters, not bytes, and a byte order mark is no character") {
  CHECK(has(only_problem("\xef\xbb\xbf"
                         "a: {ü: 1, ü: 2}\n"),
            "f.yaml:1:11: a.ü: the key stands here a second"));
}

TEST_CASE("yaml: several documents, empty files and files that are no map are refused") {
  CHECK(has(only_problem("a: 1\n---\nb: 2\n"), "a second document begins here"));
  CHECK(only_problem("---\na: 1\n...\n") == "problems: 0");
  for (const char* empty : {"", "\n", "# only a comment\n", "---\n", "~\n", "null\n"}) {
    INFO(empty);
    CHECK(has(only_problem(empty), "f.yaml: the file is empty"));
  }
  CHECK(has(only_problem("- a\n- b\n"), "the file is not a map of keys"));
  CHECK(has(only_problem("just text\n"), "the file is not a map of keys"));
}

TEST_CASE("yaml: deep and huge files are refused, not recursed into") {
  CHECK(
      has(only_problem("a: " + std::string(100, '[') + std::string(100, ']')), "nested more than 64 levels"));
  CHECK(has(only_problem("a: " + std::string(200'000, '[')), "nested more than 64 levels"));
  CHECK(has(only_problem("a: " + std::string(200'000, '{')), "f.yaml:1:"));
  CHECK(has(only_problem("a: \"" + std::string(2'000'000, 'x') + "\"\n"), "larger than 1 MiB"));
}

TEST_CASE("yaml: explicit tags and keys that are no words are refused") {
  CHECK(has(only_problem("a: !!int \"010\"\n"), "an explicit tag"));
  CHECK(has(only_problem("? [a, b]\n: 1\n"), "a key that is not a word"));
  CHECK(has(only_problem("~: 1\n"), "a key that is not a word"));
}

TEST_CASE("yaml: merging keeps what is not named, replaces lists, and drops another kind's keys") {
  const YamlNode base =
      parse_yaml("a: {x: 1, y: 2}\nl: [1, 2]\nd: {type: lognormal, mean: 5}\n", "base.yaml");
  const YamlNode over = parse_yaml("a: {y: 3}\nl: [9]\nd: {type: fixed, value: 7}\n", "over.yaml");
  const YamlNode m = merge_yaml(base, over);
  CHECK(emit_yaml(m) == "a:\n  x: 1\n  y: 3\nl:\n  - 9\nd:\n  type: fixed\n  value: 7\n");
  CHECK(*m.entry("a")->value.entry("x")->value.place.file == "base.yaml");
  CHECK(*m.entry("a")->value.entry("y")->value.place.file == "over.yaml");
}

TEST_CASE("yaml: setting a value makes missing keys and the next list entry, and otherwise changes nothing") {
  YamlNode root = parse_yaml("a: {l: [1, 2]}\ns: 1\n", "f.yaml");
  const YamlNode value = parse_yaml_value("5", "--set");
  CHECK(set_yaml(root, "b.c.d", value) == "");
  CHECK(set_yaml(root, "a.l.2", value) == "");
  CHECK(set_yaml(root, "a.l.0", value) == "");
  const std::string before = emit_yaml(root);
  CHECK(before == "a:\n  l:\n    - 5\n    - 2\n    - 5\ns: 1\nb:\n  c:\n    d: 5\n");
  CHECK(has(set_yaml(root, "a.l.7", value), "0 to 2, or 3 to add one"));
  CHECK(has(set_yaml(root, "a.l.x", value), "use an index"));
  CHECK(has(set_yaml(root, "s.t", value), "single value"));
  CHECK(has(set_yaml(root, "a..b", value), "write it as"));
  CHECK(emit_yaml(root) == before);
}

TEST_CASE("yaml: emitted text reads back to the same tree, whatever the scalars hold") {
  YamlNode root = YamlNode::map();
  int i = 0;
  for (const char* text :
       {"plain",  "two words", "",     "null", "~",         "- x",         "---",  "a: b", "# c",
        "*x",     "&x",        "!x",   "'q'",  "\"q\"",     "back\\slash", "[1]",  "{a}",  " lead",
        "trail ", "50 %",      "@x",   "`x`",  "tab\there", "line\nbreak", "über", "-",    ".",
        "?",      "<<",        "1 /s", "x,y",  "=",         "|",           ">"})
    root.set("k" + std::to_string(i++), YamlNode::scalar(text));
  root.set("empty map", YamlNode::map());
  root.set("empty list", YamlNode::list());
  const std::string text = emit_yaml(root);
  const YamlNode back = parse_yaml(text, "f.yaml");
  REQUIRE(back.entries.size() == root.entries.size());
  for (std::size_t k = 0; k < back.entries.size(); ++k) {
    INFO(text);
    CHECK(back.entries[k].key == root.entries[k].key);
    CHECK(back.entries[k].value.kind == root.entries[k].value.kind);
    CHECK(back.entries[k].value.text == root.entries[k].value.text);
  }
}

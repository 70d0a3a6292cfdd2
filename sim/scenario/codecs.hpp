// The kinds of values that tables are made of: how each is read, written and described.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenario/strict_yaml.hpp"
#include "scenario/units_text.hpp"
#include "spec/dtype.hpp"

namespace ridgepoint {

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool above_min = false;  ///< min itself is not allowed
  bool holds(double v) const { return v <= max && (above_min ? v > min : v >= min); }
  std::string text() const;  ///< "at least 0 and at most 1"
};
inline constexpr Range kPositive{0, std::numeric_limits<double>::infinity(), true};
inline constexpr Range kNotNegative{0};
/// Requests a second: the clock counts nanoseconds, and cannot tell more of them apart.
inline constexpr double kHighestRate = 1e9;

/// The text of a scalar that was not quoted; reports and returns null otherwise.
const std::string* plain_text(const YamlNode& n, Reader& r, const std::string& expected);
/// Reports the problem of a failed parse at the node.
template <class V>
std::optional<V> accept(Parsed<V> parsed, const YamlNode& n, Reader& r) {
  if (!parsed.value) r.problem(n.place, parsed.what, parsed.remedy);
  return parsed.value;
}

Codec<bool> flag();
Codec<std::int64_t> whole64(std::int64_t min, std::int64_t max);
Codec<int> whole(int min, int max = std::numeric_limits<int>::max());
/// One of a few whole numbers.
Codec<int> whole_in(std::vector<int> values);
Codec<std::uint64_t> unsigned64();
Codec<double> number(Range range);
Codec<double> amount(Dimension d, Range range);
Codec<Nanos> duration(Range range = kNotNegative);
/// A number of hours without a unit, for keys that have it in their name.
Codec<Nanos> hours();
/// Text that is not empty and has no control characters in it.
Codec<std::string> text();
/// Text of any length, or a list of lines, which are joined.
Codec<std::string> prose();
/// A path, kept relative to the scenario's folder: see Reader::portable.
Codec<std::string> path();
/// A name of the catalog, or a path when it contains a slash or ends in `extension`.
Codec<std::string> name_or_path(std::string extension);

template <class E>
struct Choice {
  std::string name;
  E value;
};
/// One of several words; the first name of a value is the one that is written.
template <class E>
Codec<E> choice(std::vector<Choice<E>> choices);
/// Text that is one of the names. `later` are understood, but refused as not simulated yet.
Codec<std::string> one_of(std::vector<std::string> names, std::vector<std::string> later = {});

/// A strong type of base/units.hpp.
template <class Q>
Codec<Q> quantity(Dimension d, Range range) {
  const Codec<double> plain = amount(d, range);
  return {[plain](const YamlNode& n, Reader& r) {
            const std::optional<double> v = plain.read(n, r);
            return v ? std::optional<Q>(Q{*v}) : std::nullopt;
          },
          [plain](const Q& q) { return plain.write(q.v); }, plain.schema};
}

/// A value that may be empty, for use with word_or.
template <class V>
Codec<std::optional<V>> maybe(Codec<V> codec) {
  return {[=](const YamlNode& n, Reader& r) -> std::optional<std::optional<V>> {
            std::optional<V> v = codec.read(n, r);
            return v ? std::optional<std::optional<V>>(std::move(v)) : std::nullopt;
          },
          [=](const std::optional<V>& v) { return v ? codec.write(*v) : YamlNode{}; }, codec.schema};
}

/// A word that stands for `meaning`, or a value.
template <class V>
Codec<V> word_or(std::string word, V meaning, Codec<V> codec) {
  return {[=](const YamlNode& n, Reader& r) -> std::optional<V> {
            if (n.kind == YamlNode::Kind::scalar && n.text == word) return meaning;
            return codec.read(n, r);
          },
          [=](const V& v) { return v == meaning ? YamlNode::scalar(word) : codec.write(v); },
          [=] {
            return Json{{"anyOf", Json::array({Json{{"const", word}}, codec.schema()})}};
          }};
}

template <class V>
Codec<std::vector<V>> list_of(Codec<V> codec, std::size_t least = 0) {
  return {[=](const YamlNode& n, Reader& r) -> std::optional<std::vector<V>> {
            if (n.kind != YamlNode::Kind::list) {
              r.problem(n.place, "expected a list, found " + kind_name(n), "write `- ` before each entry");
              return std::nullopt;
            }
            if (n.items.size() < least) r.problem(n.place, "the list is empty", "give at least one entry");
            std::vector<V> values;
            for (std::size_t i = 0; i < n.items.size(); ++i) {
              r.enter(std::to_string(i));
              // A failed entry keeps its position, so that later problems name the right index.
              values.push_back(codec.read(n.items[i], r).value_or(V{}));
              r.leave();
            }
            return values;
          },
          [=](const std::vector<V>& values) {
            YamlNode n = YamlNode::list();
            for (const V& v : values) n.items.push_back(codec.write(v));
            return n;
          },
          [=] {
            Json j = {{"type", "array"}, {"items", codec.schema()}};
            if (least > 0) j["minItems"] = least;
            return j;
          }};
}

/// A map whose keys are names of entries that keep their own name: `slo_classes: {chat: {...}}`.
template <class V>
Codec<std::vector<V>> named(Codec<V> codec, std::string V::*name) {
  return {[=](const YamlNode& n, Reader& r) -> std::optional<std::vector<V>> {
            if (n.kind != YamlNode::Kind::map) {
              r.problem(n.place, "expected a map of names, found " + kind_name(n), "write `name: {...}`");
              return std::nullopt;
            }
            std::vector<V> values;
            for (const YamlEntry& e : n.entries) {
              r.enter(e.key);
              values.push_back(codec.read(e.value, r).value_or(V{}));
              values.back().*name = e.key;
              r.leave();
            }
            return values;
          },
          [=](const std::vector<V>& values) {
            YamlNode n = YamlNode::map();
            for (const V& v : values) n.set(v.*name, codec.write(v));
            return n;
          },
          [=] {
            return Json{{"type", "object"}, {"additionalProperties", codec.schema()}};
          }};
}

/// A map with keys of a type of their own: `peak: {bf16: ...}`, `latency: {2: ...}`.
template <class K, class V>
Codec<std::map<K, V>> keyed(std::function<std::optional<K>(const std::string&)> parse,
                            std::function<std::string(const K&)> write_key, std::string expected,
                            Codec<V> codec) {
  return {[=](const YamlNode& n, Reader& r) -> std::optional<std::map<K, V>> {
            if (n.kind != YamlNode::Kind::map) {
              r.problem(n.place, "expected a map, found " + kind_name(n), "keys are " + expected);
              return std::nullopt;
            }
            std::map<K, V> values;
            for (const YamlEntry& e : n.entries) {
              const std::optional<K> key = parse(e.key);
              if (!key) {
                r.problem(e.place, "unknown key", "keys are " + expected, e.key);
                continue;
              }
              r.enter(e.key);
              if (std::optional<V> v = codec.read(e.value, r); v && !values.emplace(*key, *v).second)
                r.problem(e.place, "another spelling of this key stands above", "keep one of them");
              r.leave();
            }
            return values;
          },
          [=](const std::map<K, V>& values) {
            YamlNode n = YamlNode::map();
            for (const auto& [key, v] : values) n.set(write_key(key), codec.write(v));
            return n;
          },
          [=] {
            return Json{{"type", "object"}, {"additionalProperties", codec.schema()}};
          }};
}

template <class V>
Codec<std::map<Dtype, V>> by_dtype(Codec<V> codec) {
  return keyed<Dtype, V>([](const std::string& s) { return parse_dtype(s); },
                         [](const Dtype& d) { return std::string(name(d)); },
                         "number formats: fp32, tf32, bf16, fp16, fp8, int8, fp6, nvfp4, mxfp4, int4", codec);
}

template <class V>
Codec<std::map<int, V>> by_count(Codec<V> codec, std::string expected) {
  return keyed<int, V>(
      [](const std::string& s) -> std::optional<int> {
        const Parsed<std::int64_t> v = parse_integer(s);
        if (!v.value || *v.value < 1 || *v.value > 1'000'000) return std::nullopt;
        return static_cast<int>(*v.value);
      },
      [](const int& n) { return std::to_string(n); }, std::move(expected), codec);
}

template <class E>
Codec<E> choice(std::vector<Choice<E>> choices) {
  std::vector<std::string> names;
  for (const Choice<E>& c : choices) names.push_back(c.name);
  const Codec<std::string> words = one_of(std::move(names));
  return {[=](const YamlNode& n, Reader& r) -> std::optional<E> {
            const std::optional<std::string> word = words.read(n, r);
            for (const Choice<E>& c : choices)
              if (word && c.name == *word) return c.value;
            return std::nullopt;
          },
          [=](const E& value) {
            for (const Choice<E>& c : choices)
              if (c.value == value) return YamlNode::scalar(c.name);
            return YamlNode{};
          },
          words.schema};
}

}  // namespace ridgepoint

#include "scenario/codecs.hpp"

namespace ridgepoint {
namespace {

Json numeric_schema(const char* type, const Range& range) {
  Json j = {{"type", type}};
  if (std::isfinite(range.min)) j[range.above_min ? "exclusiveMinimum" : "minimum"] = range.min;
  if (std::isfinite(range.max)) j["maximum"] = range.max;
  return j;
}

/// Reports a value outside the range; true when it is inside.
bool in_range(double v, const Range& range, const std::string& written, const YamlNode& n, Reader& r) {
  if (range.holds(v)) return true;
  r.problem(n.place, "`" + n.text + "` is out of range", "give a value " + written);
  return false;
}

std::string bound(double v) { return format_number(v); }

}  // namespace

std::string Range::text() const {
  std::string s;
  if (std::isfinite(min)) s = (above_min ? "above " : "of at least ") + bound(min);
  if (std::isfinite(max)) s += (s.empty() ? "of at most " : " and at most ") + bound(max);
  return s;
}

const std::string* plain_text(const YamlNode& n, Reader& r, const std::string& expected) {
  if (n.kind != YamlNode::Kind::scalar) {
    r.problem(n.place, "expected " + expected + ", found " + kind_name(n), "give a single value");
    return nullptr;
  }
  if (n.quoted) {
    r.problem(n.place, "expected " + expected + ", found text in quotes", "leave the quotes out");
    return nullptr;
  }
  return &n.text;
}

Codec<bool> flag() {
  return {
      [](const YamlNode& n, Reader& r) -> std::optional<bool> {
        const std::string* s = plain_text(n, r, "true or false");
        if (s == nullptr) return std::nullopt;
        if (*s == "true") return true;
        if (*s == "false") return false;
        const bool yes = *s == "yes" || *s == "on" || *s == "Yes" || *s == "On" || *s == "True" || *s == "1";
        const bool no = *s == "no" || *s == "off" || *s == "No" || *s == "Off" || *s == "False" || *s == "0";
        r.problem(n.place, "expected true or false, found `" + *s + "`",
                  yes  ? "write true"
                  : no ? "write false"
                       : "write true or false");
        return std::nullopt;
      },
      [](const bool& v) { return YamlNode::scalar(v ? "true" : "false"); },
      [] {
        return Json{{"type", "boolean"}};
      }};
}

Codec<std::int64_t> whole64(std::int64_t min, std::int64_t max) {
  return {[=](const YamlNode& n, Reader& r) -> std::optional<std::int64_t> {
            const std::string* s = plain_text(n, r, "a whole number");
            if (s == nullptr) return std::nullopt;
            const std::optional<std::int64_t> v = accept(parse_integer(*s), n, r);
            if (!v) return std::nullopt;
            if (*v >= min && *v <= max) return v;
            const std::string least = "of at least " + std::to_string(min);
            const bool open = max >= std::numeric_limits<int>::max();
            r.problem(
                n.place, "`" + *s + "` is out of range",
                "give a value " + (open && *v < min ? least : least + " and at most " + std::to_string(max)));
            return std::nullopt;
          },
          [](const std::int64_t& v) { return YamlNode::scalar(std::to_string(v)); },
          [=] {
            return Json{{"type", "integer"}, {"minimum", min}, {"maximum", max}};
          }};
}

Codec<int> whole(int min, int max) {
  const Codec<std::int64_t> wide = whole64(min, max);
  return {[=](const YamlNode& n, Reader& r) -> std::optional<int> {
            const std::optional<std::int64_t> v = wide.read(n, r);
            return v ? std::optional<int>(static_cast<int>(*v)) : std::nullopt;
          },
          [=](const int& v) { return wide.write(v); }, wide.schema};
}

Codec<int> whole_in(std::vector<int> values) {
  const Codec<std::int64_t> plain = whole64(values.front(), INT64_MAX);
  std::string all;
  for (const int v : values) all += (all.empty() ? "" : ", ") + std::to_string(v);
  return {[=](const YamlNode& n, Reader& r) -> std::optional<int> {
            const std::optional<std::int64_t> v = plain.read(n, r);
            if (!v) return std::nullopt;
            if (std::find(values.begin(), values.end(), *v) != values.end()) return static_cast<int>(*v);
            r.problem(n.place, "`" + n.text + "` is none of the values that are possible", "one of: " + all);
            return std::nullopt;
          },
          [=](const int& v) { return plain.write(v); },
          [=] {
            return Json{{"type", "integer"}, {"enum", values}};
          }};
}

Codec<std::uint64_t> unsigned64() {
  return {[](const YamlNode& n, Reader& r) -> std::optional<std::uint64_t> {
            const std::string* s = plain_text(n, r, "a whole number");
            if (s == nullptr) return std::nullopt;
            return accept(parse_unsigned(*s), n, r);
          },
          [](const std::uint64_t& v) { return YamlNode::scalar(std::to_string(v)); },
          [] {
            return Json{{"type", "integer"}, {"minimum", 0}};
          }};
}

Codec<double> number(Range range) {
  return {[=](const YamlNode& n, Reader& r) -> std::optional<double> {
            const std::string* s = plain_text(n, r, "a number");
            if (s == nullptr) return std::nullopt;
            const std::optional<double> v = accept(parse_number(*s), n, r);
            return v && in_range(*v, range, range.text(), n, r) ? v : std::nullopt;
          },
          [](const double& v) { return YamlNode::scalar(format_number(v)); },
          [=] { return numeric_schema("number", range); }};
}

Codec<double> amount(Dimension d, Range range) {
  return {[=](const YamlNode& n, Reader& r) -> std::optional<double> {
            if (n.kind != YamlNode::Kind::scalar) {
              r.problem(n.place, "expected " + std::string(describe(d)) + ", found " + kind_name(n),
                        "write it like `" + std::string(example(d)) + "`");
              return std::nullopt;
            }
            const std::optional<double> v = accept(parse_quantity(n.text, d), n, r);
            return v && in_range(*v, range, range.text(), n, r) ? v : std::nullopt;
          },
          [=](const double& v) { return YamlNode::scalar(format_quantity(v, d)); },
          [=] {
            return Json{{"type", "string"}, {"pattern", quantity_pattern(d)}};
          }};
}

Codec<Nanos> duration(Range range) {
  const std::string least =
      (range.above_min ? "above " : "of at least ") + format_duration(to_nanos(Seconds{range.min}));
  return {[=](const YamlNode& n, Reader& r) -> std::optional<Nanos> {
            if (n.kind != YamlNode::Kind::scalar) {
              r.problem(n.place, "expected a duration, found " + kind_name(n), "write it like `30 s`");
              return std::nullopt;
            }
            const std::optional<Nanos> v = accept(parse_duration(n.text), n, r);
            return v && in_range(to_seconds(*v).v, range, least, n, r) ? v : std::nullopt;
          },
          [](const Nanos& v) { return YamlNode::scalar(format_duration(v)); },
          [] {
            return Json{{"type", "string"}, {"pattern", quantity_pattern(Dimension::duration)}};
          }};
}

Codec<Nanos> hours() {
  const Codec<double> plain = number({0, 24 * 366});
  constexpr double kHour = 3.6e12;  // ns
  return {[=](const YamlNode& n, Reader& r) -> std::optional<Nanos> {
            const std::optional<double> v = plain.read(n, r);
            return v ? std::optional<Nanos>(to_nanos(Seconds{*v * 3600})) : std::nullopt;
          },
          [=](const Nanos& t) { return plain.write(static_cast<double>(t.count()) / kHour); }, plain.schema};
}

Codec<std::string> text() {
  return {[](const YamlNode& n, Reader& r) -> std::optional<std::string> {
            if (n.kind != YamlNode::Kind::scalar) {
              r.problem(n.place, "expected text, found " + kind_name(n), "give a single value");
              return std::nullopt;
            }
            const bool control = std::any_of(n.text.begin(), n.text.end(),
                                             [](char c) { return static_cast<unsigned char>(c) < 0x20; });
            if (n.text.empty() || control) {
              r.problem(n.place,
                        n.text.empty() ? "the text is empty" : "the text has control characters in it",
                        "give one line of text");
              return std::nullopt;
            }
            return n.text;
          },
          [](const std::string& v) { return YamlNode::scalar(v); },
          [] {
            return Json{{"type", "string"}, {"minLength", 1}};
          }};
}

Codec<std::string> prose() {
  return {[](const YamlNode& n, Reader& r) -> std::optional<std::string> {
            std::string all = n.text;
            bool good = n.kind == YamlNode::Kind::scalar || n.kind == YamlNode::Kind::list;
            for (const YamlNode& item : n.items) {
              good = good && item.kind == YamlNode::Kind::scalar;
              all += (all.empty() ? "" : "\n") + item.text;
            }
            if (good && !all.empty()) return all;
            r.problem(n.place, "expected text or a list of lines", "write one or several lines of text");
            return std::nullopt;
          },
          [](const std::string& v) { return YamlNode::scalar(v); },
          [] {
            return Json{{"type", {"string", "array"}}, {"items", {{"type", "string"}}}};
          }};
}

Codec<std::string> path() {
  const Codec<std::string> plain = text();
  return {[=](const YamlNode& n, Reader& r) -> std::optional<std::string> {
            if (!plain.read(n, r)) return std::nullopt;
            return r.portable(n);
          },
          plain.write, plain.schema};
}

Codec<std::string> name_or_path(std::string extension) {
  const Codec<std::string> plain = text(), file = path();
  return {[=](const YamlNode& n, Reader& r) {
            const bool is_path = n.text.find('/') != std::string::npos || n.text.ends_with(extension);
            return n.kind == YamlNode::Kind::scalar && is_path ? file.read(n, r) : plain.read(n, r);
          },
          plain.write, plain.schema};
}

Codec<std::string> one_of(std::vector<std::string> names, std::vector<std::string> later) {
  return {[names, later](const YamlNode& n, Reader& r) -> std::optional<std::string> {
            if (n.kind != YamlNode::Kind::scalar) {
              r.problem(n.place, "expected a word, found " + kind_name(n), "give a single value");
              return std::nullopt;
            }
            if (std::find(names.begin(), names.end(), n.text) != names.end()) return n.text;
            std::string all;
            for (const std::string& s : names) all += (all.empty() ? "" : ", ") + s;
            if (std::find(later.begin(), later.end(), n.text) != later.end()) {
              r.problem(n.place, "`" + n.text + "` is not simulated yet", "one of: " + all);
              return std::nullopt;
            }
            const std::string near = nearest_name(n.text, names);
            r.problem(n.place, "unknown value `" + n.text + "`",
                      near.empty() ? "one of: " + all : "did you mean `" + near + "`? One of: " + all);
            return std::nullopt;
          },
          [](const std::string& v) { return YamlNode::scalar(v); },
          [names] {
            return Json{{"type", "string"}, {"enum", names}};
          }};
}

}  // namespace ridgepoint

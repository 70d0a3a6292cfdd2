// Tables that bind YAML keys to struct members. One table reads a map, writes it back and describes it as
// JSON Schema, so that the three cannot drift apart.
#pragma once
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "scenario/reader.hpp"

namespace ridgepoint {

using Json = nlohmann::ordered_json;

/// A function that copies by reference: codecs hold codecs, and deep copies of all of them would grow
/// exponentially.
template <class Signature>
class Shared;
template <class R, class... Args>
class Shared<R(Args...)> {
 public:
  Shared() = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Shared>) Shared(F&& f)
      : f_(std::make_shared<const std::function<R(Args...)>>(std::forward<F>(f))) {}
  R operator()(Args... args) const { return (*f_)(std::forward<Args>(args)...); }
  explicit operator bool() const { return f_ != nullptr; }

 private:
  std::shared_ptr<const std::function<R(Args...)>> f_;
};

/// How one kind of value is read, written and described. `read` reports what is wrong and returns nothing.
template <class V>
struct Codec {
  Shared<std::optional<V>(const YamlNode&, Reader&)> read;
  Shared<YamlNode(const V&)> write;
  Shared<Json()> schema;
};

/// Says what a node is, for "expected a list, found ...".
std::string kind_name(const YamlNode& node);

/// Makes a schema accept null too.
void allow_null(Json& schema);

/// One row of a table.
template <class T>
struct Field {
  std::string key, doc;
  bool is_required = false, is_recorded = true, is_nullable = false;
  Shared<void(T&, const YamlNode&, Reader&)> read;
  Shared<std::optional<YamlNode>(const T&)> write;
  Shared<Json()> schema;

  Field& required() { return is_required = true, *this; }
  /// Left out of the written text: it says how a run is carried out, not what is simulated.
  Field& unrecorded() { return is_recorded = false, *this; }
};

/// One kind of a map that has several (`type: lognormal`): the keys that belong to it besides the common
/// ones.
struct Variant {
  std::string name, doc;
  std::vector<std::string> required, optional;
  bool takes(const std::string& key) const;
};

void report_unknown_key(const YamlEntry& e, const std::vector<std::string>& known, const std::string& table,
                        Reader& r);
void report_variant_keys(const YamlNode& map, const Variant& v, const std::string& tag,
                         const std::set<std::string>& particular, Reader& r);

template <class T>
class Table {
 public:
  explicit Table(std::string title) : title_(std::move(title)) {}

  /// A member with a default (its value in a default-constructed T).
  template <class C, class V>
  Field<T>& add(std::string key, V C::*member, Codec<V> codec, std::string doc) {
    Field<T>& f = row(std::move(key), std::move(doc));
    f.read = [member, codec](T& t, const YamlNode& n, Reader& r) {
      if (std::optional<V> v = codec.read(n, r)) t.*member = std::move(*v);
    };
    f.write = [member, codec](const T& t) { return codec.write(t.*member); };
    f.schema = [member, codec] {
      Json j = codec.schema();
      const YamlNode standard = codec.write(T{}.*member);
      if (standard.kind == YamlNode::Kind::scalar && !standard.text.empty())
        j["default"] = as_json(j, standard);
      return j;
    };
    return f;
  }
  /// A member that may be absent; null means absent.
  template <class C, class V>
  Field<T>& add(std::string key, std::optional<V> C::*member, Codec<V> codec, std::string doc) {
    Field<T>& f = row(std::move(key), std::move(doc));
    f.is_nullable = true;
    f.read = [member, codec](T& t, const YamlNode& n, Reader& r) {
      if (std::optional<V> v = codec.read(n, r)) t.*member = std::move(*v);
    };
    f.write = [member, codec](const T& t) -> std::optional<YamlNode> {
      if (!(t.*member)) return std::nullopt;
      return codec.write(*(t.*member));
    };
    f.schema = codec.schema;
    return f;
  }
  /// A key that is understood but not simulated: only the values that change nothing are accepted.
  Field<T>& not_yet(std::string key, std::vector<std::string> neutral, std::string what) {
    Field<T>& f = row(std::move(key), "Not simulated yet: " + what);
    f.is_recorded = false;
    f.is_nullable = true;
    f.read = [neutral, what](T&, const YamlNode& n, Reader& r) {
      for (const std::string& value : neutral)
        if (n.kind == YamlNode::Kind::scalar && n.text == value) return;
      r.problem(n.place, "not simulated yet: " + what,
                neutral.empty() ? "leave the key out" : "leave the key out or set it to " + neutral.front());
    };
    f.write = [](const T&) { return std::optional<YamlNode>(); };
    f.schema = [neutral] {
      Json j = {{"enum", Json::array({nullptr})}};
      for (const std::string& value : neutral) {
        const Json plain = Json::parse(value, nullptr, false);
        j["enum"].push_back(plain.is_discarded() ? Json(value) : plain);
      }
      return j;
    };
    return f;
  }
  /// A key for people only (where a number comes from): any text or list of texts.
  Field<T>& remark(std::string key, std::string doc) {
    Field<T>& f = row(std::move(key), std::move(doc));
    f.is_recorded = false;
    f.read = [](T&, const YamlNode& n, Reader& r) {
      bool text = n.kind == YamlNode::Kind::scalar || n.kind == YamlNode::Kind::list;
      for (const YamlNode& item : n.items) text = text && item.kind == YamlNode::Kind::scalar;
      if (!text) r.problem(n.place, "expected text or a list of texts", "write one or several lines of text");
    };
    f.write = [](const T&) { return std::optional<YamlNode>(); };
    f.schema = [] { return Json{{"type", {"string", "array"}}, {"items", {{"type", "string"}}}}; };
    return f;
  }
  /// Makes the map one of several kinds, told apart by the value of `tag`.
  void variants(std::string tag, std::vector<Variant> kinds) {
    tag_ = std::move(tag);
    variants_ = std::move(kinds);
    for (const Variant& v : variants_) {
      particular_.insert(v.required.begin(), v.required.end());
      particular_.insert(v.optional.begin(), v.optional.end());
    }
  }
  /// A check of the whole map, after every key was read without a problem.
  void check(std::function<void(const T&, const YamlNode&, Reader&)> f) { check_ = std::move(f); }

  std::optional<T> read(const YamlNode& n, Reader& r, T into = T{}) const;
  YamlNode write(const T& t) const;
  Json schema() const;
  Codec<T> codec() const;
  std::vector<std::string> keys() const;
  const std::string& title() const { return title_; }

 private:
  Field<T>& row(std::string key, std::string doc) {
    Field<T>& f = fields_.emplace_back();
    f.key = std::move(key);
    f.doc = std::move(doc);
    return f;
  }
  static Json as_json(const Json& schema, const YamlNode& scalar);
  const Variant* variant(const std::string& name) const {
    for (const Variant& v : variants_)
      if (v.name == name) return &v;
    return nullptr;
  }
  std::string tag_of(const T& t) const;
  Json object_schema(const Variant* v) const;

  std::string title_, tag_;
  std::vector<Field<T>> fields_;
  std::vector<Variant> variants_;
  std::set<std::string> particular_;  ///< keys that belong to some variants only
  std::function<void(const T&, const YamlNode&, Reader&)> check_;
};

template <class T>
std::optional<T> Table<T>::read(const YamlNode& n, Reader& r, T into) const {
  if (n.kind != YamlNode::Kind::map) {
    r.problem(
        n.place, "expected a map of keys, found " + kind_name(n), "keys are: " + [&] {
          std::string s;
          for (const std::string& k : keys()) s += (s.empty() ? "" : ", ") + k;
          return s;
        }());
    return std::nullopt;
  }
  const std::size_t before = r.problems().size();
  for (const YamlEntry& e : n.entries) {
    const auto f =
        std::find_if(fields_.begin(), fields_.end(), [&](const auto& x) { return x.key == e.key; });
    if (f == fields_.end()) {
      report_unknown_key(e, keys(), title_, r);
      continue;
    }
    if (e.value.kind == YamlNode::Kind::null && f->is_nullable) continue;
    r.enter(e.key);
    if (e.value.kind == YamlNode::Kind::null)
      r.problem(e.place, "the key has no value",
                f->is_required ? "give one" : "give one, or leave the key out");
    else
      f->read(into, e.value, r);
    r.leave();
  }
  for (const Field<T>& f : fields_)
    if (f.is_required && n.entry(f.key) == nullptr)
      r.problem(n.place, "this key is required and missing", "give it (" + f.doc + ")", f.key);
  if (!variants_.empty() && !r.bad(r.path(tag_)))
    if (const Variant* v = variant(tag_of(into))) report_variant_keys(n, *v, tag_, particular_, r);
  if (check_ && r.problems().size() == before) check_(into, n, r);
  return into;
}

template <class T>
std::string Table<T>::tag_of(const T& t) const {
  for (const Field<T>& f : fields_)
    if (f.key == tag_) return f.write(t).value_or(YamlNode{}).text;
  return "";
}

template <class T>
YamlNode Table<T>::write(const T& t) const {
  YamlNode n = YamlNode::map();
  const Variant* v = variants_.empty() ? nullptr : variant(tag_of(t));
  for (const Field<T>& f : fields_) {
    if (!f.is_recorded || (v != nullptr && particular_.contains(f.key) && !v->takes(f.key))) continue;
    if (std::optional<YamlNode> value = f.write(t)) n.set(f.key, std::move(*value));
  }
  return n;
}

template <class T>
Json Table<T>::object_schema(const Variant* v) const {
  Json j = {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const Field<T>& f : fields_) {
    if (v != nullptr && particular_.contains(f.key) && !v->takes(f.key)) continue;
    Json p = f.schema();
    if (f.is_nullable) allow_null(p);
    p["description"] = f.doc;
    if (v != nullptr && f.key == tag_) p = {{"const", v->name}, {"description", v->doc}};
    j["properties"][f.key] = std::move(p);
    const bool must = f.is_required || (v != nullptr && std::find(v->required.begin(), v->required.end(),
                                                                  f.key) != v->required.end());
    if (must) required.push_back(f.key);
  }
  if (!required.empty()) j["required"] = required;
  return j;
}

template <class T>
Json Table<T>::schema() const {
  if (variants_.empty()) return object_schema(nullptr);
  Json j = {{"oneOf", Json::array()}};
  for (const Variant& v : variants_) j["oneOf"].push_back(object_schema(&v));
  return j;
}

template <class T>
Json Table<T>::as_json(const Json& schema, const YamlNode& scalar) {
  const bool text = schema.contains("type") && schema["type"] == "string";
  const Json plain = Json::parse(scalar.text, nullptr, false);
  return text || plain.is_discarded() ? Json(scalar.text) : plain;
}

template <class T>
Codec<T> Table<T>::codec() const {
  return {[table = *this](const YamlNode& n, Reader& r) { return table.read(n, r); },
          [table = *this](const T& t) { return table.write(t); }, [table = *this] { return table.schema(); }};
}

template <class T>
std::vector<std::string> Table<T>::keys() const {
  std::vector<std::string> names;
  for (const Field<T>& f : fields_) names.push_back(f.key);
  return names;
}

}  // namespace ridgepoint

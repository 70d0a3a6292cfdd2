#include "scenario/yaml_tree.hpp"

#include <algorithm>
#include <charconv>

namespace ridgepoint {
namespace {

std::vector<std::string> split(const std::string& dotted) {
  std::vector<std::string> parts(1);
  for (const char c : dotted) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// The index a path part names, or npos.
std::size_t index_of(const std::string& part) {
  std::size_t i = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), i);
  const bool whole = error == std::errc{} && end == part.data() + part.size() && !part.empty();
  return whole ? i : std::string::npos;
}

/// Whether both choose a kind with the same key, and differ.
bool another_kind(const YamlNode& base, const YamlNode& over) {
  for (const char* tag : {"type", "process", "format"}) {
    const YamlEntry* a = base.entry(tag);
    const YamlEntry* b = over.entry(tag);
    if (a != nullptr && b != nullptr && a->value.text != b->value.text) return true;
  }
  return false;
}

bool is_word(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/' || c == '+';
  });
}

/// Plain where no reader can take it for a comment, a null, an indicator or several values.
std::string emit_scalar(const YamlNode& n) {
  const std::string& s = n.text;
  bool plain =
      !n.quoted && !s.empty() && s.front() != ' ' && s.back() != ' ' && s != "~" && s != "null" && s != "<<";
  if (plain && !is_word(s))
    plain =
        std::all_of(s.begin(), s.end(), [](char c) { return is_word(std::string_view(&c, 1)) || c == ' '; });
  if (plain && (s.front() == '-' || s.front() == '.') && s.size() < 2) plain = false;
  if (plain && (s.starts_with("- ") || s.starts_with("---") || s.starts_with("..."))) plain = false;
  if (plain) return s;
  std::string out = "\"";
  for (const char c : s) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

void emit(const YamlNode& n, int indent, bool in_line, std::string& out);

void emit_map(const YamlNode& n, int indent, bool in_line, std::string& out) {
  for (const YamlEntry& e : n.entries) {
    if (!in_line) out.append(static_cast<std::size_t>(indent), ' ');
    in_line = false;
    out += emit_scalar(YamlNode::scalar(e.key)) + ":";
    const bool nested = (e.value.kind == YamlNode::Kind::map && !e.value.entries.empty()) ||
                        (e.value.kind == YamlNode::Kind::list && !e.value.items.empty());
    out += nested ? "\n" : " ";
    emit(e.value, indent + 2, false, out);
  }
}

void emit(const YamlNode& n, int indent, bool in_line, std::string& out) {
  switch (n.kind) {
    case YamlNode::Kind::null:
      out += "null\n";
      return;
    case YamlNode::Kind::scalar:
      out += emit_scalar(n) + "\n";
      return;
    case YamlNode::Kind::map:
      if (n.entries.empty()) out += "{}\n";
      emit_map(n, indent, in_line, out);
      return;
    case YamlNode::Kind::list:
      if (n.items.empty()) out += "[]\n";
      for (const YamlNode& item : n.items) {
        if (!in_line) out.append(static_cast<std::size_t>(indent), ' ');
        in_line = false;
        out += "- ";
        emit(item, indent + 2, true, out);
      }
      return;
  }
}

}  // namespace

Problem problem_at(const Place& place, std::string key, std::string what, std::string remedy) {
  return {place.file ? *place.file : std::string(),
          place.line,
          place.column,
          std::move(key),
          std::move(what),
          std::move(remedy)};
}

const YamlEntry* YamlNode::entry(std::string_view key) const {
  for (const YamlEntry& e : entries)
    if (e.key == key) return &e;
  return nullptr;
}

YamlNode YamlNode::scalar(std::string text, bool quoted) {
  YamlNode n;
  n.kind = Kind::scalar;
  n.text = std::move(text);
  n.quoted = quoted;
  return n;
}

YamlNode YamlNode::map() {
  YamlNode n;
  n.kind = Kind::map;
  return n;
}

YamlNode YamlNode::list() {
  YamlNode n;
  n.kind = Kind::list;
  return n;
}

void YamlNode::set(std::string key, YamlNode value) {
  for (YamlEntry& e : entries)
    if (e.key == key) {
      e.place = value.place;
      e.value = std::move(value);
      return;
    }
  const Place where = value.place;
  entries.push_back({std::move(key), where, std::move(value)});
}

YamlNode merge_yaml(YamlNode base, YamlNode over) {
  if (base.kind != YamlNode::Kind::map || over.kind != YamlNode::Kind::map || another_kind(base, over))
    return over;
  for (YamlEntry& e : over.entries) {
    const auto it = std::find_if(base.entries.begin(), base.entries.end(),
                                 [&](const YamlEntry& b) { return b.key == e.key; });
    if (it == base.entries.end()) {
      base.entries.push_back(std::move(e));
    } else {
      it->place = e.place;
      it->value = merge_yaml(std::move(it->value), std::move(e.value));
    }
  }
  base.place = over.place;
  return base;
}

std::string set_yaml(YamlNode& root, const std::string& dotted, const YamlNode& value) {
  const std::vector<std::string> parts = split(dotted);
  for (const std::string& p : parts)
    if (p.empty()) return "write it as a.b.0.c=value";
  // Walk as far as the tree goes before changing anything.
  YamlNode* at = &root;
  YamlEntry* entry = nullptr;  // the last one on the way whose value `at` is
  std::size_t i = 0;
  std::string walked;
  for (; i < parts.size(); ++i) {
    walked += (i == 0 ? "" : ".") + parts[i];
    if (at->kind == YamlNode::Kind::map) {
      const YamlEntry* e = at->entry(parts[i]);
      if (e == nullptr) break;
      entry = const_cast<YamlEntry*>(e);
      at = &entry->value;
    } else if (at->kind == YamlNode::Kind::list) {
      const std::size_t index = index_of(parts[i]);
      if (index == at->items.size()) break;
      if (index > at->items.size())
        return at->items.empty()
                   ? walked + ": the list is empty, so that only index 0 can be added"
                   : walked + ": use an index from 0 to " + std::to_string(at->items.size() - 1) + ", or " +
                         std::to_string(at->items.size()) + " to add one";
      at = &at->items[index];
    } else if (at->kind == YamlNode::Kind::null) {
      break;
    } else {
      return walked + ": `" + at->text + "` is a single value, it has no keys below it";
    }
  }
  YamlNode fresh = value;
  for (std::size_t j = parts.size(); j > i + 1; --j) {
    YamlNode wrapper = YamlNode::map();
    wrapper.place = value.place;
    wrapper.set(parts[j - 1], std::move(fresh));
    fresh = std::move(wrapper);
  }
  if (i == parts.size()) {
    *at = std::move(fresh);
    if (entry != nullptr && at == &entry->value) entry->place = value.place;  // the key is given there too
  } else if (at->kind == YamlNode::Kind::list) {
    at->items.push_back(std::move(fresh));
  } else {
    if (at->kind == YamlNode::Kind::null) {
      *at = YamlNode::map();
      at->place = value.place;
    }
    at->set(parts[i], std::move(fresh));
  }
  return "";
}

Place place_of(const YamlNode& root, const std::string& dotted) {
  const YamlNode* at = &root;
  for (const std::string& part : split(dotted)) {
    if (at->kind == YamlNode::Kind::map) {
      const YamlEntry* e = at->entry(part);
      if (e == nullptr) break;
      at = &e->value;
    } else if (at->kind == YamlNode::Kind::list) {
      const std::size_t index = index_of(part);
      if (index >= at->items.size()) break;
      at = &at->items[index];
    } else {
      break;
    }
  }
  return at->place;
}

std::string emit_yaml(const YamlNode& root) {
  std::string out;
  emit(root, 0, false, out);
  return out;
}

}  // namespace ridgepoint

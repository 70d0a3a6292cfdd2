// From text to YamlNode: yaml-cpp does the scanning, everything it lets pass is looked at here.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "scenario/yaml_text.hpp"
#include "scenario/yaml_tree.hpp"

namespace ridgepoint {
namespace {

constexpr std::size_t kMaxNodes = 50'000;
constexpr std::size_t kMaxDepth = 64;

std::size_t count_nodes(const YamlNode& n) {
  std::size_t count = 1;
  for (const YamlNode& item : n.items) count += count_nodes(item);
  for (const YamlEntry& e : n.entries) count += count_nodes(e.value);
  return count;
}

/// Thrown to leave the parser; the problem is already in the list.
struct GiveUp {};

/// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, std::shared_ptr<const std::string> file, std::vector<Problem>& problems)
      : text_(text), file_(std::move(file)), problems_(problems) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      fail(place(mark), "a second document begins here", "keep one scenario in one file, without `---`");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode n;
    n.place = place(mark);
    finish(std::move(n), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode n = YamlNode::scalar(value, tag == "!");
    n.place = place(mark);
    refuse_tag(n.place, tag);
    if (n.quoted && !closed(static_cast<std::size_t>(mark.pos)))
      fail(n.place, "the quotes that open here are never closed", "close them");
    if (!n.quoted && (value == "~" || value == "null")) n.kind = YamlNode::Kind::null;
    finish(std::move(n), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end())
      fail(place(mark), "an alias inside the value that it names", "write the value out");
    YamlNode copy = it->second;
    count(copy.place, count_nodes(copy));
    // A copy is reported where its values stand: that is where they have to be changed.
    add(std::move(copy));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::list(), mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::map(), mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  bool has_root = false;
  YamlNode root;

 private:
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false, drop = false;  ///< drop: the value of a key that was refused
    std::string key;
    Place key_place;
    std::map<std::string, Place> seen;
    std::vector<YamlEntry> merged;  ///< what a refused merge key would have brought in
  };

  /// Columns count characters; the parser counts bytes.
  Place place(const YAML::Mark& m) const {
    const auto from = static_cast<std::size_t>(m.pos - m.column);
    const std::string_view before =
        text_.substr(std::min(from, text_.size()), static_cast<std::size_t>(m.column));
    const auto later = std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xc0) == 0x80; });
    return {file_, m.line + 1, m.column + 1 - static_cast<int>(later)};
  }
  /// Whether the quoted scalar at this position ends: the parser takes the end of the file for a closing
  /// quote.
  bool closed(std::size_t at) const {
    const char quote = at < text_.size() ? text_[at] : '\0';
    if (quote != '"' && quote != '\'') return true;  // a block scalar
    for (std::size_t i = at + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\')
        ++i;
      else if (text_[i] == quote && (quote == '"' || i + 1 == text_.size() || text_[i + 1] != quote))
        return true;
      else if (text_[i] == quote)
        ++i;
    }
    return false;
  }
  [[noreturn]] void fail(const Place& at, std::string what, std::string remedy) {
    problems_.push_back(problem_at(at, path(), std::move(what), std::move(remedy)));
    throw GiveUp{};
  }
  void refuse_tag(const Place& at, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      problems_.push_back(problem_at(at, path(), "an explicit tag, `" + tag + "`", "leave the tag out"));
  }
  std::string path() const {
    std::string s;
    for (const Frame& f : stack_) {
      const bool list = f.node.kind == YamlNode::Kind::list;
      if (!list && !f.has_key) break;
      s += (s.empty() ? "" : ".") + (list ? std::to_string(f.node.items.size()) : f.key);
    }
    return s;
  }
  void count(const Place& at, std::size_t n) {
    nodes_ += n;
    if (nodes_ > kMaxNodes)
      fail(at, "more than " + std::to_string(kMaxNodes) + " values in one file (aliases count as copies)",
           "put long lists into a CSV file and name it");
  }
  void open(YamlNode node, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    Frame f;
    f.node = std::move(node);
    f.node.place = place(mark);
    f.anchor = anchor;
    refuse_tag(f.node.place, tag);
    count(f.node.place, 1);
    if (stack_.size() >= kMaxDepth)
      fail(f.node.place, "nested more than " + std::to_string(kMaxDepth) + " levels deep", "flatten it");
    stack_.push_back(std::move(f));
  }
  void close() {
    Frame& f = stack_.back();
    // Merge keys are refused, but what they mean is read: else each of their keys would be reported missing.
    for (YamlEntry& e : f.merged)
      if (f.seen.try_emplace(e.key, e.place).second) f.node.entries.push_back(std::move(e));
    YamlNode node = std::move(f.node);
    const YAML::anchor_t anchor = f.anchor;
    stack_.pop_back();
    remember(node, anchor);
    add(std::move(node));
  }
  void finish(YamlNode node, YAML::anchor_t anchor) {
    count(node.place, 1);
    remember(node, anchor);
    add(std::move(node));
  }
  void remember(const YamlNode& node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
  }
  void add(YamlNode node) {
    if (stack_.empty()) {
      root = std::move(node);
      has_root = true;
      return;
    }
    Frame& f = stack_.back();
    if (f.node.kind == YamlNode::Kind::list) {
      f.node.items.push_back(std::move(node));
    } else if (!f.has_key) {
      take_key(f, node);
    } else {
      if (f.drop && f.key == "<<")
        keep_merged(f, node);
      else if (!f.drop)
        f.node.entries.push_back({std::move(f.key), f.key_place, std::move(node)});
      f.has_key = f.drop = false;
      f.key.clear();
    }
  }
  static void keep_merged(Frame& f, const YamlNode& value) {
    f.merged.insert(f.merged.end(), value.entries.begin(), value.entries.end());
    for (const YamlNode& item : value.items)
      f.merged.insert(f.merged.end(), item.entries.begin(), item.entries.end());
  }
  void take_key(Frame& f, const YamlNode& node) {
    const std::string parent = path();
    const auto refuse = [&](std::string key, std::string what, std::string remedy) {
      const std::string full = parent.empty() || key.empty() ? parent + key : parent + "." + key;
      problems_.push_back(problem_at(node.place, full, std::move(what), std::move(remedy)));
      f.drop = true;
    };
    f.key_place = node.place;
    f.has_key = true;
    f.key = node.text;
    if (node.kind != YamlNode::Kind::scalar || node.text.empty()) {
      f.key = "?";
      refuse("", "a key that is not a word", "write `key: value`");
    } else if (node.text == "<<" && !node.quoted) {
      refuse("", "merge keys (`<<`) are not supported",
             "put what is shared into a file and name it in `extends`");
    } else if (const auto [it, fresh] = f.seen.try_emplace(node.text, node.place); !fresh) {
      refuse(node.text,
             "the key stands here a second time; the first is at line " + std::to_string(it->second.line) +
                 ", column " + std::to_string(it->second.column),
             "keep one of them");
    }
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  std::vector<Problem>& problems_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

/// `bearable` takes the problems after which the rest can still be read; with any other it throws all.
YamlNode parse(std::string_view text, const std::shared_ptr<const std::string>& file, bool& has_root,
               std::vector<Problem>& bearable) {
  std::vector<Problem> problems;
  bool broken = true;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  check_text(text, file, problems);
  if (!problems.empty()) throw ConfigError(std::move(problems));
  TreeBuilder builder(text, file, problems);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    broken = false;
  } catch (const GiveUp&) {
  } catch (const YAML::Exception& e) {
    const bool known = !e.mark.is_null();
    problems.push_back(problem_at({file, known ? e.mark.line + 1 : 0, known ? e.mark.column + 1 : 0}, "",
                                  "not valid YAML: " + e.msg, "correct the syntax here or just above"));
  } catch (const std::exception& e) {
    problems.push_back(
        problem_at({file, 0, 0}, "", std::string("not readable as YAML: ") + e.what(), "correct the syntax"));
  }
  if (broken) throw ConfigError(std::move(problems));
  bearable.insert(bearable.end(), problems.begin(), problems.end());
  has_root = builder.has_root;
  return std::move(builder.root);
}

void throw_any(const std::vector<Problem>& problems) {
  if (!problems.empty()) throw ConfigError(problems);
}

}  // namespace

YamlNode parse_yaml(std::string_view text, const std::string& file_name, std::vector<Problem>& bearable) {
  const auto file = std::make_shared<const std::string>(file_name);
  bool has_root = false;
  YamlNode root = parse(text, file, has_root, bearable);
  if (!has_root || root.kind == YamlNode::Kind::null)
    throw ConfigError({problem_at({file, 0, 0}, "", "the file is empty", "give `key: value` lines")});
  if (root.kind != YamlNode::Kind::map)
    throw ConfigError(
        {problem_at(root.place, "", "the file is not a map of keys", "give `key: value` lines")});
  return root;
}

YamlNode parse_yaml(std::string_view text, const std::string& file_name) {
  std::vector<Problem> problems;
  YamlNode root = parse_yaml(text, file_name, problems);
  throw_any(problems);
  return root;
}

YamlNode parse_yaml_value(std::string_view text, const std::string& origin) {
  const auto file = std::make_shared<const std::string>(origin);
  bool has_root = false;
  std::vector<Problem> problems;
  YamlNode value = parse(text, file, has_root, problems);
  throw_any(problems);
  if (!has_root) {
    value = {};
    value.place.file = file;
  }
  // Positions inside a command-line argument help nobody.
  const auto strip = [](auto&& self, YamlNode& n) -> void {
    n.place.line = n.place.column = 0;
    for (YamlNode& item : n.items) self(self, item);
    for (YamlEntry& e : n.entries) {
      e.place.line = e.place.column = 0;
      self(self, e.value);
    }
  };
  strip(strip, value);
  return value;
}

}  // namespace ridgepoint

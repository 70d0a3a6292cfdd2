#include "workload/trace/json_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/errors.hpp"
#include "workload/content.hpp"

namespace ridgepoint {

namespace dom = simdjson::dom;

void JsonRow::refuse(std::string what, std::string remedy) const {
  throw ConfigError({Problem{path_, line_, 1, "", std::move(what), std::move(remedy)}});
}

void JsonRow::parse(std::string_view text, int line) {
  line_ = line;
  if (padded_.size() < text.size() + simdjson::SIMDJSON_PADDING)
    padded_.resize(2 * text.size() + simdjson::SIMDJSON_PADDING);
  std::memcpy(padded_.data(), text.data(), text.size());
  std::memset(padded_.data() + text.size(), 0, simdjson::SIMDJSON_PADDING);
  dom::element root;
  if (const auto error = parser_.parse(padded_.data(), text.size(), false).get(root))
    refuse(std::string("not valid JSON (") + simdjson::error_message(error) + "): " + printable(text),
           "give one object a row");
  if (root.get(object_)) refuse("not a JSON object: " + printable(text), "give one object a row");
}

std::uint64_t JsonRow::whole(const dom::element& e, const char* key, std::uint64_t most) const {
  std::uint64_t value = 0;
  double real = 0;
  const std::string name = std::string("'") + key + "'";
  if (e.get(value)) {
    if (e.get(real)) refuse(name + " is not a number", "give a whole number");
    if (!(real >= 0) || real != std::floor(real) || real > 0x1p53)
      refuse(name + " is negative, broken or too large", "give a whole number of 0 or more");
    value = static_cast<std::uint64_t>(real);
  }
  if (value > most) refuse(name + " is " + std::to_string(value), "give at most " + std::to_string(most));
  return value;
}

std::int32_t JsonRow::tokens(const Object& o, const char* key) const {
  dom::element e;
  if (o[key].get(e)) refuse(std::string("no '") + key + "'", "give the number of tokens");
  return static_cast<std::int32_t>(whole(e, key, kMaxTokens));
}

std::int64_t JsonRow::nanoseconds(const Object& o, const char* key, std::int64_t factor) const {
  dom::element e;
  if (o[key].get(e)) refuse(std::string("no '") + key + "'", "give a time");
  const std::string name = std::string("'") + key + "'";
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  std::int64_t whole_value = 0;
  double real = 0;
  if (!e.get(whole_value)) {
    if (whole_value < 0) refuse(name + " is negative", "give a time of 0 or more");
    if (whole_value > limit / factor) refuse(name + " is beyond 292 years", "check its unit");
    return whole_value * factor;
  }
  if (e.get(real)) refuse(name + " is not a number", "give a time");
  real *= static_cast<double>(factor);
  if (!(real >= 0 && real < 9.2e18))
    refuse(name + " is negative or beyond 292 years", "give a time of 0 or more, and check its unit");
  return std::llround(real);
}

std::string_view JsonRow::text(const Object& o, const char* key) const {
  std::string_view value;
  if (o[key].get(value)) refuse(std::string("no text '") + key + "'", "give a string");
  return value;
}

dom::array JsonRow::array(const Object& o, const char* key) const {
  dom::array value;
  if (o[key].get(value)) refuse(std::string("'") + key + "' is not an array", "give an array");
  return value;
}

bool JsonLines::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.find_first_not_of(" \t\r") == std::string_view::npos);
  row_.parse(line, lines_.line_number());
  return true;
}

int JsonElements::get() {
  if (at_ == end_) {
    end_ = bytes_.read(buffer_.data(), buffer_.size());
    at_ = 0;
    if (end_ == 0) return -1;
  }
  const char c = buffer_[at_++];
  if (c == '\n') ++line_;
  return static_cast<unsigned char>(c);
}

/// Moves to the `{` of the next object; false at the end.
bool JsonElements::find_object() {
  while (true) {
    const int c = get();
    switch (c) {
      case -1:
        if (in_array_)
          throw ConfigError({Problem{bytes_.path(), line_, 1, "", "the file ends inside its array",
                                     "fetch it again: it was cut short"}});
        return false;
      case ' ':
      case '\t':
      case '\r':
      case '\n':
      case ',':
      case 0xef:  // the three bytes of a byte order mark
      case 0xbb:
      case 0xbf:
        continue;
      case '{':
        return true;
      case '[':
        if (!in_array_ && !array_done_) {
          in_array_ = true;
          continue;
        }
        break;
      case ']':
        if (in_array_) {
          in_array_ = false;
          array_done_ = true;
          continue;
        }
        break;
      default:
        break;
    }
    throw ConfigError(
        {Problem{bytes_.path(), line_, 1, "",
                 "'" + printable(std::string(1, static_cast<char>(c))) + "' where an object should begin",
                 "give a JSON array of objects, or one object a line"}});
  }
}

void JsonElements::take_object() {
  element_.assign(1, '{');
  int depth = 1;
  bool in_string = false, escaped = false;
  while (depth > 0) {
    const int c = get();
    if (c == -1)
      throw ConfigError({Problem{bytes_.path(), line_, 1, "", "the file ends inside an object",
                                 "fetch it again: it was cut short"}});
    if (element_.size() > LineReader::kJsonLine)
      throw ConfigError({Problem{bytes_.path(), line_, 1, "", "an object of more than 64 MiB",
                                 "is this a file of conversations?"}});
    element_ += static_cast<char>(c);
    if (in_string) {
      if (!escaped && c == '"') in_string = false;
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

bool JsonElements::next() {
  if (!find_object()) return false;
  const int line = line_;
  take_object();
  row_.parse(element_, line);
  return true;
}

std::int32_t estimated_tokens(std::string_view utf8, double chars_per_token) {
  const auto chars = std::count_if(utf8.begin(), utf8.end(),
                                   [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return static_cast<std::int32_t>(
      std::min(std::ceil(static_cast<double>(chars) / chars_per_token), double{kMaxTokens}));
}

}  // namespace ridgepoint

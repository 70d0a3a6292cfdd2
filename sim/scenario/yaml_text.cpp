#include "scenario/yaml_text.hpp"

#include "scenario/yaml_tree.hpp"

namespace ridgepoint {
namespace {

/// Length of the UTF-8 sequence at s[i], 0 when it is none.
std::size_t utf8_length(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0U; };
  const unsigned lead = byte(i);
  const std::size_t n = lead < 0x80                   ? 1
                        : lead >= 0xc2 && lead < 0xe0 ? 2
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
  for (std::size_t k = 1; k < n; ++k)
    if ((byte(i + k) & 0xc0U) != 0x80U) return 0;
  if (n == 3 && ((lead == 0xe0 && byte(i + 1) < 0xa0) || (lead == 0xed && byte(i + 1) >= 0xa0))) return 0;
  if (n == 4 && ((lead == 0xf0 && byte(i + 1) < 0x90) || (lead == 0xf4 && byte(i + 1) >= 0x90))) return 0;
  return n;
}

}  // namespace

void check_text(std::string_view text, const std::shared_ptr<const std::string>& file,
                std::vector<Problem>& problems) {
  if (text.size() > kMaxYamlBytes) {
    problems.push_back(problem_at({file, 0, 0}, "", "the file is larger than 1 MiB",
                                  "put long lists into a CSV file and name it"));
    return;
  }
  int line = 1, column = 1;
  bool blank = true;  // nothing but white space so far on this line
  Place tab;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = utf8_length(text, i);
    const char c = text[i];
    const bool control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
    if (n == 0 || control) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      const std::string code{'0', 'x', kHex[byte >> 4], kHex[byte & 15]};
      problems.push_back(problem_at(
          {file, line, column}, "",
          n == 0 ? "not a text file: a byte that is not UTF-8 text, " + code : "a control character, " + code,
          n == 0 ? "give a YAML file" : "take it out"));
      return;
    }
    if (c == '\t' && blank && tab.line == 0) tab = {file, line, column};
    if (blank && c != ' ' && c != '\t' && c != '\r') {
      if (tab.line == line && c != '\n' && c != '#')
        problems.push_back(problem_at(tab, "", "a tab in the indentation", "use spaces"));
      if (c != '\n') blank = false;
      if (tab.line == line) tab.line = 0;
    }
    i += n;
    ++column;
    if (c == '\n') {
      ++line;
      column = 1;
      blank = true;
      tab.line = 0;
    }
  }
}

}  // namespace ridgepoint

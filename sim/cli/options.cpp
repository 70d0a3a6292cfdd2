#include "cli/options.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/errors.hpp"

namespace ridgepoint::cli {
namespace {

const Command& find(std::string_view name) {
  for (const Command& c : command_table())
    if (c.name == name) return c;
  throw std::logic_error("options of a command that is not in the table");
}

void print_help(const OptionSet& set) {
  const Command& command = find(set.command);
  std::ostringstream options;
  options << set.options;
  fmt::print("usage: ridgepoint {} {}\n\n{}\n\n{}", command.name, command.arguments, set.details,
             options.str());
}

std::string see_help(const OptionSet& set) { return fmt::format("see 'ridgepoint {} --help'", set.command); }

[[noreturn]] void refuse_unknown(const OptionSet& set, const std::string& given) {
  std::vector<std::string> names;
  for (const auto& option : set.options.options()) names.push_back("--" + option->long_name());
  const std::string nearest = nearest_name(given, names);
  throw ConfigError(fmt::format("ridgepoint {}: unknown option '{}'", set.command, given),
                    nearest.empty() ? see_help(set) : fmt::format("did you mean '{}'?", nearest));
}

po::variables_map parse(const OptionSet& set, const Arguments& arguments) {
  po::options_description all;
  all.add(set.options);
  po::positional_options_description positional;
  for (const std::string& name : set.positional) {
    all.add_options()(name.c_str(), po::value<std::string>());
    positional.add(name.c_str(), 1);
  }
  // No guessing: an abbreviation that is right today is ambiguous with the next option.
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positional).style(style).run(),
              values);
    po::notify(values);
  } catch (const po::unknown_option& e) {
    refuse_unknown(set, e.get_option_name());
  } catch (const po::too_many_positional_options_error&) {
    throw ConfigError(fmt::format("ridgepoint {}: too many arguments", set.command), see_help(set));
  } catch (const po::error& e) {
    throw ConfigError(fmt::format("ridgepoint {}: {}", set.command, e.what()), see_help(set));
  }
  return values;
}

}  // namespace

std::optional<po::variables_map> parse_options(OptionSet& set, const Arguments& arguments) {
  set.options.add_options()("help,h", "this text");
  po::variables_map values = parse(set, arguments);
  if (values.count("help") > 0) {
    print_help(set);
    return std::nullopt;
  }
  for (const std::string& name : set.positional)
    if (values.count(name) == 0)
      throw ConfigError(fmt::format("ridgepoint {}: {} is missing", set.command, name), see_help(set));
  return values;
}

}  // namespace ridgepoint::cli

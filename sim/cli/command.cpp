#include "cli/command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "base/errors.hpp"

namespace ridgepoint::cli {
namespace {

constexpr Command kCommands[] = {
    {"run", "SCENARIO.yaml [-o OUT.h5] [--set KEY=VALUE]...", "simulate a scenario, print its summary",
     run_command},
    {"check", "SCENARIO.yaml [--set KEY=VALUE]...", "print what would run and what follows from it",
     check_command},
    {"summary", "FILE.h5", "print the summary of a result file again", summary_command},
    {"list", "KIND",
     "what the catalog and the program know: gpus, nodes, fabrics, models, calibrations, policies,\n"
     "            engine-versions, trace-formats",
     list_command},
    {"schema", "", "JSON Schema of the scenario file, for editors", schema_command},
    {"trace", "convert IN --format FORMAT -o OUT [--sort] [--keep-failed] [--limit N]",
     "turn a request trace into the project's own CSV", trace_command},
};

std::string help() {
  std::string text =
      "ridgepoint: simulates clusters that serve large language models\n\nusage: ridgepoint COMMAND ...\n\n";
  for (const Command& c : kCommands) text += fmt::format("  {:<9} {}\n", c.name, c.what);
  text += "\n'ridgepoint COMMAND --help' explains one command; 'ridgepoint --version' names this one.\n";
  return text;
}

void print_error(const ConfigError& error) {
  for (const Problem& problem : error.problems())
    fmt::print(stderr, "{}{}\n", problem.file.empty() ? "error: " : "", problem.text());
}

int find_and_run(const Arguments& arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, "{}", help());
    return 2;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    fmt::print("{}", help());
    return 0;
  }
  if (name == "--version") {
    fmt::print("ridgepoint {}\n", RIDGEPOINT_VERSION);
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& c : kCommands) {
    if (c.name == name) return c.run(Arguments(arguments.begin() + 1, arguments.end()));
    names.emplace_back(c.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw ConfigError(fmt::format("unknown command '{}'", name),
                    nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean '{}'?", nearest));
}

}  // namespace

std::span<const Command> command_table() { return kCommands; }

int dispatch(const Arguments& arguments) {
  try {
    const int code = find_and_run(arguments);
    // What could not be written must not look like success (a full disk behind a redirection).
    if (std::fflush(stdout) != 0) {
      fmt::print(stderr, "error: standard output could not be written\n");
      return 1;
    }
    return code;
  } catch (const ConfigError& e) {
    print_error(e);
    return 2;
  } catch (const SimulationError& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 3;
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory: simulate less at once, record less of it, or allow the program more\n",
               stderr);
    return 3;
  } catch (const std::filesystem::filesystem_error& e) {  // of a path the user gave, or of where the user is
    const std::string path = e.path1().string();
    fmt::print(stderr, "error: {}: {}\n", path.empty() ? "working directory" : path, e.code().message());
    return 2;
  } catch (const std::system_error& e) {  // no more threads, for one
    fmt::print(stderr, "error: the system refuses: {}\n", e.what());
    return 3;
  } catch (const std::exception& e) {
    fmt::print(stderr, "internal error: {}\n", e.what());
    return 1;
  }
}

}  // namespace ridgepoint::cli

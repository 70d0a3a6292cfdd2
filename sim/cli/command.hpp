// The subcommands of the program: one file each, listed in one table (command.cpp).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint::cli {

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view arguments;  ///< as the usage line shows them
  std::string_view what;       ///< one line
  int (*run)(const Arguments& arguments);
};
std::span<const Command> command_table();

int run_command(const Arguments& arguments);
int check_command(const Arguments& arguments);
int list_command(const Arguments& arguments);
int schema_command(const Arguments& arguments);
int summary_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);

/// Runs what the command line (without the program's name) asks for; returns the exit code: 0, 2 for bad
/// input, 3 for a run that cannot go on, 1 for a fault of the program itself. Errors go to stderr.
int dispatch(const Arguments& arguments);

}  // namespace ridgepoint::cli

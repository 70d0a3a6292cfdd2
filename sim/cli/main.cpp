// The program `ridgepoint`.
#include <csignal>

#include "cli/command.hpp"

int main(int argc, char** argv) {
  // A file larger than the limit (ulimit -f) is an error of writing, like a full disk, and is reported as
  // one.
  std::signal(SIGXFSZ, SIG_IGN);
  return ridgepoint::cli::dispatch(ridgepoint::cli::Arguments(argv + (argc > 0 ? 1 : 0), argv + argc));
}

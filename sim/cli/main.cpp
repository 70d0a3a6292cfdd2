// The program `ridgepoint`.
#include "cli/command.hpp"

int main(int argc, char** argv) {
  return ridgepoint::cli::dispatch(ridgepoint::cli::Arguments(argv + (argc > 0 ? 1 : 0), argv + argc));
}

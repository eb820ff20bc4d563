// SPDX-License-Identifier: MIT
// The presso command. process.cpp prepares the process; everything else is in cli/driver.cpp and
// the commands. Tested by the whole of tests/cli, which runs the built program.
#include "tools/process.h"

int main(int argc, char** argv) {
  return presso::cli::run_process({argv + (argc > 0 ? 1 : 0), argv + argc});
}

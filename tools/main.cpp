// SPDX-License-Identifier: MIT
// The presso command. process.cpp prepares the process; everything else is in cli/driver.cpp and
// the commands.
#include "tools/process.h"

int main(int argc, char** argv) {
  return presso::cli::run_process({argv + (argc > 0 ? 1 : 0), argv + argc});
}

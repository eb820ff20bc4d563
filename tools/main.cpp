// SPDX-License-Identifier: MIT
// The presso command. Everything is in cli/driver.cpp and the commands.
#include <csignal>
#include <new>

#include "tools/cli/driver.h"
#include "tools/cli/message.h"

int main(int argc, char** argv) {
  // Writing to a closed pipe is reported by write(), where it can be told from other errors.
  std::signal(SIGPIPE, SIG_IGN);
  // So is writing beyond a file-size limit.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return presso::cli::run_command_line({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::bad_alloc&) {
    presso::cli::error("", "out of memory");
  }
  return presso::cli::exit_status();
}

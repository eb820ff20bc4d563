// SPDX-License-Identifier: MIT
// The presso command. Everything is in cli/driver.cpp and the commands.
#include <csignal>
#include <new>

#include "tools/cli/driver.h"
#include "tools/cli/message.h"
#include "tools/info/devices_report.h"

int main(int argc, char** argv) {
  // write() reports a closed pipe, where it can be told from other errors,
  std::signal(SIGPIPE, SIG_IGN);
  // and a file that grew beyond the size limit.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const auto gpus = [] { return presso::cli::devices_line(presso::cli::gpu_devices()); };
    return presso::cli::run_command_line({argv + (argc > 0 ? 1 : 0), argv + argc}, gpus);
  } catch (const std::bad_alloc&) {
    presso::cli::error("", "out of memory");
  }
  return presso::cli::exit_status();
}

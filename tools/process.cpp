// SPDX-License-Identifier: MIT
// Sets up the process before the command line is read, and is the last place that catches what no
// command handled. The Python package runs it as well, for its own `presso` command
// (python/src/module.cpp). Tested by tests/cli/test_failures.py (closed pipes, full disks, limits
// on the size of files).
#include "tools/process.h"

#include <csignal>
#include <new>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "tools/cli/driver.h"
#include "tools/cli/message.h"
#include "tools/info/devices_report.h"

namespace presso::cli {
namespace {

/// Blocks, tables and buffers come and go; memory that is given back to the system and taken again
/// is cleared again, which took a tenth of the time of small files. It applies to glibc alone;
/// other C libraries keep their own policy. The price is that a process holds up to 128 MiB more
/// than it uses.
void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int kMiB = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMiB);  // the most that is permitted
  mallopt(M_TRIM_THRESHOLD, 128 * kMiB);
#endif
}

}  // namespace

int run_process(const std::vector<std::string>& arguments) {
  keep_freed_memory();
  // write() reports a closed pipe, where it can be told from other errors,
  std::signal(SIGPIPE, SIG_IGN);
  // and a file that grew beyond the size limit.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run_command_line(arguments, [] { return devices_line(gpu_devices()); });
    // Errors travel as values; only the standard library throws, when memory runs out. The output
    // file of the command has been removed by the unwinding by now.
  } catch (const std::bad_alloc&) {
    error("", "out of memory");
  }
  return exit_status();
}

}  // namespace presso::cli

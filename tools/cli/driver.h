// SPDX-License-Identifier: MIT
// Goes from argv to an exit status: picks the command, parses its options, applies them and runs
// it; prints help, version and usage errors. It holds no state. Tested by tests/cli/test_frame.py.
#pragma once

#include <string>
#include <vector>

namespace presso::cli {

/// Describes this machine's GPUs in a line for `presso --version -v`.
using DescribeGpus = std::string (*)();

/// Runs one command line and returns the exit status. `arguments` come without the program's name.
/// `gpus` is called only if it is needed, because asking for GPUs takes long.
int run_command_line(const std::vector<std::string>& arguments, DescribeGpus gpus);

/// The text of `presso --version`.
std::string version_text();
/// Further lines for `presso --version -v`: CPU back ends, CPU features, and `gpus`. The CPU level
/// in use may be lower than the CPU permits, if PRESSO_FORCE_BACKEND says so.
std::string version_details(const std::string& gpus);

}  // namespace presso::cli

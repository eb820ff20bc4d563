// SPDX-License-Identifier: MIT
// From argv to an exit status: picks the command, parses its options, applies them and runs it;
// prints help, version and usage errors.
#pragma once

#include <string>
#include <vector>

namespace presso::cli {

/// One line about this machine's GPUs, for `presso --version -v`.
using DescribeGpus = std::string (*)();

/// `arguments`: without the program's name. `gpus` is called only if it is needed, because asking
/// for GPUs takes long.
int run_command_line(const std::vector<std::string>& arguments, DescribeGpus gpus);

/// Text of `presso --version`.
std::string version_text();
/// More lines for `presso --version -v`: back ends, CPU features, and `gpus`.
std::string version_details(const std::string& gpus);

}  // namespace presso::cli

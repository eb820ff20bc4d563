// SPDX-License-Identifier: MIT
// What a process does that is nothing but the presso command. Tested by tests/cli/test_failures.py.
#pragma once

#include <string>
#include <vector>

namespace presso::cli {

/// Sets what holds for the whole process (signals, how memory is kept), runs the command and
/// returns its exit status, with all output written. `arguments`: without the program's name.
int run_process(const std::vector<std::string>& arguments);

}  // namespace presso::cli

// SPDX-License-Identifier: MIT
// From argv to an exit status: picks the command, parses, applies, runs; prints help and usage
// errors.
#pragma once

#include <string>
#include <vector>

namespace presso::cli {

/// `arguments` without the program's name.
int run_command_line(std::vector<std::string> arguments);

/// Text of `presso --version`; with `details` also back ends, CPU features and devices.
std::string version_text(bool details);

}  // namespace presso::cli

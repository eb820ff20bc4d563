// SPDX-License-Identifier: MIT
// Makes the command `scan`; tools/registry.cpp lists it. Tested by tests/cli/test_scan.py.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_scan_command();

}  // namespace presso::cli

// SPDX-License-Identifier: MIT
// Makes the command `info`; tools/registry.cpp lists it. Tested by tests/cli/test_reports.py.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_info_command();

}  // namespace presso::cli

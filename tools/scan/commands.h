// SPDX-License-Identifier: MIT
// Makes the command `scan`; listed in tools/registry.cpp.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_scan_command();

}  // namespace presso::cli

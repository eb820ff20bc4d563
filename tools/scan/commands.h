// SPDX-License-Identifier: MIT
// Makes the command `scan`; tools/registry.cpp lists it.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_scan_command();

}  // namespace presso::cli

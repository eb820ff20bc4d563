// SPDX-License-Identifier: MIT
// Makers of the sub-commands, one for each NAME_command.cpp; listed in cli/registry.cpp.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_info_command();

}  // namespace presso::cli

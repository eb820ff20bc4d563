// SPDX-License-Identifier: MIT
// Makes the command that asks tables; listed in tools/registry.cpp.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_select_command();

}  // namespace presso::cli

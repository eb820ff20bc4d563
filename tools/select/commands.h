// SPDX-License-Identifier: MIT
// Makes the commands that ask tables; listed in tools/registry.cpp.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_join_command();
std::unique_ptr<Command> make_select_command();
std::unique_ptr<Command> make_sql_command();

}  // namespace presso::cli

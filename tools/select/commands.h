// SPDX-License-Identifier: MIT
// Makes the commands that query tables: join, select and sql; tools/registry.cpp lists them.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_join_command();
std::unique_ptr<Command> make_select_command();
std::unique_ptr<Command> make_sql_command();

}  // namespace presso::cli

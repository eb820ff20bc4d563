// SPDX-License-Identifier: MIT
// Makes the commands that query tables: join, select and sql; tools/registry.cpp lists them. Tested
// by tests/cli/test_select.py, test_join.py and test_sql.py.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_join_command();
std::unique_ptr<Command> make_select_command();
std::unique_ptr<Command> make_sql_command();

}  // namespace presso::cli

// SPDX-License-Identifier: MIT
// Makes the commands that decode files: cat, decompress and test; tools/registry.cpp lists them.
// Tested by tests/cli/test_decompress.py.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_cat_command();
std::unique_ptr<Command> make_decompress_command();
std::unique_ptr<Command> make_test_command();

}  // namespace presso::cli

// SPDX-License-Identifier: MIT
// Makes the commands `compress` and `train`; tools/registry.cpp lists them. How each works is in
// compress_command.cpp and train_command.cpp. Tested by tests/cli/test_compress.py.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_compress_command();
std::unique_ptr<Command> make_train_command();

}  // namespace presso::cli

// SPDX-License-Identifier: MIT
// Makes the commands `compress` and `train`; listed in tools/registry.cpp.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_compress_command();
std::unique_ptr<Command> make_train_command();

}  // namespace presso::cli

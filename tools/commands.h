// SPDX-License-Identifier: MIT
// Makers of the sub-commands, one for each NAME_command.cpp; listed in cli/registry.cpp.
#pragma once

#include <memory>

#include "tools/cli/command.h"

namespace presso::cli {

std::unique_ptr<Command> make_bench_command();
std::unique_ptr<Command> make_cat_command();
std::unique_ptr<Command> make_compress_command();
std::unique_ptr<Command> make_decompress_command();
std::unique_ptr<Command> make_info_command();
std::unique_ptr<Command> make_scan_command();
std::unique_ptr<Command> make_test_command();
std::unique_ptr<Command> make_train_command();

}  // namespace presso::cli

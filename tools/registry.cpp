// SPDX-License-Identifier: MIT
// All sub-commands. To add one: a class derived from Command in NAME_command.cpp, a make function
// declared in tools/commands.h, and a line here.
#include "tools/commands.h"

namespace presso::cli {

std::span<const Registration> registered_commands() {
  static const Registration kCommands[] = {
      {"compress", make_compress_command}, {"decompress", make_decompress_command},
      {"cat", make_cat_command},           {"test", make_test_command},
      {"info", make_info_command},         {"scan", make_scan_command},
      {"train", make_train_command},       {"bench", make_bench_command},
  };
  return kCommands;
}

}  // namespace presso::cli

// SPDX-License-Identifier: MIT
// All commands, in the order of the help. To add one: derive a class from Command in
// NAME_command.cpp, declare its make function in the commands.h of its folder, add a line here.
// Tested by tests/cli/test_frame.py and tests/cli/test_coverage.py.
#include "tools/bench/commands.h"
#include "tools/compress/commands.h"
#include "tools/decompress/commands.h"
#include "tools/info/commands.h"
#include "tools/scan/commands.h"
#include "tools/select/commands.h"

namespace presso::cli {

// Commands are made anew at each call of a maker, so a table of functions is enough and nothing is
// constructed for a command that is not used.
std::span<const Registration> registered_commands() {
  static const Registration kCommands[] = {
      {"compress", make_compress_command}, {"decompress", make_decompress_command},
      {"cat", make_cat_command},           {"test", make_test_command},
      {"info", make_info_command},         {"scan", make_scan_command},
      {"select", make_select_command},     {"join", make_join_command},
      {"sql", make_sql_command},           {"train", make_train_command},
      {"bench", make_bench_command},
  };
  return kCommands;
}

}  // namespace presso::cli

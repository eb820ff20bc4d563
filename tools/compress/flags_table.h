// SPDX-License-Identifier: MIT
// The flags with which `compress --table` makes a table, and where commands get the kind of text
// from. Tested by tests/cli/test_table.py. Whether the flags go together is checked by
// CompressCommand, when all are known.
#pragma once

#include <string>
#include <vector>

#include "presso/compress_table.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// What the flags of tables were set to.
struct TableFlags {
  bool on = false;
  TableOptions options;
  std::string bad_rows;         ///< --bad-rows; empty: such rows are errors
  bool report_json = false;     ///< --report json
  bool asks_for_exact = false;  ///< --exact was given, rather than left as it is
  std::string needs_table;      ///< one of the other flags, as it was spelled
  std::string
      needs_delimiter;  ///< one of the flags that mean nothing for JSON lines, as it was spelled
};

/// All flags of tables: --table --schema --header --delimiter --quote --null --comment --skip
/// --ragged --[no-]exact --sort-by --bad-rows --report --row-group. `flags` has to outlive the
/// result.
std::vector<Flag> table_flags(TableFlags& flags);
/// Only those that say how the text is read, apart from its kind: --schema to --bad-rows. Commands
/// that read text without storing it use these.
std::vector<Flag> table_text_flags(TableFlags& flags);
/// --input, with which commands that do not store text take its kind; --table is another name.
Flag input_flag(TableFlags& flags);

}  // namespace presso::cli

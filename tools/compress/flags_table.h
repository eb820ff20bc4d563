// SPDX-License-Identifier: MIT
// The flags with which compress makes a table.
#pragma once

#include <string>
#include <vector>

#include "presso/compress_table.h"
#include "tools/cli/flag.h"

namespace presso::cli {

struct TableFlags {
  bool on = false;
  TableOptions options;
  std::string bad_rows;         ///< --bad-rows; empty: such rows are errors
  bool report_json = false;     ///< --report json
  bool asks_for_exact = false;  ///< --exact was given, rather than left as it is
  std::string needs_table;      ///< one of the other flags, as it was spelled
  std::string needs_delimiter;  ///< one of those that mean nothing for JSON lines
};

/// --table --schema --header --delimiter --quote --null --comment --skip --ragged --[no-]exact
/// --sort-by --bad-rows --report --row-group
std::vector<Flag> table_flags(TableFlags& flags);
/// Those of them that say how the text is written, beside its kind: --schema to --ragged.
std::vector<Flag> table_text_flags(TableFlags& flags);
/// Takes the kind of text over: auto, csv, tsv, tbl, jsonl.
Status apply_text_kind(const std::string& kind, TableTextOptions& text);

}  // namespace presso::cli

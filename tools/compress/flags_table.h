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
  std::string needs_table;  ///< one of the other flags, as it was spelled
};

/// --table --schema --header --delimiter --quote --null --comment --skip --ragged --[no-]exact
/// --row-group
std::vector<Flag> table_flags(TableFlags& flags);

}  // namespace presso::cli

// SPDX-License-Identifier: MIT
// The flags of presso select, join and sql. Whether expressions are right is found out when the
// query is prepared. Tested by tests/cli/test_select.py, test_join.py and test_sql.py. They are
// declared here and documented by help.cpp, man.cpp and markdown.cpp.
#pragma once

#include <vector>

#include "tools/cli/flag.h"
#include "tools/select/select_settings.h"

namespace presso::cli {

std::vector<Flag> select_flags(SelectSettings& settings);
/// The flags of select, and those about what is joined and how.
std::vector<Flag> join_flags(SelectSettings& settings);
/// The flags that do not say what is selected, which the statement does.
std::vector<Flag> sql_flags(SelectSettings& settings);

}  // namespace presso::cli

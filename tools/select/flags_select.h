// SPDX-License-Identifier: MIT
// The flags of presso select, join and sql.
#pragma once

#include <vector>

#include "tools/cli/flag.h"
#include "tools/select/select_settings.h"

namespace presso::cli {

std::vector<Flag> select_flags(SelectSettings& settings);
/// Those of select, and what is joined and how.
std::vector<Flag> join_flags(SelectSettings& settings);
/// Those that do not say what is selected: the statement does.
std::vector<Flag> sql_flags(SelectSettings& settings);

}  // namespace presso::cli

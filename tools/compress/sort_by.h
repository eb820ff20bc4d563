// SPDX-License-Identifier: MIT
// The value of --sort-by. Tested by tests/unit/tools/sort_by_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "presso/compress_table.h"

namespace presso::cli {

/// `a,b desc,"c, d" asc`: names, each with asc or desc behind it, in small or large letters; in
/// double quotes, which are doubled within, they may hold anything. kInvalidArgument, saying what
/// is wrong with the value.
Result<std::vector<SortBy>> parse_sort_by(std::string_view text);

}  // namespace presso::cli

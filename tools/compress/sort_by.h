// SPDX-License-Identifier: MIT
// Parses the value of --sort-by. Whether the columns exist is checked later, against the table.
// Tested by tests/unit/tools/sort_by_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "presso/compress_table.h"

namespace presso::cli {

/// Parses `a,b desc,"c, d" asc`: names of columns, each with asc or desc after it if wanted, in
/// small or capital letters. A name in double quotes, which are doubled within, may hold anything.
/// Error kInvalidArgument: says what is wrong with the value.
Result<std::vector<SortBy>> parse_sort_by(std::string_view text);

}  // namespace presso::cli

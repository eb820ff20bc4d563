// SPDX-License-Identifier: MIT
// `order by ... limit k` in two steps: the sort keys alone tell which rows the answer has, and the
// other columns are read of these rows only. Pays where k is small beside the table: the first step
// decodes the keys of all rows, the second one a vector of each other column for each row. Declines
// joined rows, and results that may fail, because these have to fail for any row.
// Tested by tests/unit/query/answer/query_test.cpp.
#pragma once

#include "query/run/execution.h"

namespace presso::query {

bool finds_rows_first(const Execution& execution);
/// Sets execution.matched to the rows of the answer.
Status find_first_rows(Execution& execution);

}  // namespace presso::query

// SPDX-License-Identifier: MIT
// ORDER BY with LIMIT in two steps: the sort keys alone tell which rows the answer has, and the
// other columns are read for these rows only. Pays if the limit is small compared with the table:
// the first step decodes the keys of all rows, and the second decodes a vector of each other column
// for each row of the answer. Declines joined rows, and results that may fail, because such an
// error must be reported for any row.
// Tested by tests/unit/query/answer/query_test.cpp (FindsFewFirstRowsByTheirKeys).
#pragma once

#include "query/run/execution.h"

namespace presso::query {

/// Whether the two steps are worth it: no join, an order, at most one wanted row for 4,096 rows,
/// and a result column that the keys and conditions do not read anyway.
bool finds_rows_first(const Execution& execution);
/// The first step: sets execution.matched to the rows of the answer, so that the second step is an
/// ordinary run over these rows. Errors: those of reading and of the disk.
Status find_first_rows(Execution& execution);

}  // namespace presso::query

// SPDX-License-Identifier: MIT
// Columns that options name, looked up in the schema that was found out.
// Tested by tests/cli/test_table.py.
#pragma once

#include <vector>

#include "format/columns/sort_key.h"
#include "presso/compress_table.h"

namespace presso {

/// Takes TableOptions::types over. How values stand in the text is what was found out, as far as
/// the type given has that. `saw_all`: of the text; JSON lines may get columns that were not seen.
Status take_given_types(const std::vector<ColumnSchema>& types, bool saw_all, TextKind kind,
                        TableSummary& summary);

/// kInvalidArgument for a column that there is not, or that is named twice.
Result<std::vector<SortColumn>> sort_columns(const std::vector<SortBy>& by,
                                             const TableSchema& schema);

}  // namespace presso

// SPDX-License-Identifier: MIT
// Columns that options name, looked up in the schema that was inferred. Tested by
// tests/cli/test_table.py.
#pragma once

#include <vector>

#include "compress/table/text/csv_tokenizer.h"
#include "format/columns/sort_key.h"
#include "presso/compress_table.h"

namespace presso {

/// Applies TableOptions::types to the schema. How values stand in the text stays as it was
/// inferred, as far as the given type has that. `saw_all`: whether all of the text was seen.
/// `rules`: of these, the formats of dates.
/// Tables of JSON lines may get columns that were not seen.
Status take_given_types(const std::vector<ColumnSchema>& types, bool saw_all, TextKind kind,
                        const ReadingRules& rules, TableSummary& summary);

/// kInvalidArgument for a column that does not exist or is named twice.
Result<std::vector<SortColumn>> sort_columns(const std::vector<SortBy>& by,
                                             const TableSchema& schema);

}  // namespace presso

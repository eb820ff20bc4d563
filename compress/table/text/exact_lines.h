// SPDX-License-Identifier: MIT
// Keeps the parts of a text that printing its rows would not give back byte for byte: the rows are
// printed as their schema says, and those that differ from the text are kept in full.
// Tested through tests/unit/compress/table/csv_loader_test.cpp and json_loader_test.cpp.
#pragma once

#include <vector>

#include "compress/table/text/column_builder.h"
#include "compress/table/text/csv_loader.h"

namespace presso {

/// Takes the columns from their builders, one for each of the schema's, and keeps what printing
/// them would not give back. `ends`: where each row ends in `text`, what precedes the row being
/// part of it. Text after the last row is kept as well.
Result<LoadedRows> finish_rows(Bytes text, const TableSchema& schema,
                               const std::vector<std::uint32_t>& ends,
                               std::vector<ColumnBuilder>& builders);

}  // namespace presso

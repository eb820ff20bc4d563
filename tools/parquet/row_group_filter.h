// SPDX-License-Identifier: MIT
// Tells from the statistics in a Parquet file's footer which row groups have no row that fulfils
// the conditions of a query. A row group is left out only if that is certain: ranges count if the
// file says that they are in the order of the column's type (the older fields only for signed
// integers), bounds of text may be cut off, NaN is in no range, and numbers that are not exact in a
// double have a margin. Conditions that are not comparisons of a column with a literal, IN,
// BETWEEN, IS [NOT] NULL, AND and OR rule nothing out. Tested by tests/cli/test_parquet.py.
#pragma once

#include <span>

#include "tools/io/column_file.h"
#include "tools/parquet/parquet_format.h"

namespace presso::cli {

/// A column of the table and the statistics of its part of a row group.
struct RangedColumn {
  const ColumnSchema* schema = nullptr;
  const ParquetNode* leaf = nullptr;  ///< nullptr: it has no statistics
};

/// Whether no row of the group fulfils all conditions.
bool is_ruled_out(const RowConditions& conditions, std::span<const RangedColumn> columns,
                  const ParquetRowGroup& group);

}  // namespace presso::cli

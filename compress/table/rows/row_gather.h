// SPDX-License-Identifier: MIT
// Copies single rows out of several sets of columns, in any order: the last step of sorting and
// merging. It works column by column, so that a type is looked at once and the bytes stay in
// cache.
// Tested by tests/unit/compress/table/row_sorter_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/column_data.h"

namespace presso {

/// A row of one of the sources.
struct RowPick {
  std::uint32_t source = 0;
  std::uint32_t row = 0;
};

/// Columns of the schema's types, without rows.
std::vector<ColumnData> empty_columns(const TableSchema& schema);

/// Appends the rows `picks` to the columns `to`. Each element of `sources` is a set of all the
/// table's columns, in the table's order.
void append_rows(std::span<const std::vector<ColumnView>> sources, std::span<const RowPick> picks,
                 std::vector<ColumnData>& to);

}  // namespace presso

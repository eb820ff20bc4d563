// SPDX-License-Identifier: MIT
// Copies single rows from several sets of columns, in any order: what sorting and merging end with.
// A column at a time, so that its type is looked at once and its bytes stay in cache.
// Tested by tests/unit/compress/table/row_sorter_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/column_data.h"

namespace presso {

struct RowPick {
  std::uint32_t source = 0;
  std::uint32_t row = 0;
};

/// Columns of these types, without a row.
std::vector<ColumnData> empty_columns(const TableSchema& schema);

/// Appends the rows `picks` to the columns `to`. `sources`: of each the columns of the table, in
/// its order.
void append_rows(std::span<const std::vector<ColumnView>> sources, std::span<const RowPick> picks,
                 std::vector<ColumnData>& to);

}  // namespace presso

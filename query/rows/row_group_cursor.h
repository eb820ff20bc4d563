// SPDX-License-Identifier: MIT
// Goes over the row groups of several tables with the same columns, one after another. Tested
// through its users: slices.h, query/gpu/table/loaded_table.h and table_parts.h.
//
// Numbers of rows count through all tables: row r of table t has the number r plus the row_limit()
// of all tables before. A part of a table (Table::part()) keeps the numbers of the whole, so that
// several processes agree on them.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/table.h"

namespace presso::query {

/// Returns a number that is greater than every row's number in the table. (Rows of a part of a
/// table have the numbers of the whole table.)
inline std::uint64_t row_limit(const Table& table) {
  if (table.row_groups() == 0) return 0;
  const RowGroupSummary last = table.row_group(table.row_groups() - 1);
  return last.first_row + last.rows;
}
inline std::uint64_t row_limit(const std::vector<Table>& tables) {
  std::uint64_t limit = 0;
  for (const Table& table : tables) limit += row_limit(table);
  return limit;
}

/// A place among the row groups; used like `while (has_group()) { ...; next(); }`. Not thread-safe.
class RowGroupCursor {
 public:
  /// `tables` is kept by reference.
  explicit RowGroupCursor(const std::vector<Table>& tables) : tables_(tables) {}

  /// Whether a row group is left. Must be called before the functions below, as it moves on to the
  /// next table.
  bool has_group() {
    while (table_ < tables_.size() && group_ == tables_[table_].row_groups()) {
      first_row_ += row_limit(tables_[table_]);
      ++table_;
      group_ = 0;
    }
    return table_ < tables_.size();
  }
  std::size_t table() const { return table_; }
  std::uint64_t group() const { return group_; }  ///< in its table
  /// The number of the table's first row, in all tables together.
  std::uint64_t first_row() const { return first_row_; }
  void next() { ++group_; }

 private:
  const std::vector<Table>& tables_;
  std::size_t table_ = 0;
  std::uint64_t group_ = 0;
  std::uint64_t first_row_ = 0;
};

}  // namespace presso::query

// SPDX-License-Identifier: MIT
// Tables whose columns differ become tables that Query::from() takes as one. Columns are matched by
// their names; their order is that of the first table, and columns that it lacks follow. Nothing is
// copied where only the order differs or a column is missing; a table in which a column has another
// type is read, and kept in the common types, in memory or in a temporary file. Tested by
// tests/cli/test_many_files.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "presso/query.h"

namespace presso {

/// Tables with the same columns.
struct UnitedTables {
  std::vector<Table> tables;
  /// Rows that were copied. They must outlive what is made of `tables`.
  std::shared_ptr<const void> kept;
};

/// The columns that hold the values of all tables: integers in the wider type, integers and
/// decimals in a decimal, numbers of which some have a floating point in a double, dates and
/// timestamps in a timestamp, and all else as text. A column that is null in all rows of a table
/// has no say. `names` are those of the files, for messages. Error kInvalidArgument: a table lacks
/// a column that another one has, unless `missing_is_null`.
Result<TableSchema> common_columns(const std::vector<Table>& tables,
                                   const std::vector<std::string>& names, bool missing_is_null);

/// Gives all tables the common columns. Errors: those of common_columns(), and of queries.
Result<UnitedTables> with_common_columns(std::vector<Table> tables,
                                         const std::vector<std::string>& names,
                                         bool missing_is_null, const QueryOptions& options);

}  // namespace presso

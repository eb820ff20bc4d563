// SPDX-License-Identifier: MIT
// Rows of delimited text as columns, with what is needed to give the text back byte for byte: the
// rows are printed again as the schema says, and where that is not what stood there, the text
// itself is kept, as are blank lines and comments. One thread; a caller cuts a file into pieces at
// record ends (last_record_end()). Tested by tests/unit/compress/table/csv_loader_test.cpp.
#pragma once

#include <vector>

#include "compress/table/text/csv_tokenizer.h"
#include "presso/column_data.h"
#include "presso/table_schema.h"

namespace presso {

struct LoadOptions {
  Byte comment = 0;
  /// Fields that a record lacks are null; without it that is an error. Fields too many always are.
  bool fill = false;
  /// Rows with the wrong number of fields are left out, so they tell no types either.
  bool leave_out_bad_rows = false;
};

/// Bytes [begin, end) of a text: a row with its line end.
struct RowPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct LoadedRows {
  std::uint64_t rows = 0;
  std::vector<ColumnData> columns;
  /// Empty where the schema is not exact. Their row numbers count from the text's first row.
  ExactLines exact;
};

/// `text` has whole records, without TextForm::head; its first byte is in line `first_line`.
/// kInvalidArgument, with "line 18,342: " in front: a record with the wrong number of fields, a
/// value that its column's type does not have, a quote that is never closed.
Result<LoadedRows> load_rows(Bytes text, const TableSchema& schema, std::uint64_t first_line,
                             const LoadOptions& options = {});

/// The rows for which load_rows() gives an error, from front to back: with too few or too many
/// fields, or a value that is not of its column's type. Without them it gives none.
/// kInvalidArgument: a quote that is never closed.
Result<std::vector<RowPlace>> find_bad_rows(Bytes text, const TableSchema& schema,
                                            const LoadOptions& options = {});

}  // namespace presso

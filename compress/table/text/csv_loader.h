// SPDX-License-Identifier: MIT
// Loads rows of delimited text as columns, with whatever is needed to give the text back byte for
// byte (exact_lines.h): the rows are printed again as the schema says, and where the result differs
// from what stood there, the text itself is kept, as are blank lines and comments. It works on one
// thread and at most 2 GiB; callers cut a file into pieces at record ends (last_record_end()),
// which threads load at the same time.
#pragma once

#include <vector>

#include "compress/table/text/csv_tokenizer.h"
#include "presso/column_data.h"
#include "presso/table_schema.h"

namespace presso {

/// How lines are taken that are no plain rows.
struct LoadOptions {
  ReadingRules rules;
  /// Whether fields that a record lacks are null; otherwise they are an error. Surplus fields
  /// always are.
  bool fill = false;
  /// Whether rows with the wrong number of fields are left out; they tell no types then.
  bool leave_out_bad_rows = false;
  /// Whether a value in quotes is an error if it has lines that read as rows (lines_in_quotes.h),
  /// or a comment if it does. Not where the caller has said what quotes and comments are.
  bool doubts_quotes = false;
  bool doubts_comments = false;
};

/// The bytes [begin, end) of a text: a row with its line end.
struct RowPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The rows of a piece as columns, and what printing them would not give back.
struct LoadedRows {
  std::uint64_t rows = 0;
  std::vector<ColumnData> columns;
  /// Empty if the schema is not exact. Row numbers count from the text's first row.
  ExactLines exact;
};

/// `text` must have whole records, without TextForm::head; its first byte is in line
/// `first_line`. kInvalidArgument, beginning with "line 18,342: ": a record with the wrong
/// number of fields, a value that its column's type does not have, a quote that is never
/// closed.
Result<LoadedRows> load_rows(Bytes text, const TableSchema& schema, std::uint64_t first_line,
                             const LoadOptions& options = {});

/// The rows for which load_rows() would fail, from front to back: those with too few or too
/// many fields, or a value that is not of its column's type. Without them it succeeds.
/// kInvalidArgument: a quote that is never closed.
Result<std::vector<RowPlace>> find_bad_rows(Bytes text, const TableSchema& schema,
                                            const LoadOptions& options = {});

}  // namespace presso

// SPDX-License-Identifier: MIT
// The flags by which decompress and cat write some rows and columns of a table, or write its text
// in another form. Tested by tests/cli/test_table.py. They decline names with commas, which
// --columns cannot express; `presso select` takes them in quotes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/arrow.h"
#include "presso/table.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// What the flags were set to.
struct RowFlags {
  std::vector<std::string> columns;  ///< by name; empty: all
  std::uint64_t first_row = 1;       ///< counted from 1
  std::uint64_t last_row = UINT64_MAX;
  bool has_rows = false;  ///< --rows was given
  std::string format;     ///< csv, tsv, jsonl, table, arrow; empty: as the text was
  std::string given;      ///< one of the flags, as it was spelled; empty: none was

  bool any() const { return !given.empty(); }
  bool is_arrow() const { return format == "arrow"; }
  bool is_aligned() const { return format == "table"; }
  /// Whether a terminal shows only some rows of a long table.
  bool is_preview() const { return !has_rows && (format.empty() || is_aligned()); }
};

/// The flags --columns --rows --format.
std::vector<Flag> row_flags(RowFlags& flags);

/// What the flags mean for this table. Error kInvalidArgument: a column that the table does not
/// have.
Result<RowsOptions> rows_options(const RowFlags& flags, const presso::Table& table,
                                 unsigned threads);
/// These rows and columns as options for Arrow output.
ArrowOptions arrow_options(const RowsOptions& rows);

}  // namespace presso::cli

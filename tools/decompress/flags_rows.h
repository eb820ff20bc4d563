// SPDX-License-Identifier: MIT
// The flags by which decompress and cat write some rows and columns of a table, or another form of
// its text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/arrow.h"
#include "presso/table.h"
#include "tools/cli/flag.h"

namespace presso::cli {

struct RowFlags {
  std::vector<std::string> columns;  ///< by name; empty: all
  std::uint64_t first_row = 1;       ///< counted from 1
  std::uint64_t last_row = UINT64_MAX;
  std::string format;  ///< csv, tsv, jsonl, arrow; empty: as the text was
  std::string given;   ///< one of the flags, as it was spelled; empty: none was

  bool any() const { return !given.empty(); }
  bool is_arrow() const { return format == "arrow"; }
};

/// --columns --rows --format
std::vector<Flag> row_flags(RowFlags& flags);

/// What they mean for this table. Error: kInvalidArgument, a column that it has not.
Result<RowsOptions> rows_options(const RowFlags& flags, const presso::Table& table,
                                 unsigned threads);
/// The same rows and columns as Arrow.
ArrowOptions arrow_options(const RowsOptions& rows);

}  // namespace presso::cli

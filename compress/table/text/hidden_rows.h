// SPDX-License-Identifier: MIT
// Finds rows that a wrong guess about the dialect would swallow: lines in a value in quotes, or in
// comments, that have as many fields as the table has columns, all of their columns' types. The
// beginning of a text may show no quote that is never closed, so this is done while rows are
// loaded, and costs next to nothing where no value has several lines. It declines where it could be
// wrong: a text of one column, and lines in quotes that have nothing but texts, unless they are
// many or more text follows the closing quote. Tested by
// tests/unit/compress/table/hidden_rows_test.cpp.
#pragma once

#include <functional>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"

namespace presso {

/// What makes a line a row of the table.
struct RowTest {
  std::size_t columns = 0;
  bool only_texts = false;  ///< no column has a type but string
  /// Whether the values of a record of `text` are of their columns' types.
  std::function<bool(const RecordBatch& batch, Bytes text, std::size_t record)> fits;
};

/// kInvalidArgument with the line and the option, if a value in quotes of the batch holds such
/// rows.
Status refuse_rows_in_quotes(const Dialect& dialect, Bytes text, const RecordBatch& batch,
                             const RowTest& test, std::uint64_t first_line);
/// kInvalidArgument with the line and the option, if one of the comments before the batch's
/// records, or after the last one up to `end`, is such a row.
Status refuse_rows_in_comments(const Dialect& dialect, Bytes text, const RecordBatch& batch,
                               std::size_t end, const RowTest& test, std::uint64_t first_line);

}  // namespace presso

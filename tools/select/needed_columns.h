// SPDX-License-Identifier: MIT
// Which columns a question can need, by its text alone, so that the others of a Parquet file are
// not read. A column is needed if its name stands anywhere in the text; all are where the text has
// something that means columns without naming them (*, DESCRIBE, PIVOT, FROM without SELECT). So
// more may be read than is used, but never less. Tested by tests/cli/test_parquet.py.
#pragma once

#include <string>

namespace presso::cli {

/// The text of a question, in lower case.
class NeededColumns {
 public:
  /// All columns are needed.
  NeededColumns() = default;
  /// `text` is a statement, or the expressions of flags, each after a comma.
  explicit NeededColumns(const std::string& text);

  bool needs(const std::string& column) const;

 private:
  std::string text_;
  bool all_ = true;
};

}  // namespace presso::cli

// SPDX-License-Identifier: MIT
// Rows of text in aligned columns, as info, bench and --calibrate print them. Widths are those on a
// terminal (tools/cli/terminal_text.h). Memory is that of all rows. Tested by
// tests/cli/test_reports.py and tests/unit/tools/terminal_text_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace presso::cli {

/// A table with a row of headings. It keeps all rows until text() is called.
class Table {
 public:
  using Row = std::vector<std::string>;

  /// Columns from number `first_left` on are aligned to the left, those before it to the right.
  Table(Row headings, std::size_t first_left) : first_left_(first_left), rows_{headings} {}

  /// A row must have as many cells as there are headings.
  void add(Row row) { rows_.push_back(std::move(row)); }
  /// The table with its columns padded, ready to print.
  std::string text() const;

 private:
  std::size_t first_left_;
  std::vector<Row> rows_;
};

}  // namespace presso::cli

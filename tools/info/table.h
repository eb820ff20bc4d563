// SPDX-License-Identifier: MIT
// Rows of text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace presso::cli {

class Table {
 public:
  using Row = std::vector<std::string>;

  /// Columns from `first_left` on are aligned to the left, those before to the right.
  Table(Row headings, std::size_t first_left) : first_left_(first_left), rows_{headings} {}

  void add(Row row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::size_t first_left_;
  std::vector<Row> rows_;
};

}  // namespace presso::cli

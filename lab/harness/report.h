// SPDX-License-Identifier: MIT
// The table that a program prints, row by row: aligned for readers, or as CSV, and in addition at
// the end of a CSV file that is named. Tested by lab/tests/harness_test.cpp.
#pragma once

#include <concepts>
#include <cstdio>
#include <string>
#include <vector>

#include "presso/error.h"

namespace presso::harness {

/// A value of a row.
struct Cell {
  std::string text;

  Cell(std::string value) : text(std::move(value)) {}
  Cell(const char* value) : text(value) {}
  template <std::integral Number>
  Cell(Number value) : text(std::to_string(value)) {}
};

/// `value` with `digits` digits after the point.
Cell fixed(double value, int digits);

/// `value` with `digits` digits in all, and an exponent where it is very small or large.
Cell significant(double value, int digits);

/// "yes", or "WRONG" where a result was wrong.
inline Cell verdict(bool right) {
  return right ? "yes" : "WRONG";
}

/// The table's columns are their names with commas between them. A name may be followed by a colon
/// and the least width of its column where rows are aligned; a width below 0 puts text to the left,
/// and a column without one is only in CSV.
class Report {
 public:
  enum class Form { kAligned, kCsv };

  /// Prints the names of the columns.
  Report(Form form, const std::string& columns);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report();

  /// Writes rows also to the end of this file, with `fixed` columns in front, whose cells are the
  /// same in each row. An empty path is no file; an empty file gets the names of the columns.
  Status also_to(const std::string& path, std::vector<std::pair<std::string, Cell>> fixed = {});

  /// A cell for each column.
  void add(const std::vector<Cell>& cells);

 private:
  void print_aligned(const std::vector<Cell>& cells) const;

  Form form_;
  std::vector<Cell> names_;
  std::vector<int> widths_;
  std::vector<Cell> fixed_;
  std::FILE* file_ = nullptr;
};

}  // namespace presso::harness

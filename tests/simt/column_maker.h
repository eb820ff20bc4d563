// SPDX-License-Identifier: MIT
// Columns made from a line of text that says their name, type and values, for the tables of
// tests/queries:
//
//   price decimal(18,2) = any(90000) + 10000
//   maybe double = row % 50 == 7 ? nan : real(-3, 9) null 1/4
//   name utf8 = note {any(60)}
//
// Values are expressions of C's operators over numbers, `row`, `rows` and `times` (of the table),
// any(n) (at random, below n), least and most (of 64 bits), real(a, b) (a double of any sign whose
// exponent is from a to b), seeded(x, a, b) (such a one that depends on x), inf, nan and ones (a
// NaN of one bits). Those of strings are text with expressions in braces, where hex and words
// before one stand for strings of keyed_tables.h, {pick a b c} is one of these words,
// and {repeat n} n strings of digits.
#pragma once

#include <cstdint>
#include <string>

#include "presso/column_data.h"
#include "presso/table_schema.h"

namespace presso::test {

struct MadeColumn {
  ColumnSchema schema;
  ColumnData data;
};

struct ColumnSize {
  std::uint32_t rows;
  std::size_t times = 1;
};

/// A line that is wrong is a failure of the test. The same seed gives the same values.
MadeColumn make_column(const std::string& line, const ColumnSize& size, std::uint64_t seed);

}  // namespace presso::test

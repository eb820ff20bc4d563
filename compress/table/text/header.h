// SPDX-License-Identifier: MIT
// Names of columns: whether a text's first record holds them, and what is made of them.
//
// Without being told, a first record is a header only where its fields are at least two or have a
// typed column below them, are all non-empty, distinct and strings (no number, date or time; a word
// like "t" or "nan" only above a column that it does not fit), and
// - some column below it has values of one type that is no string, or
// - all columns are strings, and the fields are all identifiers in one letter case (a letter or
//   '_', then letters, digits and '_'), while no later record is made of such fields alone:
//   "name,city" above "Bob,Berlin" is a header, above "bob,berlin" it is a row. A text of that one
//   record is a header, too: exports without rows are commoner than such a row alone.
// Tested by tests/unit/compress/table/dialect_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"

namespace presso {

/// Whether the first record of `sample`, records of `text`, is a header by the rules above.
bool looks_like_header(const RecordBatch& sample, Bytes text, const TextForm& form);

struct ColumnNames {
  std::vector<std::string> names;  ///< none empty, no two the same
  std::vector<std::string> notes;  ///< for people: what was renamed
};

/// Empty names become "column5" (counted from 1), doubled ones "a_2", "a_3".
ColumnNames usable_names(std::vector<std::string> names);
/// "column1" and so on.
std::vector<std::string> numbered_names(std::size_t columns);

}  // namespace presso

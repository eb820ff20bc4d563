// SPDX-License-Identifier: MIT
// Names of columns: whether a text's first record holds them, and how they are made usable.
//
// Unless the caller says, the first record is a header only if its fields are at least two or
// have a typed column below them; if they are all non-empty, distinct and strings (no number,
// date or time; a word like "t" or "nan" only above a column that it does not fit); and if
// - some column below it has values of one type other than string, or
// - all columns are strings, and the fields are all identifiers in one letter case (a letter or
//   '_', then letters, digits and '_'), while no later record has only such fields: "name,city"
//   above "Bob,Berlin" is a header, above "bob,berlin" it is a row. A text of this one record
//   is a header, too: exports without rows are commoner than such a row alone.
// A wrong guess loses nothing: exact text is given back either way. Tested by
// tests/unit/compress/table/dialect_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"

namespace presso {

/// Whether the first record of `sample`, records of `text`, is a header by the rules above.
bool looks_like_header(const RecordBatch& sample, Bytes text, const TextForm& form);

/// The names of all columns, and what was changed.
struct ColumnNames {
  std::vector<std::string> names;  ///< none empty, no two equal
  std::vector<std::string> notes;  ///< for people: which names were changed
};

/// Gives empty names ("column5", counted from 1) and distinguishes repeated ones ("a_2",
/// "a_3").
ColumnNames usable_names(std::vector<std::string> names);
/// "column1", "column2" and so on.
std::vector<std::string> numbered_names(std::size_t columns);

}  // namespace presso

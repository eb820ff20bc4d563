// SPDX-License-Identifier: MIT
// Names of columns: whether a text's first record holds them, and how they are made usable.
//
// Unless the caller says, the first record is a header if its fields look unlike the values below
// them (rough_kind.h tells what a field looks like; empty fields are names, too, unless all are):
// - A text above a column of numbers, dates or truth values makes a header. A number or date above
//   such a column speaks against it, unless the numbers of the first record are all different, as
//   labels are (`id,1,2,3`).
// - A record whose numbers are consecutive years (`country,1952,1957,1962`) is a header if the same
//   is not true of the next record.
// - An empty field above a first column that has hardly an empty value makes a header, because
// pandas and
//   R write the column of row numbers or names in this way.
// - If all columns are texts, the first record is a header unless at least half of its values occur
//   again in their column, or have the length and the kinds of letters that all its values share. A
//   text of one column is taken for a list without a header, unless its first line is written
//   differently from the lines that follow, or stands outside of their order.
// R's form, in which the header has one field less than each row, is a header as well if the rows
// begin with names that are all different: the first column has no name. A wrong guess loses
// nothing: exact text is given back either way. Tested by
// tests/unit/compress/table/header_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"

namespace presso {

/// What the first record is by the rules above.
enum class HeaderKind {
  kNone,      ///< a row
  kNames,     ///< the names of all columns
  kOneShort,  ///< the names of all columns except for the first one
};

/// Decides about the first record of `sample`, records of `text`. Each of its fields is classified
/// once.
HeaderKind header_kind(const RecordBatch& sample, Bytes text);
/// Whether a field of the first record is a text above numbers, dates or truth values.
bool has_names_above_types(const RecordBatch& sample, Bytes text);

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

// SPDX-License-Identifier: MIT
// Loads JSON as columns, with whatever is needed to give the text back byte for byte (as
// csv_loader.h describes). Rows whose keys stand in an order that the schema does not have,
// that have a key twice, or whose values or spaces are written in another way keep their text; so
// do rows of an array, because of the comma that follows them. Tested by
// tests/unit/compress/table/json_loader_test.cpp.
#pragma once

#include "compress/table/text/csv_loader.h"
#include "compress/table/text/json_tokenizer.h"

namespace presso {

/// `text` must have whole rows, at most kMaxJsonText bytes, without TextForm::head; its first byte
/// is in line `first_line`. kInvalidArgument, with the line first, as load_rows() has it: a key
/// that is no column; a value of another kind than its column's; and text that is neither an object
/// nor white space.
Result<LoadedRows> load_json_rows(Bytes text, const TableSchema& schema, std::uint64_t first_line,
                                  JsonLayout layout = JsonLayout::kLines,
                                  const ReadingRules& rules = {});

/// The rows, and in JsonLayout::kLines the lines that are none, for which load_json_rows() would
/// fail, from front to back; without them it succeeds. Empty for other layouts with a fault, since
/// nothing tells where the next row would begin.
Result<std::vector<RowPlace>> find_bad_json_rows(Bytes text, const TableSchema& schema,
                                                 JsonLayout layout = JsonLayout::kLines,
                                                 const ReadingRules& rules = {});

}  // namespace presso

// SPDX-License-Identifier: MIT
// Loads JSON lines as columns, with whatever is needed to give the text back byte for byte (as
// csv_loader.h describes). Rows whose keys stand in an order that the schema does not have,
// that have a key twice, or whose values or spaces are written in another way keep their text.
// Lines that are no objects belong to the text before the next row. Tested by
// tests/unit/compress/table/json_loader_test.cpp.
#pragma once

#include "compress/table/text/csv_loader.h"

namespace presso {

/// `text` must have whole lines, at most kMaxJsonText bytes, without TextForm::head; its first byte
/// is in line `first_line`. `options` have no effect. kInvalidArgument, with the line first, as
/// load_rows() has it: a key that is no column; a value of another kind than its column's; and, if
/// the table is not exact, a line that is neither an object nor blank.
Result<LoadedRows> load_json_rows(Bytes text, const TableSchema& schema, std::uint64_t first_line,
                                  const LoadOptions& options = {});

/// The rows for which load_json_rows() would fail, from front to back; without them it
/// succeeds. If the table is not exact, lines that are no objects are among them.
Result<std::vector<RowPlace>> find_bad_json_rows(Bytes text, const TableSchema& schema);

}  // namespace presso

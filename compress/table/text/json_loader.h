// SPDX-License-Identifier: MIT
// JSON lines as columns, with what is needed to give the text back byte for byte, as csv_loader.h
// has it. Rows whose keys stand in an order that the schema does not have, with a key twice, or
// with values or spaces written in another way keep their text. Lines that are no objects belong to
// the text before the next row. Tested by tests/unit/compress/table/json_loader_test.cpp.
#pragma once

#include "compress/table/text/csv_loader.h"

namespace presso {

/// `text` has whole lines, without TextForm::head; its first byte is in line `first_line`.
/// kInvalidArgument, with "line 18,342: " in front: a key that is no column, a value of another
/// kind than its column's; where the table is not exact, a line that is neither an object nor
/// blank.
Result<LoadedRows> load_json_rows(Bytes text, const TableSchema& schema, std::uint64_t first_line,
                                  const LoadOptions& options = {});

/// The rows for which load_json_rows() gives an error, from front to back; without them it gives
/// none. Where the table is not exact, lines that are no objects are among them.
Result<std::vector<RowPlace>> find_bad_json_rows(Bytes text, const TableSchema& schema);

}  // namespace presso

// SPDX-License-Identifier: MIT
// What of a text must be kept so that its rows can be given back byte for byte: the rows are
// printed as their schema says, and those that differ from the text are kept as they stood.
// Tested through tests/unit/compress/table/csv_loader_test.cpp and json_loader_test.cpp.
#pragma once

#include <vector>

#include "compress/table/text/csv_loader.h"

namespace presso {

/// `ends`: of each row in `text`, with what stands before the row. Text behind the last row is kept
/// as well. Fills loaded.exact.
Status keep_exact_lines(Bytes text, const TableSchema& schema,
                        const std::vector<std::uint32_t>& ends, LoadedRows& loaded);

}  // namespace presso

// SPDX-License-Identifier: MIT
// Finds out where in a text the values of its rows stand, and writes the plans by which readers cut
// them out (format/columns/text_cuts.h). Every value is read from its piece again, so that one that
// the text does not give is found and stored. Costs about as much as loading the text. Tested by
// tests/unit/decompress/table/text_cuts_test.cpp.
#pragma once

#include <optional>
#include <span>

#include "presso/column_data.h"
#include "presso/table_schema.h"

namespace presso {

/// The stream of cuts; nullopt if rows cannot be told apart in the text, or a value has no text
/// from which it is read again. `exact` as in GroupText.
std::optional<Buffer> find_cuts(const TableSchema& schema, Bytes text,
                                std::span<const ColumnView> columns, const ExactLines& exact);

}  // namespace presso

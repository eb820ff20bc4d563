// SPDX-License-Identifier: MIT
// The first line of delimited text, the names of the columns, for texts that are printed and for
// the head of tables that were not made from text.
// Tested by tests/unit/compress/table/table_writer_test.cpp.
#pragma once

#include <string>

#include "presso/table_schema.h"

namespace presso {

/// The line in the form that schema.text says, line end included; empty for a table that has no
/// form of text.
std::string header_line(const TableSchema& schema);

}  // namespace presso

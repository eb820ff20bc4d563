// SPDX-License-Identifier: MIT
// The line with the names of the columns, as delimited text has it.
// Tested by tests/unit/compress/table/table_writer_test.cpp.
#pragma once

#include <string>

#include "presso/table_schema.h"

namespace presso {

/// In the form that the schema says, which must be delimited text; line end included.
std::string header_line(const TableSchema& schema);

}  // namespace presso

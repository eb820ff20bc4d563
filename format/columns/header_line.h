// SPDX-License-Identifier: MIT
// The first line of delimited text: the names of the columns.
// Tested by tests/unit/compress/table/table_writer_test.cpp.
#pragma once

#include <string>

#include "presso/table_schema.h"

namespace presso {

/// The line in the form that the schema says, line end included; empty where its form is not
/// delimited text.
std::string header_line(const TableSchema& schema);

}  // namespace presso

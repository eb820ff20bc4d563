// SPDX-License-Identifier: MIT
// Types of columns as Arrow's C data interface names them ("format strings"). What is written has
// the layout of ColumnData, with offsets of 64 bits for strings, but for decimal64, which few
// consumers know: it is written as decimal128. Tested by
// tests/unit/format/columns/arrow_format_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "presso/table_schema.h"

namespace presso {

/// "l", "U", "tsm:UTC", "d:18,2". A timestamp that was written with a Z is one of UTC; strings that
/// are not known to be UTF-8 are binary.
std::string arrow_format(const ColumnSchema& column);
/// The column's name. Arrow wants UTF-8: what is none is taken as Latin-1.
std::string arrow_name(const ColumnSchema& column);
/// The zone of a timestamp, likewise.
std::string arrow_zone(const ColumnSchema& column);

/// The column, without a name, that holds values of this type: for strings of any width of offsets
/// (and for views), for decimals of up to 18 digits kDecimal64. nullopt: there is none.
std::optional<ColumnSchema> column_of_arrow_format(std::string_view format);

}  // namespace presso

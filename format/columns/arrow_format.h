// SPDX-License-Identifier: MIT
// Types of columns as Arrow's C data interface names them ("format strings"), in both directions.
// The types that are named for export have the memory layout of ColumnData, with 64-bit offsets for
// strings, so that arrays can be handed over without a copy. The exception is decimal64, which few
// consumers know: it is named decimal128, and whoever exports it converts the values. Tested by
// tests/unit/format/columns/arrow_format_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "presso/table_schema.h"

namespace presso {

/// The format of a column: "l", "U", "tsm:UTC", "d:18,2". A timestamp that was written with a Z
/// is in UTC; strings that are not known to be UTF-8 are binary.
std::string arrow_format(const ColumnSchema& column);
/// The column's name. Arrow wants UTF-8: a name that is not valid is read as Latin-1.
std::string arrow_name(const ColumnSchema& column);
/// The time zone of a timestamp, made UTF-8 like a name; "UTC" for one that was written with a Z
/// and names no zone.
std::string arrow_zone(const ColumnSchema& column);

/// The column type, without a name, for an Arrow format. Strings of any offset width and string
/// views become kUtf8 or kBinary; decimals of up to 18 digits become kDecimal64. nullopt:
/// tables cannot store that type.
std::optional<ColumnSchema> column_of_arrow_format(std::string_view format);

}  // namespace presso

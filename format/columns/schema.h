// SPDX-License-Identifier: MIT
// The payload of a schema section (FORMAT.md 15.2): the columns' names and types and the form
// of the text that the table was made from. Limits, checks, and both directions.
#pragma once

#include <vector>

#include "presso/table_schema.h"

namespace presso {

constexpr std::uint64_t kMaxSchemaBytes = 64u << 20;
constexpr std::size_t kMaxColumns = 65535;
constexpr std::size_t kMaxNameBytes = 65535;
constexpr std::size_t kMaxNullTextBytes = 255;
constexpr std::size_t kMaxJsonSpacing = 255;     ///< of each text of a JsonSpacing
constexpr std::size_t kMostSpellingBytes = 255;  ///< of a column
constexpr std::size_t kMostFields = 1000;        ///< of a column
constexpr std::size_t kMaxPathBytes = 4u << 20;  ///< of all fields
/// The limit of TextForm::head, the text before the first row.
constexpr std::size_t kMaxHeadBytes = 16u << 20;

/// Returns kInvalidArgument where the schema is beyond a limit or contradicts itself: a table needs
/// at least one column, no two columns share a name, the delimiter is not the quote, scales are
/// within precisions, orders of keys name each column at most once.
Status check_schema(const TableSchema& schema);

/// Returns the payload for a schema that check_schema() takes.
std::vector<Byte> serialise_schema(const TableSchema& schema);
/// Error: kBadSchema, also for what check_schema() refuses and for bits without a meaning.
Result<TableSchema> parse_schema(Bytes payload);

/// The type of a column alone, with none of the forms that its text has: type, scale, precision,
/// unit and zone.
ColumnSchema bare_type(const ColumnSchema& column);
/// The type of fields whose values are arrays and objects: their text is JSON.
ColumnSchema json_field_type();
/// The fields within the field with this path, whose own paths begin there.
NestedFields fields_below(const NestedFields& fields, std::string_view path);
/// The fields of lists whose elements have this type.
NestedFields fields_of_list(const ColumnSchema& element);
/// The sizes of the fields' paths added up.
std::size_t bytes_of_paths(const NestedFields& fields);
/// How many bytes of a schema's payload the fields take.
std::uint64_t nested_field_bytes(const NestedFields& fields);
/// The fields that values of both columns have: those of the same type, and numbers of different
/// types as doubles.
NestedFields common_fields(const NestedFields& a, const NestedFields& b);

/// Whether files with these schemas may be asked together: the same columns by name, type, scale,
/// unit and zone. kBadSchema with the first difference.
Status check_same_columns(const TableSchema& first, const TableSchema& other);
/// Whether members with these schemas may be one table: the types of Arrow are the same, too, apart
/// from the entries of dictionaries.
Status check_same_member(const TableSchema& first, const TableSchema& other);

}  // namespace presso

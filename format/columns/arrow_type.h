// SPDX-License-Identifier: MIT
// Types of Arrow that columns of tables do not have themselves (FORMAT.md 15.9): lists, structs,
// maps, dictionaries, views, date64. A column keeps such a type in ColumnSchema::arrow_type. The
// values of nested types are stored as JSON text, those of others as the column type that they
// mean. Tested by tests/unit/decompress/arrow/nested_export_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/table_schema.h"

struct ArrowSchema;

namespace presso {

/// A type, which may have others within it.
struct ArrowType {
  std::string format;                 ///< as Arrow's C data interface has it
  std::string name;                   ///< of a member; the outermost one has none
  Byte flags = 0;                     ///< Arrow's: ordered, nullable, sorted keys
  std::vector<ArrowType> children;    ///< as the format demands
  std::vector<ArrowType> dictionary;  ///< the type of the values, where `format` is that of codes
  /// A JSON array of the first values of a dictionary, in their order; empty: it is not kept.
  std::string entries = {};
  friend bool operator==(const ArrowType&, const ArrowType&) = default;
};

/// How the values of a type lie in an array.
enum class ArrowKind : Byte {
  kNull,
  kValues,  ///< bools, numbers, dates, strings: leaf_of() has a column type for them
  kList,    ///< with offsets of 32 or 64 bits
  kListView,
  kFixedList,
  kStruct,
  kMap,
  kRunEnds,
  kDictionary,
};

/// nullopt: values of such a type cannot be stored.
std::optional<ArrowKind> kind_of(const ArrowType& type);
/// The type of values of kind kValues. Its text is the one form that they have within JSON.
std::optional<ColumnSchema> leaf_of(std::string_view format);
/// The most bytes of ArrowType::entries.
constexpr std::size_t kMostEntriesBytes = 64u << 10;
/// How many elements each value of a kFixedList has.
std::uint64_t elements_of(const ArrowType& type);
/// Whether values are stored as JSON text: if they are lists, structs, maps or nothing but nulls.
bool is_nested(const ArrowType& type);
/// Whether a map's values are objects, whose keys are the texts of the map's keys. Others are
/// arrays of objects with a key and a value.
bool has_text_keys(const ArrowType& map);

/// The type that a schema of Arrow describes, without the outermost name. Decimals of other widths
/// than 128 bits become such of 128. The error is kUnsupported, with the format that cannot be
/// stored; `column` is for the message.
Result<ArrowType> arrow_type_of(const ArrowSchema& schema, const std::string& column);
/// Fields of a column that were found in any order. Of two with one path the first counts; there
/// are none if they are more than a column may have.
NestedFields fields_in_order(std::vector<NestedField> fields);
/// The values within nested ones that have a type of their own (FORMAT.md 15.2).
NestedFields fields_of(const ArrowType& type);
/// The column in which values of this type are stored, without a name.
ColumnSchema column_of(const ArrowType& type);

std::string serialise_arrow_type(const ArrowType& type);
/// The type that columns with these types have in common, which may differ in the entries of
/// dictionaries; empty if they have none. All are as serialise_arrow_type() writes them.
std::string common_arrow_type(const std::string& a, const std::string& b);
/// nullopt for anything that serialise_arrow_type() does not write or that cannot be stored.
std::optional<ArrowType> parse_arrow_type(std::string_view text);

}  // namespace presso

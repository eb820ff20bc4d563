// SPDX-License-Identifier: MIT
// What a table's columns are: names, types, and how their values were written as text, so that the
// text can be given back exactly (FORMAT.md 15.2). Types and their numbers in memory are Arrow's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// Values are stored in files.
enum class ColumnType : Byte {
  kBool = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kUint8 = 6,
  kUint16 = 7,
  kUint32 = 8,
  kUint64 = 9,
  kFloat = 10,
  kDouble = 11,
  kDate32 = 12,     ///< days since 1970-01-01, int32
  kTimestamp = 13,  ///< ColumnSchema::unit since 1970-01-01T00:00:00, int64
  kDecimal64 = 14,  ///< int64, divided by 10^scale
  kDecimal128 = 15,
  kUtf8 = 16,    ///< any bytes; ColumnSchema::valid_utf8 where they were checked
  kBinary = 17,  ///< the same, not meant as text
};

enum class TimeUnit : Byte { kSecond = 0, kMilli = 1, kMicro = 2, kNano = 3 };

/// How the values of a date, timestamp or bool column were written. Values are stored in files.
enum class ValueText : Byte {
  kPlain = 0,           ///< numbers, strings; dates 2024-12-31; bool true, false
  kSlashDate = 1,       ///< 2024/12/31
  kDayDotDate = 2,      ///< 31.12.2024
  kMonthSlashDate = 3,  ///< 12/31/2024
  kDaySlashDate = 4,    ///< 31/12/2024
  kSpaceTime = 5,       ///< 2024-12-31 23:59:59, with the unit's digits after a point
  kLetterTime = 6,      ///< 2024-12-31T23:59:59, likewise
  kLetterTimeZ = 7,     ///< 2024-12-31T23:59:59Z, likewise
  kCapitalBool = 8,     ///< True, False
  kUpperBool = 9,       ///< TRUE, FALSE
  kLetterBool = 10,     ///< t, f
  kYesBool = 11,        ///< yes, no
  kRawJson = 12,        ///< strings that are JSON themselves: values of several kinds, arrays
  kPointReal = 13,      ///< floats and doubles; whole numbers as 1.0, as Python writes them
};

/// Which fields of a column stand in quotes. Values are stored in files.
enum class Quoting : Byte {
  kNeeded = 0,  ///< those that hold a delimiter, a quote, a line feed or a carriage return, and
                ///< strings that would be read as null
  kAlways = 1,  ///< all but nulls
};

struct ColumnSchema {
  std::string name;
  ColumnType type = ColumnType::kUtf8;
  bool nullable = true;
  bool valid_utf8 = false;
  Byte scale = 0;      ///< decimals: digits after the point
  Byte precision = 0;  ///< decimals: 18 or 38
  TimeUnit unit = TimeUnit::kSecond;
  std::string zone;  ///< of a timestamp, as Arrow names it; empty: none
  ValueText text = ValueText::kPlain;
  Quoting quoting = Quoting::kNeeded;
  friend bool operator==(const ColumnSchema&, const ColumnSchema&) = default;
};

/// Values are stored in files.
enum class TextKind : Byte {
  kNone = 0,       ///< the table was not made from text
  kDelimited = 1,  ///< CSV, TSV, dbgen's .tbl
  kJsonLines = 2,
};

/// The keys of a row as its text has them, as numbers of columns: with kJsonNull added, the value
/// is written as null.
using JsonOrder = std::vector<std::uint32_t>;
constexpr std::uint32_t kJsonNull = 1u << 16;

/// How rows are written as text.
struct TextForm {
  TextKind kind = TextKind::kNone;
  Byte delimiter = ',';
  Byte quote = '"';                 ///< 0: none; quotes in a quoted field are doubled
  bool carriage_return = false;     ///< lines end in CR LF
  bool trailing_delimiter = false;  ///< a delimiter follows the last field (.tbl)
  std::string null_text;            ///< a field not in quotes that is exactly this is null
  /// What stands before the first row, as it stood: byte order mark, skipped lines, header.
  std::string head;
  // JSON lines. Keys stand in the order of the columns, but in that of the first of these orders
  // whose keys, without those of nulls, are the columns in which a row has values.
  bool json_spaces = false;       ///< `{"a": 1, "b": 2}`, as Python writes it
  bool json_omits_nulls = false;  ///< a null's key is left out, but where an order has it
  bool json_ascii = false;        ///< other characters as \uXXXX
  bool json_slashes = false;      ///< '/' as "\/", as PHP writes it
  std::vector<JsonOrder> json_orders;
  friend bool operator==(const TextForm&, const TextForm&) = default;
};

struct TableSchema {
  std::vector<ColumnSchema> columns;
  TextForm text;
  /// The text can be given back byte for byte: rows that differ from how they would be written are
  /// stored as they stood.
  bool exact = false;
  friend bool operator==(const TableSchema&, const TableSchema&) = default;
};

/// Bytes of one value in memory; 0 for bool, which takes a bit, and for strings.
constexpr std::uint32_t value_bytes(ColumnType type) {
  switch (type) {
    case ColumnType::kInt8:
    case ColumnType::kUint8:
      return 1;
    case ColumnType::kInt16:
    case ColumnType::kUint16:
      return 2;
    case ColumnType::kInt32:
    case ColumnType::kUint32:
    case ColumnType::kFloat:
    case ColumnType::kDate32:
      return 4;
    case ColumnType::kInt64:
    case ColumnType::kUint64:
    case ColumnType::kDouble:
    case ColumnType::kTimestamp:
    case ColumnType::kDecimal64:
      return 8;
    case ColumnType::kDecimal128:
      return 16;
    default:
      return 0;
  }
}

constexpr bool is_string(ColumnType type) {
  return type == ColumnType::kUtf8 || type == ColumnType::kBinary;
}
constexpr bool is_signed(ColumnType type) {
  return type != ColumnType::kBool &&
         !(type >= ColumnType::kUint8 && type <= ColumnType::kUint64) && !is_string(type);
}

/// "int64", "decimal(18,2)", "timestamp(ms)": as --schema takes it.
std::string type_name(const ColumnSchema& column);
/// The other way round: a column without a name. A decimal of up to 18 digits is a kDecimal64 of
/// precision 18, others are kDecimal128 of 38. kInvalidArgument lists the types.
Result<ColumnSchema> parse_type(std::string_view text);

}  // namespace presso

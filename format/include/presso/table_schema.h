// SPDX-License-Identifier: MIT
// The schema of a table: names and types of its columns, and how their values were written as text,
// so that the text can be given back exactly (FORMAT.md 15.2). Types, and their form in memory, are
// those of Apache Arrow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// The types of columns. The numbers are stored in files and must not change.
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
  kBinary = 17,  ///< any bytes, not meant as text
};

/// The unit of a timestamp: 10^-(3 n) seconds for the value n. The numbers are stored in files.
enum class TimeUnit : Byte { kSecond = 0, kMilli = 1, kMicro = 2, kNano = 3 };

/// How the values of a date, timestamp or bool column were written as text. The numbers are stored
/// in files.
enum class ValueText : Byte {
  kPlain = 0,               ///< numbers, strings; dates 2024-12-31; bool true, false
  kSlashDate = 1,           ///< 2024/12/31
  kDayDotDate = 2,          ///< 31.12.2024
  kMonthSlashDate = 3,      ///< 12/31/2024
  kDaySlashDate = 4,        ///< 31/12/2024
  kSpaceTime = 5,           ///< 2024-12-31 23:59:59, with the unit's digits after a point
  kLetterTime = 6,          ///< 2024-12-31T23:59:59, with the unit's digits after a point
  kLetterTimeZ = 7,         ///< 2024-12-31T23:59:59Z, with the unit's digits after a point
  kCapitalBool = 8,         ///< True, False
  kUpperBool = 9,           ///< TRUE, FALSE
  kLetterBool = 10,         ///< t, f
  kYesBool = 11,            ///< yes, no
  kRawJson = 12,            ///< strings that are JSON themselves: values of several kinds, arrays
  kPointReal = 13,          ///< floats and doubles; whole numbers as 1.0, as Python writes them
  kUpperLetterBool = 14,    ///< T, F
  kCapitalYesBool = 15,     ///< Yes, No
  kUpperYesBool = 16,       ///< YES, NO
  kShortYesBool = 17,       ///< y, n
  kUpperShortYesBool = 18,  ///< Y, N
};

/// Which fields of a column stand in quotes. The numbers are stored in files.
enum class Quoting : Byte {
  kNeeded = 0,  ///< those that hold a delimiter, a quote, a line feed or a carriage return, and
                ///< strings that would be read as null
  kAlways = 1,  ///< all but nulls
};

struct NestedField;

/// The typed fields of a column of nested JSON values, ordered by their paths. Copies share them.
class NestedFields {
 public:
  NestedFields() = default;
  explicit NestedFields(std::vector<NestedField> fields);

  bool empty() const { return fields_ == nullptr; }
  /// All fields; there are none if it is empty.
  const std::vector<NestedField>& all() const;
  /// The field of a path, or nullptr.
  const NestedField* find(std::string_view path) const;
  friend bool operator==(const NestedFields& a, const NestedFields& b);

 private:
  std::shared_ptr<const std::vector<NestedField>> fields_;
};

/// A column of a table. Two columns are equal if all members are.
struct ColumnSchema {
  std::string name;
  ColumnType type = ColumnType::kUtf8;
  bool nullable = true;
  bool valid_utf8 = false;
  Byte scale = 0;      ///< decimals: digits after the point
  Byte precision = 0;  ///< decimals: 18 or 38
  TimeUnit unit = TimeUnit::kSecond;
  std::string zone;  ///< of a timestamp, as Arrow names it; empty: without a zone
  ValueText text = ValueText::kPlain;
  Quoting quoting = Quoting::kNeeded;
  /// How a null is written, where that is not TextForm::null_text.
  std::optional<std::string> null_text;
  /// How values are written, where that is not what the type and `text` say (FORMAT.md 15.7).
  std::string spelling;
  /// Some fields were written in yet another way, which each row group of an exact table stores
  /// (FORMAT.md 15.3, ExactLines::spellings). Only the way back to the text reads it.
  bool spelled = false;
  /// While text is loaded: which date format of the options reads the values, from 1 on. It is not
  /// stored, as each value has a spelling.
  Byte date_format = 0;
  /// While text is loaded: the caller has said the type, so that values are converted that do not
  /// have it by themselves, such as 007 and 3.0 to integers. It is not stored either.
  bool is_given = false;
  /// Only with kRawJson: values within the column's values that have a type (FORMAT.md 15.2).
  NestedFields fields;
  /// The type of the Arrow column that the values came from, where that is another one than `type`
  /// stands for, so that they go back to Arrow as they came: a list, a struct, a dictionary, as
  /// serialise_arrow_type() writes it. Empty: `type` says it.
  std::string arrow_type;
  friend bool operator==(const ColumnSchema&, const ColumnSchema&) = default;
};

/// A value within a nested value. Where it is neither absent nor null it can be read as the type.
struct NestedField {
  std::string path;   ///< ".b.c", `."a key"`; "[*]" stands for all elements of an array,
                      ///< ".*" for the values of all keys of a map
  ColumnSchema type;  ///< type, scale, precision, unit and zone; nothing else
  friend bool operator==(const NestedField&, const NestedField&) = default;
};

/// A column of a table that is seen with other columns than it has (Table::arranged()).
struct ArrangedColumn {
  ColumnSchema schema;                ///< of a stored column only the name matters
  std::optional<std::size_t> stored;  ///< the number of a column that the table has
  /// Otherwise the value in all rows: the bytes of a string, or a value as it is printed (not of
  /// types with a floating point, bool, and decimals of 128 bits). Without it all rows are null.
  std::optional<std::string> value = {};
};

/// Which kind of text a table was made from. The numbers are stored in files.
enum class TextKind : Byte {
  kNone = 0,       ///< the table was not made from text
  kDelimited = 1,  ///< CSV, TSV, dbgen's .tbl
  kJsonLines = 2,
};

/// How the characters of a text are written. The numbers are stored in files.
enum class TextEncoding : Byte {
  kUtf8 = 0,         ///< or unknown: bytes are kept as they are
  kLatin1 = 1,       ///< ISO 8859-1: a byte is the character of this number
  kWindows1252 = 2,  ///< Latin-1 with characters in place of most control characters
  kUtf16Le = 3,
  kUtf16Be = 4,
  kUtf16 = 255,  ///< of options alone: LE or BE, which is found out
};

/// The keys of a row of JSON in the order of its text, as numbers of columns. kJsonNull is added to
/// a number if the value is written as null.
using JsonOrder = std::vector<std::uint32_t>;
constexpr std::uint32_t kJsonNull = 1u << 16;

/// What stands around the keys and values of a row of JSON: white space, and the marks between
/// them. A row is `before{open"key"colon value between"key"colon value close}after`.
struct JsonSpacing {
  std::string before;
  std::string open;
  std::string colon = ":";
  std::string between = ",";
  std::string close;
  std::string after = "\n";

  /// Each row is a line; with blanks it is `{"a": 1, "b": 2}`, as Python writes it.
  static JsonSpacing lines(bool blanks, bool carriage_return = false) {
    const char* const end = carriage_return ? "\r\n" : "\n";
    return {{}, {}, blanks ? ": " : ":", blanks ? ", " : ",", {}, end};
  }
  /// Lines with blanks if these have any.
  JsonSpacing as_lines() const { return lines(colon.size() > 1); }
  bool are_lines() const { return *this == lines(colon.size() > 1, after.size() > 1); }
  friend bool operator==(const JsonSpacing&, const JsonSpacing&) = default;
};

/// How rows are written as text. Tables keep the form of the text that they were made from;
/// printing may use another one.
struct TextForm {
  TextKind kind = TextKind::kNone;
  /// The encoding of the original text. All texts here, and the strings of the table, are UTF-8.
  TextEncoding encoding = TextEncoding::kUtf8;
  Byte delimiter = ',';
  Byte quote = '"';                 ///< doubled in a quoted field; 0: no field is quoted
  bool carriage_return = false;     ///< delimited lines end in CR LF
  bool trailing_delimiter = false;  ///< a delimiter follows the last field (.tbl)
  std::string null_text;            ///< a field not in quotes that is exactly this is null
  /// What stands before the first row, unchanged: byte order mark, skipped lines, header.
  std::string head;
  // JSON. Keys stand in the order of the columns, unless one of `json_orders` fits: the first
  // one whose keys, apart from those of nulls, are exactly the columns in which the row has values.
  JsonSpacing json_spacing;
  bool json_omits_nulls = false;  ///< a null's key is left out, unless an order names it
  bool json_ascii = false;        ///< other characters as \uXXXX
  bool json_slashes = false;      ///< '/' as "\/", as PHP writes it
  std::vector<JsonOrder> json_orders;
  friend bool operator==(const TextForm&, const TextForm&) = default;
};

/// The columns and the text form of a table.
struct TableSchema {
  std::vector<ColumnSchema> columns;
  TextForm text;
  /// The text can be given back byte for byte: rows that would be written differently from their
  /// values are stored as they stood (ExactLines).
  bool exact = false;
  friend bool operator==(const TableSchema&, const TableSchema&) = default;
};

/// Returns the bytes of one value in memory; 0 for bool, which takes a bit, and for strings.
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

/// Whether values are strings: text or bytes of any length.
constexpr bool is_string(ColumnType type) {
  return type == ColumnType::kUtf8 || type == ColumnType::kBinary;
}
constexpr bool is_integer(ColumnType type) {
  return type >= ColumnType::kInt8 && type <= ColumnType::kUint64;
}
constexpr bool is_decimal(ColumnType type) {
  return type == ColumnType::kDecimal64 || type == ColumnType::kDecimal128;
}
constexpr bool is_date_or_time(ColumnType type) {
  return type == ColumnType::kDate32 || type == ColumnType::kTimestamp;
}
/// Whether values are numbers with a sign; floating point, dates, timestamps and decimals are.
constexpr bool is_signed(ColumnType type) {
  return type != ColumnType::kBool &&
         !(type >= ColumnType::kUint8 && type <= ColumnType::kUint64) && !is_string(type);
}

/// Returns the name of a column's type as --schema takes it: "int64", "decimal(18,2)",
/// "timestamp(ms)".
std::string type_name(const ColumnSchema& column);
/// "json" for arrays and objects, else the name of the type.
std::string field_type_name(const NestedField& field);
/// Parses such a name; the column has no name. A decimal of up to 18 digits becomes a kDecimal64 of
/// precision 18, others a kDecimal128 of 38. Error: kInvalidArgument, which lists the types.
Result<ColumnSchema> parse_type(std::string_view text);
/// Parses also the names that SQL has, as "bigint", "varchar(10)" and "double precision", in any
/// letter case. The length of a text is ignored; a timestamp has microseconds.
Result<ColumnSchema> parse_sql_type(std::string_view text);

}  // namespace presso

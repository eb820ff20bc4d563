// SPDX-License-Identifier: MIT
// Column types to names and back: type_name() and parse_type() of presso/table_schema.h. The option
// --schema takes these names, and reports print them. Tested by
// tests/unit/format/columns/type_name_test.cpp.
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "format/ascii.h"
#include "presso/table_schema.h"

namespace presso {
namespace {

/// The first name of a type is the one that is printed.
constexpr std::pair<std::string_view, ColumnType> kNames[] = {
    {"bool", ColumnType::kBool},     {"int8", ColumnType::kInt8},
    {"int16", ColumnType::kInt16},   {"int32", ColumnType::kInt32},
    {"int64", ColumnType::kInt64},   {"uint8", ColumnType::kUint8},
    {"uint16", ColumnType::kUint16}, {"uint32", ColumnType::kUint32},
    {"uint64", ColumnType::kUint64}, {"float", ColumnType::kFloat},
    {"double", ColumnType::kDouble}, {"date", ColumnType::kDate32},
    {"utf8", ColumnType::kUtf8},     {"string", ColumnType::kUtf8},
    {"binary", ColumnType::kBinary},
};
/// The types of SQL, as DuckDB has them. A decimal without digits is decimal(18,3) there.
constexpr std::pair<std::string_view, std::string_view> kSqlNames[] = {
    {"tinyint", "int8"},
    {"smallint", "int16"},
    {"int2", "int16"},
    {"int", "int32"},
    {"integer", "int32"},
    {"int4", "int32"},
    {"bigint", "int64"},
    {"long", "int64"},
    {"hugeint", "decimal(38,0)"},
    {"utinyint", "uint8"},
    {"usmallint", "uint16"},
    {"uinteger", "uint32"},
    {"ubigint", "uint64"},
    {"real", "float"},
    {"float4", "float"},
    {"float8", "double"},
    {"doubleprecision", "double"},
    {"boolean", "bool"},
    {"logical", "bool"},
    {"varchar", "utf8"},
    {"text", "utf8"},
    {"char", "utf8"},
    {"bpchar", "utf8"},
    {"str", "utf8"},
    {"blob", "binary"},
    {"bytea", "binary"},
    {"varbinary", "binary"},
    {"timestamp", "timestamp(us)"},
    {"datetime", "timestamp(us)"},
    {"timestamp_s", "timestamp(s)"},
    {"timestamp_ms", "timestamp(ms)"},
    {"timestamp_us", "timestamp(us)"},
    {"timestamp_ns", "timestamp(ns)"},
    {"decimal", "decimal(18,3)"},
    {"numeric", "decimal(18,3)"},
};
constexpr std::array<std::string_view, 4> kUnitNames = {"s", "ms", "us", "ns"};

/// The arguments in `outer(...)`; nullopt where `text` has another form.
std::optional<std::string_view> arguments_of(std::string_view text, std::string_view outer) {
  const bool fits = text.size() > outer.size() + 2 && text.substr(0, outer.size()) == outer &&
                    text[outer.size()] == '(' && text.back() == ')';
  if (!fits) return std::nullopt;
  return text.substr(outer.size() + 1, text.size() - outer.size() - 2);
}

/// A decimal number after any spaces, and nothing else.
std::optional<unsigned> number_of(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  unsigned number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

/// The precision is raised to what the type holds, 18 or 38 digits; the scale stays.
std::optional<ColumnSchema> decimal_type(std::string_view arguments) {
  const std::size_t comma = arguments.find(',');
  const auto digits = number_of(arguments.substr(0, comma));
  const auto scale =
      comma == arguments.npos ? std::optional(0u) : number_of(arguments.substr(comma + 1));
  if (!digits || !scale || *digits < 1 || *digits > 38 || *scale > *digits) return std::nullopt;
  ColumnSchema column;
  column.type = *digits <= 18 ? ColumnType::kDecimal64 : ColumnType::kDecimal128;
  column.precision = *digits <= 18 ? 18 : 38;
  column.scale = static_cast<Byte>(*scale);
  return column;
}

/// `unit` is s, ms, us or ns.
std::optional<ColumnSchema> timestamp_type(std::string_view unit) {
  for (std::size_t i = 0; i < kUnitNames.size(); ++i) {
    if (kUnitNames[i] != unit) continue;
    ColumnSchema column;
    column.type = ColumnType::kTimestamp;
    column.unit = static_cast<TimeUnit>(i);
    column.text = ValueText::kSpaceTime;
    return column;
  }
  return std::nullopt;
}

/// nullopt for a name that no type has.
std::optional<ColumnSchema> type_of(std::string_view text) {
  for (const auto& [name, type] : kNames) {
    if (name != text) continue;
    ColumnSchema column;
    column.type = type;
    return column;
  }
  if (const auto unit = arguments_of(text, "timestamp")) return timestamp_type(*unit);
  if (const auto digits = arguments_of(text, "decimal")) return decimal_type(*digits);
  return std::nullopt;
}

}  // namespace

// parse_type() gives the type back, except for the form of its text, a decimal's smaller precision
// and a timestamp's zone.
std::string type_name(const ColumnSchema& column) {
  if (column.type == ColumnType::kDecimal64 || column.type == ColumnType::kDecimal128) {
    return "decimal(" + std::to_string(column.precision) + "," + std::to_string(column.scale) + ")";
  }
  if (column.type == ColumnType::kTimestamp) {
    const auto unit = static_cast<std::size_t>(column.unit);
    return "timestamp(" + std::string(unit < kUnitNames.size() ? kUnitNames[unit] : "?") + ")";
  }
  for (const auto& [name, type] : kNames) {
    if (type == column.type) return std::string(name);
  }
  return "type " + std::to_string(static_cast<unsigned>(column.type));
}

std::string field_type_name(const NestedField& field) {
  return is_string(field.type.type) ? "json" : type_name(field.type);
}

Result<ColumnSchema> parse_sql_type(std::string_view text) {
  std::string wanted;
  for (const char letter : text) {
    if (letter != ' ') wanted += ascii::lower(letter);
  }
  for (const auto& [sql, own] : kSqlNames) {
    if (wanted == sql) wanted = own;
  }
  if (wanted == "timestamptz" || wanted == "timestampwithtimezone") {
    ColumnSchema column = *timestamp_type("us");
    column.zone = "UTC";
    return column;
  }
  if (wanted.starts_with("numeric(")) wanted = "decimal(" + wanted.substr(8);
  for (const std::string_view texts : {"varchar(", "char(", "text("}) {
    if (wanted.starts_with(texts) && wanted.ends_with(')')) wanted = "utf8";
  }
  if (const auto column = type_of(wanted)) return *column;
  return parse_type(text);
}

Result<ColumnSchema> parse_type(std::string_view text) {
  if (const auto column = type_of(text)) return *column;
  return make_error(ErrorCode::kInvalidArgument,
                    "no column type is called '" + std::string(text) +
                        "': there are bool, int8, int16, int32, int64, uint8, uint16, uint32, "
                        "uint64, float, double, date, timestamp(s), timestamp(ms), timestamp(us), "
                        "timestamp(ns), decimal(DIGITS,SCALE) of at most 38 digits, utf8 (string) "
                        "and binary");
}

}  // namespace presso

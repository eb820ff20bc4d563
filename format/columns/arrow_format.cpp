// SPDX-License-Identifier: MIT
// Format strings of Arrow's C data interface to column types and back. Only types that columns have
// are known here; arrow_type.h has those that others are stored as. Times of day and durations give
// nullopt and are refused by the caller by name. Tested by
// tests/unit/format/columns/arrow_format_test.cpp.
#include "format/columns/arrow_format.h"

#include <algorithm>
#include <charconv>

#include "format/columns/utf8_check.h"

namespace presso {
namespace {

/// In the order of TimeUnit.
constexpr char kUnits[] = {'s', 'm', 'u', 'n'};

/// A format string and the column type that it means.
struct NamedType {
  std::string_view format;
  ColumnType type;
};

/// Formats without parameters. Where several formats lead to one type, the first one is given to
/// others. 'v' is a view; "u" and "z" have offsets of 32 bits.
constexpr NamedType kTypes[] = {
    {"b", ColumnType::kBool},   {"c", ColumnType::kInt8},   {"s", ColumnType::kInt16},
    {"i", ColumnType::kInt32},  {"l", ColumnType::kInt64},  {"C", ColumnType::kUint8},
    {"S", ColumnType::kUint16}, {"I", ColumnType::kUint32}, {"L", ColumnType::kUint64},
    {"f", ColumnType::kFloat},  {"g", ColumnType::kDouble}, {"tdD", ColumnType::kDate32},
    {"U", ColumnType::kUtf8},   {"u", ColumnType::kUtf8},   {"vu", ColumnType::kUtf8},
    {"Z", ColumnType::kBinary}, {"z", ColumnType::kBinary}, {"vz", ColumnType::kBinary},
};

/// Takes a number off the front of `text`; nullopt where there is none or it is over 255.
std::optional<Byte> take_number(std::string_view& text) {
  Byte number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// From "18,2" or "18,2,64". Of decimals of 256 bits those of up to 38 digits can be stored.
std::optional<ColumnSchema> decimal_of(std::string_view text) {
  auto digits = take_number(text);
  if (!digits || *digits == 0 || !text.starts_with(',')) return std::nullopt;
  text.remove_prefix(1);
  const auto scale = take_number(text);
  if (text == ",256" && *digits <= 76) digits = std::min<Byte>(*digits, 38);
  const bool is_width =
      text.empty() || text == ",32" || text == ",64" || text == ",128" || text == ",256";
  if (!scale || *digits > 38 || *scale > *digits || !is_width) return std::nullopt;
  ColumnSchema column;
  column.type = *digits <= 18 ? ColumnType::kDecimal64 : ColumnType::kDecimal128;
  column.precision = *digits;
  column.scale = *scale;
  return column;
}

/// From "m:UTC": unit and time zone.
std::optional<ColumnSchema> timestamp_of(std::string_view text) {
  if (text.size() < 2 || text[1] != ':') return std::nullopt;
  ColumnSchema column;
  column.type = ColumnType::kTimestamp;
  column.zone = text.substr(2);
  for (std::size_t unit = 0; unit < std::size(kUnits); ++unit) {
    column.unit = static_cast<TimeUnit>(unit);
    if (text[0] == kUnits[unit]) return column;
  }
  return std::nullopt;
}

/// Bytes that are no UTF-8 are read as Latin-1, each byte a character.
std::string as_utf8(const std::string& text) {
  if (is_valid_utf8({reinterpret_cast<const Byte*>(text.data()), text.size()})) return text;
  std::string converted;
  for (const char letter : text) {
    const auto code = static_cast<Byte>(letter);
    if (code >= 0x80) converted += static_cast<char>(0xC0 | code >> 6);
    converted += static_cast<char>(code < 0x80 ? code : 0x80 | (code & 0x3F));
  }
  return converted;
}

}  // namespace

std::string arrow_name(const ColumnSchema& column) {
  return as_utf8(column.name);
}

std::string arrow_zone(const ColumnSchema& column) {
  const bool written_as_utc = column.text == ValueText::kLetterTimeZ && column.zone.empty();
  return written_as_utc ? "UTC" : as_utf8(column.zone);
}

std::string arrow_format(const ColumnSchema& column) {
  if (column.type == ColumnType::kTimestamp) {
    return std::string("ts") + kUnits[static_cast<std::size_t>(column.unit) % std::size(kUnits)] +
           ":" + arrow_zone(column);
  }
  const bool any_bytes = column.type == ColumnType::kUtf8 && !column.valid_utf8;
  const ColumnType type = any_bytes ? ColumnType::kBinary : column.type;
  for (const NamedType& named : kTypes) {
    if (named.type == type) return std::string(named.format);
  }
  return "d:" + std::to_string(column.precision) + "," + std::to_string(column.scale);
}

std::optional<ColumnSchema> column_of_arrow_format(std::string_view format) {
  if (format.starts_with("ts")) return timestamp_of(format.substr(2));
  if (format.starts_with("d:")) return decimal_of(format.substr(2));
  for (const NamedType& named : kTypes) {
    if (named.format != format) continue;
    ColumnSchema column;
    column.type = named.type;
    column.valid_utf8 = named.type == ColumnType::kUtf8;
    return column;
  }
  return std::nullopt;
}

}  // namespace presso

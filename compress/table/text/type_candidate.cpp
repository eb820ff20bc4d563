// SPDX-License-Identifier: MIT
// Tries types for a single value, from the narrowest on and in the usual way of writing first, and
// joins candidates. Only first values of columns, values that widen a column, and unusual ones
// until a column is known to have several spellings come here; the others are checked by the loops
// of type_inference.cpp.
#include "compress/table/text/type_candidate.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "compress/table/text/field_reader.h"
#include "compress/table/text/text_checks.h"
#include "format/columns/spelling.h"
#include "format/columns/value_patterns.h"
#include "format/columns/value_text.h"

namespace presso {
namespace {

constexpr Byte kShortDigits = 18;
constexpr Byte kLongDigits = 38;

/// Whether a value is written in the usual way of a type: it parses, and prints back to its text.
bool has_type(const ColumnSchema& column, Bytes value) {
  Byte parsed[16];
  return parse_value(column, value, parsed);
}

/// A column of this type and form of text, for comparison and for parsing.
ColumnSchema type_of(ColumnType type, ValueText text = ValueText::kPlain) {
  ColumnSchema column;
  column.type = type;
  column.text = text;
  return column;
}

/// Decimals of up to 18 digits take 64 bits, of up to 38 digits 128.
ColumnSchema decimal(std::size_t scale, Byte precision) {
  ColumnSchema column =
      type_of(precision == kShortDigits ? ColumnType::kDecimal64 : ColumnType::kDecimal128);
  column.scale = static_cast<Byte>(scale);
  column.precision = precision;
  return column;
}

/// A bool in the form of its word. Words of one pair in different letter cases join as bools.
std::optional<ColumnSchema> bool_of(Bytes value) {
  if (value.size() > 5) return std::nullopt;
  for (const ValueText text :
       {ValueText::kPlain, ValueText::kCapitalBool, ValueText::kUpperBool, ValueText::kLetterBool,
        ValueText::kUpperLetterBool, ValueText::kYesBool, ValueText::kCapitalYesBool,
        ValueText::kUpperYesBool, ValueText::kShortYesBool, ValueText::kUpperShortYesBool}) {
    const ColumnSchema column = type_of(ColumnType::kBool, text);
    if (has_type(column, value)) return column;
  }
  return std::nullopt;
}

// Integers are tried first, then decimals by their scale, then doubles.
std::optional<ColumnSchema> number_of(Bytes value) {
  for (const ColumnType type : {ColumnType::kInt64, ColumnType::kUint64}) {
    if (has_type(type_of(type), value)) return type_of(type);
  }
  // The number of digits after the point is the scale, part of the type.
  const auto point = std::find(value.begin(), value.end(), Byte{'.'});
  const auto scale = static_cast<std::size_t>(value.end() - point);
  for (const Byte precision : {kShortDigits, kLongDigits}) {
    const ColumnSchema column = decimal(scale == 0 ? 0 : scale - 1, precision);
    if (scale <= kLongDigits && has_type(column, value)) return column;
  }
  for (const ValueText text : {ValueText::kPlain, ValueText::kPointReal}) {
    if (has_type(type_of(ColumnType::kDouble, text), value)) {
      return type_of(ColumnType::kDouble, text);
    }
  }
  return std::nullopt;
}

/// All forms of dates have ten bytes. Month first wins where both readings fit.
std::optional<ColumnSchema> date_of(Bytes value) {
  if (value.size() != 10) return std::nullopt;
  for (const ValueText text : {ValueText::kPlain, ValueText::kSlashDate, ValueText::kDayDotDate,
                               ValueText::kMonthSlashDate, ValueText::kDaySlashDate}) {
    const ColumnSchema column = type_of(ColumnType::kDate32, text);
    if (has_type(column, value)) return column;
  }
  return std::nullopt;
}

/// The number of digits after the point tells the unit.
std::optional<ColumnSchema> timestamp_of(Bytes value) {
  if (value.size() < 19 || value.size() > 30) return std::nullopt;
  for (const ValueText text :
       {ValueText::kSpaceTime, ValueText::kLetterTime, ValueText::kLetterTimeZ}) {
    for (const TimeUnit unit :
         {TimeUnit::kSecond, TimeUnit::kMilli, TimeUnit::kMicro, TimeUnit::kNano}) {
      ColumnSchema column = type_of(ColumnType::kTimestamp, text);
      column.unit = unit;
      if (has_type(column, value)) return column;
    }
  }
  return std::nullopt;
}

/// The narrowest type of a value that is written in the usual way; a string if nothing else fits.
ColumnSchema narrowest_type(Bytes value) {
  if (const auto column = bool_of(value)) return *column;
  if (const auto column = number_of(value)) return *column;
  if (const auto column = date_of(value)) return *column;
  if (const auto column = timestamp_of(value)) return *column;
  return type_of(ColumnType::kUtf8);
}

bool is_any_number(const ColumnSchema& column) {
  return is_integer(column.type) || is_decimal(column.type) || column.type == ColumnType::kDouble;
}

/// Whether all values are integers or decimals of scale 0.
bool is_whole(const ColumnSchema& column) {
  return is_integer(column.type) || (is_decimal(column.type) && column.scale == 0);
}

/// The text of a column of dates or times whose year is last; it says how they are read.
ValueText order_text(bool month_first) {
  return month_first ? ValueText::kMonthSlashDate : ValueText::kDaySlashDate;
}

/// Notes what the commas of a number can mean; false if it is none with commas.
bool note_commas(Bytes value, TypeCandidate& candidate) {
  if (std::find(value.begin(), value.end(), Byte{','}) == value.end()) return false;
  NumberText groups;
  NumberText point;
  candidate.comma_groups = scan_number(value, groups, Commas::kGroups);
  candidate.comma_point = scan_number(value, point, Commas::kPoint);
  candidate.comma_wholes =
      candidate.comma_groups && groups.is_whole() && groups.whole.size() <= kShortDigits;
  candidate.commas = candidate.several = candidate.comma_groups || candidate.comma_point;
  return candidate.commas;
}

/// The type of a number in an unusual spelling. Numbers with commas are doubles.
std::optional<ColumnSchema> unusual_number(Bytes value, TypeCandidate& candidate) {
  if (note_commas(value, candidate)) return type_of(ColumnType::kDouble);
  NumberText number;
  if (!scan_number(value, number) || number.is_code()) return std::nullopt;
  if (!number.has_exponent && !number.is_special) {
    if (auto column = number_of(bytes_of(plain_number(number)))) {
      column->text = ValueText::kPlain;
      return column;
    }
  }
  return type_of(ColumnType::kDouble);
}

std::optional<ColumnSchema> unusual_time(Bytes value, TypeCandidate& candidate) {
  TimeText time;
  if (!scan_time(value, time)) return std::nullopt;
  ColumnSchema column = type_of(time.has_time ? ColumnType::kTimestamp : ColumnType::kDate32,
                                time.has_time ? ValueText::kSpaceTime : ValueText::kPlain);
  candidate.year_last = time.year_last;
  if (time.year_last) {
    candidate.month_first = time.month_first;
    candidate.day_first = time.day_first;
    candidate.year_first = time.year_first;
    column.text = order_text(time.month_first);
  }
  column.unit = static_cast<TimeUnit>((time.fraction_digits + 2) / 3);
  if (time.zone != 0) column.zone = "UTC";
  if (time.zone != 0 && !time.year_last) column.text = ValueText::kLetterTimeZ;
  return column;
}

/// The type of a value in an unusual spelling, which goes into the candidate.
std::optional<ColumnSchema> unusual_type(Bytes value, TypeCandidate& candidate) {
  std::optional<ColumnSchema> column = unusual_number(value, candidate);
  if (candidate.commas) return column;
  if (!column) column = unusual_time(value, candidate);
  Byte parsed[16];
  if (column) {
    return read_value(*column, value, parsed, candidate.spelling) ? column : std::nullopt;
  }
  for (const ValueText text :
       {ValueText::kPlain, ValueText::kLetterBool, ValueText::kYesBool, ValueText::kShortYesBool}) {
    column = type_of(ColumnType::kBool, text);
    if (read_value(*column, value, parsed, candidate.spelling)) return column;
  }
  return std::nullopt;
}

/// Whether the values of a column of times say how far they are from Greenwich.
bool has_zone(const ColumnSchema& column) {
  return !column.zone.empty() || column.text == ValueText::kLetterTimeZ;
}

/// The wider type of two candidates of dates or times; a string where they cannot be told in the
/// same way.
ColumnSchema wider_moment(const TypeCandidate& a, const TypeCandidate& b,
                          const TypeCandidate& both) {
  const bool zulu = a.column.zone.empty() && b.column.zone.empty() &&
                    a.column.text == ValueText::kLetterTimeZ &&
                    b.column.text == ValueText::kLetterTimeZ;
  if (a.year_last != b.year_last || has_zone(a.column) != has_zone(b.column)) {
    return type_of(ColumnType::kUtf8);
  }
  const bool dates = a.column.type == ColumnType::kDate32 && b.column.type == ColumnType::kDate32;
  ColumnSchema column = type_of(dates ? ColumnType::kDate32 : ColumnType::kTimestamp,
                                dates ? ValueText::kPlain : ValueText::kSpaceTime);
  if (a.column.text == b.column.text) column.text = a.column.text;
  if (a.year_last) column.text = order_text(both.month_first);
  column.unit = std::max(a.column.unit, b.column.unit);
  if (has_zone(a.column) && !zulu) column.zone = "UTC";
  if (has_zone(a.column) && !a.year_last) column.text = ValueText::kLetterTimeZ;
  return column;
}

/// Whether all values are written as one of the two orders of dates with slashes.
bool is_slash_date(const TypeCandidate& candidate) {
  return candidate.column.type == ColumnType::kDate32 && !candidate.unusual &&
         (candidate.column.text == ValueText::kMonthSlashDate ||
          candidate.column.text == ValueText::kDaySlashDate);
}

/// The narrowest type of both, for candidates of different types.
ColumnSchema wider_type(const TypeCandidate& a, const TypeCandidate& b, TypeCandidate& both) {
  if (is_whole(a.column) && is_whole(b.column)) {
    const bool narrow =
        !is_decimal(a.column.type) && !is_decimal(b.column.type) && !a.negatives && !b.negatives;
    return narrow ? type_of(ColumnType::kUint64) : decimal(0, kLongDigits);
  }
  if (is_decimal(a.column.type) && is_decimal(b.column.type) && a.column.scale == b.column.scale) {
    return decimal(a.column.scale, kLongDigits);
  }
  both.several |= both.unusual;
  if (is_any_number(a.column) && is_any_number(b.column)) {
    const bool point = both.doubles == kPointDoubles;
    both.unusual |= both.doubles == 0;
    return type_of(ColumnType::kDouble, point ? ValueText::kPointReal : ValueText::kPlain);
  }
  if (is_slash_date(a) && is_slash_date(b)) return wider_moment(a, b, both);
  both.unusual = both.several = true;
  const bool bools = a.column.type == ColumnType::kBool && b.column.type == ColumnType::kBool;
  if (bools && bool_family(a.column.text) == bool_family(b.column.text)) {
    return type_of(ColumnType::kBool, bool_family(a.column.text));
  }
  if (is_date_or_time(a.column.type) && is_date_or_time(b.column.type))
    return wider_moment(a, b, both);
  return type_of(ColumnType::kUtf8);
}

/// The spelling with which most numbers of a column with commas are printed.
std::string comma_spelling(bool groups, bool wholes) {
  NumberSpelling spelling;
  spelling.notation = wholes ? 'i' : 'g';
  if (groups) {
    spelling.group = ',';
  } else {
    spelling.flags = NumberSpelling::kComma;
  }
  return std::string(spelling_bytes(spelling));
}

/// Whether the numbers are integers of 64 bits, if commas separate thousands.
bool are_wholes(const TypeCandidate& candidate) {
  return candidate.commas ? candidate.comma_wholes : candidate.column.type == ColumnType::kInt64;
}

/// Whether the numbers have a decimal point.
bool has_points(const TypeCandidate& candidate) {
  const ColumnSchema& column = candidate.column;
  return candidate.points || (is_decimal(column.type) && column.scale > 0) ||
         (column.type == ColumnType::kDouble && !candidate.commas);
}

}  // namespace

bool TypeCandidate::same_type(const TypeCandidate& other) const {
  return column == other.column;
}

bool TypeCandidate::is_spelled() const {
  return unusual && (usual || several || spelling == std::string_view(&kFieldKind, 1));
}

bool TypeCandidate::lacks_word() const {
  return column.type == ColumnType::kBool && words != 3 &&
         bool_family(column.text) != ValueText::kPlain;
}

ColumnSchema TypeCandidate::type(bool in_quotes, Byte decimal) const {
  if (decimal != 0 && is_any_number(column)) {
    TypeCandidate known = *this;
    const bool comma = decimal == ',';
    (comma ? known.comma_groups : known.comma_point) = false;
    if (comma && has_points(*this)) return type_of(ColumnType::kUtf8);
    if (commas && !(comma ? comma_point : comma_groups)) return type_of(ColumnType::kUtf8);
    return known.type(in_quotes);
  }
  const bool as_point = comma_point && !points;
  const bool two_ways = commas && comma_groups && as_point && !in_quotes;
  if (!seen || is_ambiguous() || lacks_word() || two_ways) return type_of(ColumnType::kUtf8);
  ColumnSchema type = column;
  if (commas && comma_groups && comma_wholes) type = type_of(ColumnType::kInt64);
  if (commas) type.spelling = comma_spelling(comma_groups, comma_groups && comma_wholes);
  type.spelled = is_spelled();
  if (unusual && !type.spelled) type.spelling = spelling;
  return type;
}

// A double must print back as it stood, so not every number is one.
Byte double_forms(Bytes value) {
  if (has_type(type_of(ColumnType::kDouble), value)) {
    return is_whole_text(value) ? kPlainDoubles : kAllDoubles;
  }
  return has_type(type_of(ColumnType::kDouble, ValueText::kPointReal), value) ? kPointDoubles : 0;
}

// A single value's type, with all that join() may ask about it later.
TypeCandidate candidate_of(Bytes value) {
  TypeCandidate candidate;
  candidate.seen = true;
  candidate.column = narrowest_type(value);
  candidate.usual = candidate.column.type != ColumnType::kUtf8;
  if (!candidate.usual) {
    const std::optional<ColumnSchema> unusual = unusual_type(value, candidate);
    candidate.unusual = unusual.has_value();
    if (unusual) candidate.column = *unusual;
  }
  candidate.doubles = double_forms(value);
  if (candidate.column.type == ColumnType::kDouble) {
    NumberText number;
    candidate.only_nan =
        scan_number(value, number) && number.is_special && (number.whole[0] | 0x20) == 'n';
  }
  if (candidate.column.type == ColumnType::kBool) {
    Byte parsed[16] = {};
    std::string spelling;
    read_value(candidate.column, value, parsed, spelling);
    candidate.words = parsed[0] != 0 ? 2 : 1;
  }
  candidate.points = std::find(value.begin(), value.end(), Byte{'.'}) != value.end();
  candidate.negatives = std::find(value.begin(), value.end(), Byte{'-'}) != value.end();
  if (candidate.usual && (candidate.column.text == ValueText::kMonthSlashDate ||
                          candidate.column.text == ValueText::kDaySlashDate)) {
    candidate.year_last = true;
    candidate.month_first = has_type(type_of(ColumnType::kDate32, order_text(true)), value);
    candidate.day_first = has_type(type_of(ColumnType::kDate32, order_text(false)), value);
  }
  if (candidate.column.text == ValueText::kDayDotDate) {
    candidate.year_last = true;
    candidate.month_first = false;
  }
  return candidate;
}

/// Associative and commutative, so parts of a text may be joined in any grouping.
TypeCandidate join(const TypeCandidate& a, const TypeCandidate& b) {
  if (!a.seen) return b;
  if (!b.seen) return a;
  TypeCandidate string;
  string.seen = true;
  if (a.column.type == ColumnType::kUtf8 || b.column.type == ColumnType::kUtf8) return string;
  if (a.only_nan != b.only_nan) {
    const TypeCandidate& other = a.only_nan ? b : a;
    if (!is_any_number(other.column)) return other;
  }
  // Each fact holds for both only if it holds for each.
  TypeCandidate both = a;
  both.negatives = a.negatives || b.negatives;
  both.only_nan = a.only_nan && b.only_nan;
  both.doubles = a.doubles & b.doubles;
  both.words = a.words | b.words;
  both.month_first = a.month_first && b.month_first;
  both.day_first = a.day_first && b.day_first;
  both.year_first = a.year_first && b.year_first;
  if (both.year_last && !both.month_first && !both.day_first) return string;
  both.points = has_points(a) || has_points(b);
  both.commas = a.commas || b.commas;
  both.comma_groups = a.comma_groups && b.comma_groups;
  both.comma_point = a.comma_point && b.comma_point;
  both.comma_wholes = are_wholes(a) && are_wholes(b);
  if (both.commas && !both.comma_groups && (!both.comma_point || both.points)) return string;
  both.usual = a.usual || b.usual;
  both.unusual = a.unusual || b.unusual;
  if (!a.unusual) both.spelling = b.spelling;
  both.several = a.several || b.several || (a.unusual && b.unusual && a.spelling != b.spelling);
  if (a.same_type(b) && both.column.type == ColumnType::kDouble && both.doubles != 0) {
    both.column.text = both.doubles == kPointDoubles ? ValueText::kPointReal : ValueText::kPlain;
  } else if (!a.same_type(b)) {
    both.column = wider_type(a, b, both);
  } else if (both.column.type == ColumnType::kDouble) {
    both.column.text = ValueText::kPlain;
    both.unusual = true;
  }
  return both.column.type == ColumnType::kUtf8 ? string : both;
}

}  // namespace presso

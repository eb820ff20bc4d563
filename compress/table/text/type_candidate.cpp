// SPDX-License-Identifier: MIT
// Tries types for a single value, from the narrowest on, and joins candidates. Only first values of
// columns, and values that widen a column, come here; the others are checked by the loops of
// type_inference.cpp.
#include "compress/table/text/type_candidate.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "compress/table/text/text_checks.h"
#include "format/columns/value_patterns.h"
#include "format/columns/value_text.h"

namespace presso {
namespace {

constexpr Byte kShortDigits = 18;
constexpr Byte kLongDigits = 38;

/// A value has a type if it parses, which means that it prints back to its own text.
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

/// A bool in the form of its word. The form is part of the type, so "true" and "TRUE" differ.
std::optional<ColumnSchema> bool_of(Bytes value) {
  if (value.size() > 5) return std::nullopt;
  for (const ValueText text : {ValueText::kPlain, ValueText::kCapitalBool, ValueText::kUpperBool,
                               ValueText::kLetterBool, ValueText::kYesBool}) {
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

/// The narrowest type of a value; a string if nothing else fits.
ColumnSchema narrowest_type(Bytes value) {
  if (const auto column = bool_of(value)) return *column;
  if (const auto column = number_of(value)) return *column;
  if (const auto column = date_of(value)) return *column;
  if (const auto column = timestamp_of(value)) return *column;
  return type_of(ColumnType::kUtf8);
}

bool is_decimal(const TypeCandidate& candidate) {
  return candidate.column.type == ColumnType::kDecimal64 ||
         candidate.column.type == ColumnType::kDecimal128;
}

/// Whether all values are integers or decimals of scale 0.
bool is_whole(const TypeCandidate& candidate) {
  return candidate.column.type == ColumnType::kInt64 ||
         candidate.column.type == ColumnType::kUint64 ||
         (is_decimal(candidate) && candidate.column.scale == 0);
}

/// The type of dates with slashes, in one of the two readings.
ColumnSchema slash_date(bool month_first) {
  return type_of(ColumnType::kDate32,
                 month_first ? ValueText::kMonthSlashDate : ValueText::kDaySlashDate);
}

/// The narrowest type of both, for candidates of different types.
ColumnSchema wider_type(const TypeCandidate& a, const TypeCandidate& b, Byte doubles) {
  if (is_whole(a) && is_whole(b)) {
    const bool narrow = !is_decimal(a) && !is_decimal(b) && !a.negatives && !b.negatives;
    return narrow ? type_of(ColumnType::kUint64) : decimal(0, kLongDigits);
  }
  if (is_decimal(a) && is_decimal(b) && a.column.scale == b.column.scale) {
    return decimal(a.column.scale, kLongDigits);
  }
  if (doubles == 0) return type_of(ColumnType::kUtf8);
  const bool plain = (doubles & kPlainDoubles) != 0;
  return type_of(ColumnType::kDouble, plain ? ValueText::kPlain : ValueText::kPointReal);
}

}  // namespace

bool TypeCandidate::same_type(const TypeCandidate& other) const {
  return column == other.column;
}

bool TypeCandidate::is_slash_date() const {
  return column.type == ColumnType::kDate32 &&
         (column.text == ValueText::kMonthSlashDate || column.text == ValueText::kDaySlashDate);
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
  candidate.negatives = !value.empty() && value[0] == '-';
  candidate.doubles = double_forms(value);
  if (candidate.is_slash_date()) {
    candidate.month_first = has_type(slash_date(true), value);
    candidate.day_first = has_type(slash_date(false), value);
  }
  return candidate;
}

/// Associative and commutative, so parts of a text may be joined in any grouping.
TypeCandidate join(const TypeCandidate& a, const TypeCandidate& b) {
  if (!a.seen) return b;
  if (!b.seen) return a;
  // Each fact holds for both only if it holds for each.
  TypeCandidate both = a;
  both.negatives = a.negatives || b.negatives;
  both.doubles = a.doubles & b.doubles;
  both.month_first = a.month_first && b.month_first;
  both.day_first = a.day_first && b.day_first;
  if (a.is_slash_date() && b.is_slash_date()) {
    const bool one_reading = both.month_first || both.day_first;
    both.column = one_reading ? slash_date(both.month_first) : type_of(ColumnType::kUtf8);
  } else if (!a.same_type(b) || a.column.type == ColumnType::kDouble) {
    both.column = wider_type(a, b, both.doubles);
  }
  return both;
}

}  // namespace presso

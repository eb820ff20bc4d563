// SPDX-License-Identifier: MIT
// Values as people write them, in a literal of a query or in a column of text that is CAST, and
// back to text. Reading is more lenient than loading a table: it accepts spaces around the value, a
// '+', leading zeros, other numbers of digits after the point, and a date where a timestamp is
// wanted. Nothing here allocates, except for doubles with rare forms. Tested by
// tests/unit/query/compute/compute_test.cpp (CastsWhatFits, ReckonsWithDates).
#pragma once

#include <optional>
#include <string_view>

#include "query/compute/graph.h"

namespace presso::query {

/// Reads `text` as a value of `type` (its family, scale, unit, physical form and interval are used)
/// and writes physical_bytes() bytes to `to`. Returns false where the text is no such value or the
/// value lies outside the interval; `to` may then be written in part.
bool read_value(const Node& type, Bytes text, Byte* to);

/// A date, or a date and a time, as read_moment() finds it.
struct WrittenMoment {
  Int128 nanos = 0;  ///< since 1970, so that any year fits
  bool has_time = false;
};
/// Reads a date or a timestamp; nullopt for any other text. Years have four to twelve digits, with
/// a minus before the year 0. The month and day must exist in the proleptic Gregorian calendar.
/// `with_offset`: a time may be followed by an offset such as "+01:00", which is taken off.
std::optional<WrittenMoment> read_moment(Bytes text, bool with_offset = false);

/// What a text seems to be meant as: "date" or "timestamp"; "double" for a number without leading
/// zeros, which codes have; "" for a date whose year comes last, which no cast reads; nullopt for
/// other texts.
std::optional<std::string_view> meant_type(std::string_view text);

/// Reads digits with an optional sign and point, without an exponent: "-12.50" gives -1250 and
/// scale 2. Returns false for anything else, and for more than 38 significant digits.
bool read_decimal(std::string_view text, Int128& number, unsigned& scale);

/// Changes the scale of `number` from `from` to `to`; fewer digits are rounded half away from zero.
/// Returns false if the result has more than 38 digits.
bool rescale(Int128& number, unsigned from, unsigned to);

/// Prints row `row`, which must not be null, as a table of the type would print it. `to` has room
/// for kMaxValueText bytes; returns the number written. Not for strings.
std::size_t write_value(const Node& type, const VectorView& values, std::uint32_t row, char* to);

/// Writes row `row` in the form in which a column of `type` stores it, value_bytes(type) bytes in
/// little-endian order (a truth value takes one byte). The value must fit; the node's interval or a
/// check has seen to that.
void store_value(const ColumnSchema& type, const VectorView& values, std::uint32_t row, Byte* to);

/// Returns n for a unit of 10^-n seconds: 0, 3, 6 or 9.
unsigned unit_digits_of(TimeUnit unit);
/// Nanoseconds in a day for dates, in a unit of the type for timestamps.
Int128 nanos_in_unit(const Node& moment);

}  // namespace presso::query

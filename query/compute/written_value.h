// SPDX-License-Identifier: MIT
// Values as people write them in a query or in a column of text (CAST), and back. Reading is more
// lenient than loading a table: spaces around, a '+', zeros in front, fewer or more digits after a
// point, a date in place of a timestamp. Tested by tests/unit/query/compute/compute_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "query/compute/graph.h"

namespace presso::query {

/// Writes the value of `text` in the physical form of `type` (physical_bytes() bytes); false where
/// it is none of that type, or does not fit.
bool read_value(const Node& type, Bytes text, Byte* to);

/// A date, or a date and a time.
struct WrittenMoment {
  Int128 nanos = 0;  ///< since 1970, so that any year fits
  bool has_time = false;
};
/// What a date or a timestamp is written as; nullopt for anything else. Years have four digits or
/// more, and a minus before the year 0.
std::optional<WrittenMoment> read_moment(Bytes text);

/// Digits with an optional point as a whole number and a scale; false for anything else, and where
/// there are more than 38 digits.
bool read_decimal(std::string_view text, Int128& number, unsigned& scale);

/// `number` of scale `from` in scale `to`, half away from zero; false where it does not fit.
bool rescale(Int128& number, unsigned from, unsigned to);

/// Writes row `row`, which is not null, as a table of the type would print it, to room for
/// kMaxValueText bytes; returns its length. Not for strings.
std::size_t write_value(const Node& type, const VectorView& values, std::uint32_t row, char* to);

/// Stores row `row` as a column of this type has it: value_bytes(type) bytes, bools one byte.
void store_value(const ColumnSchema& type, const VectorView& values, std::uint32_t row, Byte* to);

/// 10^n units in a second.
unsigned unit_digits_of(TimeUnit unit);
/// Nanoseconds in a day for dates, in a unit for timestamps.
Int128 nanos_in_unit(const Node& moment);

}  // namespace presso::query

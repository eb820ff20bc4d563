// SPDX-License-Identifier: MIT
// Which values of a type lie between two zone images (FORMAT.md 15.4), said in terms of the values
// as they lie in memory, so that no value needs to be made into an image.
//
// Integers: value - low, modulo the type's width, is at most `span`. This holds for signed types,
// too, since the images of all values of a type are consecutive numbers.
// Floating types: least <= value <= most, by the comparison of the processor, for which -0 equals
// +0 as for images; NaNs, which no comparison holds for, are in where `nan` says so.
// Tested by tests/unit/decompress/columns/integer_filter_test.cpp.
#pragma once

#include <cstdint>

#include "presso/table_schema.h"

namespace presso {

struct ValueTest {
  enum class Kind : Byte { kNone, kAll, kInteger, kFloat, kDouble };
  Kind kind = Kind::kNone;
  Byte width_bytes = 0;
  bool is_signed = false;
  bool nan = false;
  std::uint64_t low = 0;  ///< sign-extended or zero-extended to 64 bits
  std::uint64_t span = 0;
  double least = 0;  ///< of the type float: both are floats
  double most = 0;
};

/// Types of up to 8 bytes that are no strings; bools are integers of 0 bytes.
ValueTest make_value_test(ColumnType type, std::uint64_t least, std::uint64_t most);
/// Unsigned integers of `width_bytes` from `low` to `high`.
ValueTest unsigned_test(Byte width_bytes, std::uint64_t low, std::uint64_t high);

/// Whether one value, given as its bytes in memory (zeros behind them), is wanted.
bool passes(const ValueTest& test, std::uint64_t value);

}  // namespace presso

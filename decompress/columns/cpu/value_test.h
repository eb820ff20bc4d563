// SPDX-License-Identifier: MIT
// A test whether values of a type lie between two zone images, which are 64-bit numbers in the
// order of the type's values (FORMAT.md 15.4). The test is expressed on values as they lie in
// memory, so that no value has to be made into an image.
//
// Integers: value - low, modulo the type's width, is at most `span`. This holds for signed
// types as well, since the images of all values of a type are consecutive numbers. Floating
// types: least <= value <= most by the processor's comparison, for which -0 equals +0 as images
// do; NaNs, for which no comparison is true, are in if `nan` says so. Tested by
// tests/unit/decompress/columns/integer_filter_test.cpp.
#pragma once

#include <cstdint>

#include "presso/table_schema.h"

namespace presso {

/// A test, ready to be evaluated on many values.
struct ValueTest {
  enum class Kind : Byte { kNone, kAll, kInteger, kFloat, kDouble };
  Kind kind = Kind::kNone;
  Byte width_bytes = 0;
  bool is_signed = false;
  bool nan = false;
  std::uint64_t low = 0;  ///< extended to 64 bits by sign or zeros
  std::uint64_t span = 0;
  double least = 0;  ///< both are floats if the type is float
  double most = 0;
};

/// The test least <= image <= most for a type. It serves types of up to 8 bytes other than strings;
/// bools count as integers of 0 bytes.
ValueTest make_value_test(ColumnType type, std::uint64_t least, std::uint64_t most);
/// A test for unsigned integers of `width_bytes` from `low` to `high`.
ValueTest unsigned_test(Byte width_bytes, std::uint64_t low, std::uint64_t high);

/// Whether one value passes, given as its bytes in memory, followed by zeros.
bool passes(const ValueTest& test, std::uint64_t value);

}  // namespace presso

// SPDX-License-Identifier: MIT
// What kernels do with doubles, whose bits are numbers of 64 bits to them. Code that is compiled at
// run time includes this header. Tests: tests/queries/doubles.txt.
#pragma once

#include <cstdint>

#include "presso/byte.h"

namespace presso::gpu {

/// Operations on doubles, with the CPU's results; comparisons give truths.
enum class RealOperation : Byte {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kNegate,     ///< of a, as the next two
  kMagnitude,  ///< without its sign
  kToFloat,    ///< rounded to a float
  kOfFloat,    ///< of a float's bits, signed or not; of kNoFloat b
  kOfInteger,  ///< integer a divided by double b
  kKey,        ///< bits that equal values have in common; those of b stay as they are
  // NaNs are equal, and greater than all others.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
};

/// In place of nulls where floats are loaded.
constexpr std::int64_t kNoFloat = std::int64_t{1} << 32;

/// Bits of a short limb of a double's number of units, and of a piece of an integer.
constexpr std::uint32_t kShortBits = 16;
/// What +inf and -inf add to a cell that counts them, up to 2^31 rows of each; a NaN adds both.
constexpr std::uint64_t kSpecialPlus = 1;
constexpr std::uint64_t kSpecialMinus = std::uint64_t{1} << 32;

}  // namespace presso::gpu

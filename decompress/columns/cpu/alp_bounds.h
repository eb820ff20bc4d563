// SPDX-License-Identifier: MIT
// Which packed values of a vector of kind 5 (ALP, FORMAT.md 16.2), doubles that were decimals, lie
// between bounds. What they stand for, (double(base + p) * 10^f) * 10^-e, never falls as p rises,
// since each of its steps rounds and none turns the order of two numbers around. So the bounds of p
// are guessed by the inverse and then moved to where they are right.
// Tested by tests/unit/decompress/columns/integer_filter_test.cpp.
#pragma once

#include <cstdint>

#include "decompress/columns/cpu/integer_decoder.h"

namespace presso {

struct AlpBounds {
  bool are_known = false;  ///< false: packed in more than 32 bits, or the guess was too far off
  bool is_empty = false;   ///< no value lies between
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// p with least <= value <= most. Exceptions are not looked at.
AlpBounds alp_bounds(const IntegerVector& vector, double least, double most);

}  // namespace presso

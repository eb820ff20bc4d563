// SPDX-License-Identifier: MIT
// Which packed values of a vector of kind 5 (ALP, FORMAT.md 16.2: doubles that were decimals,
// stored as integers) lie between bounds, so that a filter compares integers and decodes nothing.
// The values, (double(base + p) * 10^f) * 10^-e, never fall as p rises: each step rounds, and
// rounding never exchanges the order of two numbers. So the bounds of p are guessed by the inverse
// and then moved to where they are right. Tested by
// tests/unit/decompress/columns/integer_filter_test.cpp.
#pragma once

#include <cstdint>

#include "decompress/columns/cpu/integer_decoder.h"

namespace presso {

/// An interval of packed integers, both ends included. `from` and `to` mean something only if
/// `are_known` and not `is_empty`.
struct AlpBounds {
  bool are_known = false;  ///< false: packed in more than 32 bits, or the guess was too far off
  bool is_empty = false;   ///< whether no value lies between the bounds
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// The packed integers p whose values lie between `least` and `most`, both included. Exceptions
/// (rows whose doubles no such integer gives, stored apart) are not looked at; the caller compares
/// them.
AlpBounds alp_bounds(const IntegerVector& vector, double least, double most);

}  // namespace presso

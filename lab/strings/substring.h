// SPDX-License-Identifier: MIT
// What the linear substring engines share: the form of their answer, and sequences `%S1%S2%` by
// any of them. Sources: S5.1. Each engine is a view (flat tables, trivially copyable) with
//   find_end(text, from, length, tally): where the first occurrence in text[from, length) ends,
// kNotFound where there is none; an empty pattern ends at `from`. The first match is enough for a
// predicate. Written for host and device: no allocation, no recursion, no reads outside
// text[from, length). Tested by lab/tests/substring_test.cpp.
#pragma once

#include <cstdint>

#include "format/host_device.h"
#include "presso/bytes.h"

namespace presso::strings {

constexpr std::uint64_t kNotFound = ~std::uint64_t{0};

/// Counts nothing; tests pass one that counts comparisons of a text's byte.
struct NoTally {
  PRESSO_HD constexpr void comparison() const {}
};

/// Whether patterns[0], patterns[1], ... occur in this order, each after the one before it. The
/// leftmost end of each leaves the most to the next, so the first match is the one to take.
template <class View, class Tally = NoTally>
PRESSO_HD inline bool contains_in_order(const View* patterns, std::uint32_t count, const Byte* text,
                                        std::uint64_t length, Tally&& tally = {}) {
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    at = patterns[i].find_end(text, at, length, tally);
    if (at == kNotFound) return false;
  }
  return true;
}

}  // namespace presso::strings

// SPDX-License-Identifier: MIT
// Boyer and Moore's search with the bad character rule and the strong good suffix rule. Sources:
// S5.1. The strong rule bounds the comparisons up to the first match by 3n for n bytes (Cole 1991);
// the simpler relatives without it (Horspool, Quick Search) take m times n on adversarial texts.
// Skips up to m bytes at once, so it is fast for long patterns and suits one text better than many
// lanes side by side.
#pragma once

#include "lab/strings/substring.h"

namespace presso::strings {

struct BoyerMoore {
  const Byte* pattern = nullptr;
  const std::int32_t* last_place = nullptr;   ///< [256]; of a byte in the pattern, -1: none
  const std::int32_t* good_suffix = nullptr;  ///< [length + 1]; shift if pattern[j, length) matched
  std::int32_t length = 0;

  template <class Tally = NoTally>
  PRESSO_HD std::uint64_t find_end(const Byte* text, std::uint64_t from, std::uint64_t end,
                                   Tally&& tally = {}) const {
    if (length == 0) return from;
    const auto size = static_cast<std::uint64_t>(length);
    for (std::uint64_t at = from; at + size <= end;) {
      std::int32_t j = length - 1;
      for (; j >= 0; --j) {
        tally.comparison();
        if (pattern[j] != text[at + static_cast<std::uint64_t>(j)]) break;
      }
      if (j < 0) return at + size;
      const std::int32_t by_byte = j - last_place[text[at + static_cast<std::uint64_t>(j)]];
      const std::int32_t by_suffix = good_suffix[j + 1];
      at += static_cast<std::uint64_t>(by_byte > by_suffix ? by_byte : by_suffix);
    }
    return kNotFound;
  }
};

}  // namespace presso::strings

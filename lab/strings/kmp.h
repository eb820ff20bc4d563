// SPDX-License-Identifier: MIT
// Knuth, Morris and Pratt's search in the three forms of source S5.1, which differ in how lanes
// that run it side by side stay together:
//   step:   one text byte an iteration, an inner loop over borders; lanes stay at one place of
//           their texts, but the inner loop diverges.
//   basic:  an iteration advances the text or the pattern: no inner loop, but lanes drift apart in
//           their texts.
//   hybrid: basic within pieces of a few bytes held in a register; lanes meet at each piece.
// At most 2n comparisons for n bytes in every form. The table is the weak one, next[j] the longest
// proper border of pattern[0, j), next[0] = -1: the optimised table has -1 at other places too, at
// which basic and hybrid would read before the pattern.
#pragma once

#include "lab/strings/substring.h"

namespace presso::strings {

struct KmpView {
  const Byte* pattern = nullptr;
  const std::int32_t* next = nullptr;  ///< [length], next[0] == -1
  std::int32_t length = 0;
};

struct KmpStep : KmpView {
  template <class Tally = NoTally>
  PRESSO_HD std::uint64_t find_end(const Byte* text, std::uint64_t from, std::uint64_t end,
                                   Tally&& tally = {}) const {
    if (length == 0) return from;
    std::int32_t j = 0;
    for (std::uint64_t i = from; i < end; ++i) {
      const Byte byte = text[i];
      while (j >= 0) {
        tally.comparison();
        if (pattern[j] == byte) break;
        j = next[j];
      }
      if (++j == length) return i + 1;
    }
    return kNotFound;
  }
};

struct KmpBasic : KmpView {
  template <class Tally = NoTally>
  PRESSO_HD std::uint64_t find_end(const Byte* text, std::uint64_t from, std::uint64_t end,
                                   Tally&& tally = {}) const {
    if (length == 0) return from;
    std::int32_t j = 0;
    for (std::uint64_t i = from; i < end;) {
      tally.comparison();
      if (pattern[j] == text[i]) {
        ++i;
        if (++j == length) return i;
      } else if (j == 0) {
        ++i;
      } else {
        j = next[j];
      }
    }
    return kNotFound;
  }
};

/// kWidth: bytes of a piece, 1 to 8.
template <unsigned kWidth = 8>
struct KmpHybrid : KmpView {
  static_assert(kWidth >= 1 && kWidth <= 8);

  template <class Tally = NoTally>
  PRESSO_HD std::uint64_t find_end(const Byte* text, std::uint64_t from, std::uint64_t end,
                                   Tally&& tally = {}) const {
    if (length == 0) return from;
    std::int32_t j = 0;
    for (std::uint64_t base = from; base < end; base += kWidth) {
      const std::uint64_t left = end - base;
      const std::uint32_t count = left < kWidth ? static_cast<std::uint32_t>(left) : kWidth;
      // With a constant count the compiler makes one load.
      std::uint64_t piece =
          count == kWidth ? load_piece(text + base, kWidth) : load_piece(text + base, count);
      for (std::uint32_t consumed = 0; consumed < count;) {
        tally.comparison();
        const bool equal = pattern[j] == static_cast<Byte>(piece);
        const bool advance = equal || j == 0;
        if (advance) {
          piece >>= 8;
        } else {
          j = next[j];
        }
        j += equal;
        consumed += advance;
        if (j == length) return base + consumed;
      }
    }
    return kNotFound;
  }

 private:
  PRESSO_HD static std::uint64_t load_piece(const Byte* from, std::uint32_t count) {
    std::uint64_t piece = 0;
    for (std::uint32_t i = 0; i < count; ++i) piece |= std::uint64_t{from[i]} << (8 * i);
    return piece;
  }
};

}  // namespace presso::strings

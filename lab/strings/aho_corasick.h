// SPDX-License-Identifier: MIT
// Aho and Corasick's automaton for any of several strings, all transitions resolved: one table
// entry a byte and no failure links while searching. States are numbered with the accepting ones
// last, so that a hit is one comparison. Sources: S5.1, S5.15.
#pragma once

#include "lab/strings/substring.h"

namespace presso::strings {

struct AhoCorasick {
  const std::uint16_t* next = nullptr;  ///< [state * classes + class_of[byte]]
  const Byte* class_of = nullptr;       ///< [256]; class 0: bytes of no pattern
  std::uint32_t classes = 0;
  std::uint32_t states = 0;
  std::uint32_t start = 0;
  std::uint32_t first_accepting = 0;

  /// Where the occurrence ends that ends first.
  template <class Tally = NoTally>
  PRESSO_HD std::uint64_t find_end(const Byte* text, std::uint64_t from, std::uint64_t end,
                                   Tally&& tally = {}) const {
    std::uint32_t state = start;
    if (state >= first_accepting) return from;
    for (std::uint64_t i = from; i < end; ++i) {
      tally.comparison();
      state = next[state * classes + class_of[text[i]]];
      if (state >= first_accepting) return i + 1;
    }
    return kNotFound;
  }
};

}  // namespace presso::strings

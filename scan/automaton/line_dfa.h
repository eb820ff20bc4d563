// SPDX-License-Identifier: MIT
// A deterministic automaton that says which lines hold a match: read from the beginning of a line
// it needs one table entry a byte, knows no spans, and is the same for CPU and GPU. Catalogue L6,
// L7 (table indexed by state and byte, matching states numbered last).
#pragma once

#include <cstdint>
#include <vector>

#include "presso/bytes.h"

namespace presso::scan_detail {

/// Flat and trivially copyable; refers to a LineDfa or to its copy in device memory. Any state
/// leads to `start` on '\n'. A line matches if the state before its '\n', or at the end of a text
/// without one, is at least `first_matching`. `sink`, where there is one (else == states), leads to
/// itself but on '\n', and matches.
struct LineDfaView {
  const std::uint16_t* next = nullptr;  ///< [state * classes + class_of[byte]]
  const Byte* class_of = nullptr;       ///< [256]
  std::uint32_t classes = 0;
  std::uint32_t states = 0;
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t sink = 0;

  std::uint32_t step(std::uint32_t state, Byte byte) const {
    return next[state * classes + class_of[byte]];
  }
};

/// Owns the tables. Minimal: no two states accept the same rest of a line.
struct LineDfa {
  std::vector<std::uint16_t> next;
  std::vector<Byte> class_of;
  std::uint32_t classes = 0;
  std::uint32_t states = 0;
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t sink = 0;

  LineDfaView view() const {
    return {next.data(), class_of.data(), classes, states, start, first_matching, sink};
  }
};

}  // namespace presso::scan_detail

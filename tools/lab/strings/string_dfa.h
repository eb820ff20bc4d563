// SPDX-License-Identifier: MIT
// A minimal deterministic automaton over whole strings: the form from which every table layout is
// made (dfa_tables.h, dfa_layouts.h). Catalogue S6.3, L6.
//
// States in this order: those that reject and can still change, the reject sink, those that accept
// and can still change, the accept sink. So "accepts" is one comparison, and a reader may leave a
// string as soon as it is in a sink. Tested by tests/unit/lab/string_dfa_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "presso/bytes.h"
#include "scan/automaton/complete_dfa.h"

namespace presso::strings {

struct StringDfa {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::array<Byte, 256> class_of{};  ///< bytes that no state tells apart have one class
  std::uint32_t classes = 0;
  std::vector<std::uint32_t> next;  ///< [state * classes + class_of[byte]]
  std::uint32_t states = 0;
  std::uint32_t start = 0;
  std::uint32_t first_accepting = 0;
  std::uint32_t reject_sink = kNone;  ///< kNone: there is none
  std::uint32_t accept_sink = kNone;

  std::uint32_t step(std::uint32_t state, Byte byte) const {
    return next[std::size_t{state} * classes + class_of[byte]];
  }
  bool is_sink(std::uint32_t state) const { return state == reject_sink || state == accept_sink; }
  bool accepts(Bytes string) const;
};

/// The minimal automaton of what `dfa` accepts, with as few classes as it needs. `class_of`: of
/// every byte, below dfa.classes.
StringDfa minimal_dfa(const scan_detail::CompleteDfa& dfa, const std::array<Byte, 256>& class_of);

}  // namespace presso::strings

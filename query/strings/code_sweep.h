// SPDX-License-Identifier: MIT
// Finds literals among token codes without decoding them (FORMAT.md 17). A literal lies within one
// token, or a token ends with its first p bytes and the next one goes on with its byte p. For each
// code a word says at which p a token may end or begin so; sweeping is then a look-up and two
// operations a code, about 0.3 ns, whatever the literal. What is found between two tokens may be
// none (the literal may not go on behind the second one), and may lie across two rows.
// Tested by tests/unit/query/strings/code_sweep_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/columns/token_dictionary.h"
#include "scan/matching/required_literals.h"

namespace presso::query {

class CodeSweep {
 public:
  /// For places that hold one of the clause's strings; of longer ones the first 16 bytes.
  CodeSweep(const TokenDictionary& tokens, const scan_detail::RequiredLiterals::Clause& clause);

  struct Place {
    std::size_t at = 0;  ///< of the code in or before which the literal goes on
    bool whole = false;  ///< a token holds one of the strings (its first 16 bytes)
  };
  static constexpr std::size_t kMostPlaces = 256;
  struct Places {
    std::size_t count = 0;
    Place places[kMostPlaces];
  };
  /// Sweeps codes [from, count), the first of them with nothing before it, until `places` is full
  /// or the end is reached. Returns where to go on; `count`: all is swept.
  std::size_t find(const std::uint16_t* codes, std::size_t from, std::size_t count,
                   Places& places) const;

 private:
  /// By code. Low half: bit p for a token that may go on at byte p of the literal; the highest bit
  /// for one that holds a literal. High half: bit p for one that ends with p of its bytes; the
  /// highest for all.
  std::vector<std::uint32_t> marks_;
};

}  // namespace presso::query

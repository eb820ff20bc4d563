// SPDX-License-Identifier: MIT
// Finds literals among token codes without decoding them (FORMAT.md 17). A literal either lies
// within one token, or some token ends with its first p bytes and the next one continues with its
// byte p. For each code a word of marks says for which p that holds; sweeping is then a look-up and
// two operations for each code, about 0.3 ns, whatever the literal. Hits may be false: after two
// fitting tokens the literal may go wrong, or it may reach across two rows. Tested by
// tests/unit/query/strings/code_sweep_test.cpp.
//
// Example: the literal "special" in a text whose tokens are `spe`, `cial` and `es`. `spe` ends with
// the first 3 bytes, so its high half has bit 3; `cial` can continue at byte 3, so its low half has
// bit 3. For the codes of `spe`, `cial` the AND of the first's high half and the second's low half
// is not 0: a hit at the second code. `es` ends with the first byte only (bit 1) and continues
// nothing. The same works for tokens that split the literal anywhere else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/columns/token_dictionary.h"
#include "scan/matching/required_literals.h"

namespace presso::query {

/// Sweeps for one clause, over codes of one token dictionary. Immutable; building reads every
/// token.
class CodeSweep {
 public:
  /// For places at which one of the clause's strings may stand; only the first 16 bytes of a string
  /// count.
  CodeSweep(const TokenDictionary& tokens, const scan_detail::RequiredLiterals::Clause& clause);

  struct Place {
    std::size_t at = 0;  ///< the code in which the literal lies or continues
    bool whole = false;  ///< whether a token holds one of the strings (its first 16 bytes)
  };
  static constexpr std::size_t kMostPlaces = 256;
  struct Places {
    std::size_t count = 0;
    Place places[kMostPlaces];
  };
  /// Sweeps the codes [from, count); the first code of all has nothing before it. Stops when
  /// `places` is full. Returns where to continue; `count` when all is swept.
  std::size_t find(const std::uint16_t* codes, std::size_t from, std::size_t count,
                   Places& places) const;

 private:
  /// The marks of each code. Low half: bit p if the token may continue at byte p of the literal,
  /// the highest bit if it holds a literal. High half: bit p if it ends with the first p bytes; the
  /// highest bit is always set, so that a whole literal is found after any token.
  std::vector<std::uint32_t> marks_;
};

}  // namespace presso::query

// SPDX-License-Identifier: MIT
// A program (scan/automaton/program.h) as positions in bit sets (Glushkov's construction): a bit
// for each pair of a reading instruction and an instruction that it leads to, one for each look
// (`^`, \b and so on), and one for the match. It is pairs, because bytes that an instruction reads
// may lead to different places. Positions that follow the same ones and lead to the same ones are
// merged. A step over a byte is
//     live = follow(live & reads[class of the byte])
//
// Here follow() is a few shifts, for positions that are followed by their neighbours, and rows of
// bits that are ORed for the others. Sources: L14. Nothing grows exponentially: n positions take at
// most 2 n^2 bits, and 2 n for each class of bytes. Patterns are declined that have more than
// 16,384 positions, or before merging more than four times as many or more than 8 million pairs of
// a position and one that follows it.
//
// A set holds no order of preference between matches. Therefore the same automaton can also be
// stepped backwards, which says at which places a match begins and which positions lead to a match
// from there; guided by these, the program is followed in its order of preference
// (bitset_engine.h). Tested by tests/unit/scan/regex/bit_automaton_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/error.h"
#include "scan/automaton/program.h"

namespace presso::scan_detail {

using BitWord = std::uint64_t;
constexpr std::size_t kBitsInWord = 64;

inline bool test_bit(const BitWord* words, std::size_t bit) {
  return (words[bit / kBitsInWord] >> (bit % kBitsInWord) & 1) != 0;
}
inline void set_bit(BitWord* words, std::size_t bit) {
  words[bit / kBitsInWord] |= BitWord{1} << (bit % kBitsInWord);
}

/// A relation between positions that can be applied to whole sets of them: the most frequent
/// distances as shifts, everything else as rows.
struct BitMoves {
  static constexpr std::size_t kMostShifts = 4;

  /// Positions of the set shift_from[shift * words...] lead to the position shift_by[shift] (0 to
  /// 63) further on.
  std::vector<unsigned> shift_by;
  std::vector<BitWord> shift_from;
  std::vector<BitWord> others;        ///< positions that lead to further ones, by a row
  std::vector<std::uint32_t> row_of;  ///< for each position, where in `rows` its row begins
  std::vector<BitWord> rows;
};

/// The tables of one program. Immutable, shared by all threads.
struct BitAutomaton {
  static constexpr std::size_t kMostWords = 256;
  static constexpr std::size_t kMostPositions = kMostWords * kBitsInWord;

  /// A look of the pattern, as a position that is passed without reading a byte.
  struct LookPosition {
    std::size_t bit = 0;
    Look look = Look::kLineStart;
    std::vector<BitWord> after;           ///< what follows it, as in follow()
    std::vector<BitWord> after_backward;  ///< that set, mirrored
  };

  const Program* program = nullptr;
  std::size_t positions = 0;
  std::size_t words = 0;       ///< 64-bit words of a set of positions
  std::vector<BitWord> start;  ///< live where a match may begin
  std::vector<BitWord> reads;  ///< [class * words]
  std::vector<BitWord> stops;  ///< the positions of looks and of the match
  std::size_t match = 0;       ///< this position is live where a match ends
  std::vector<LookPosition> look_positions;
  std::vector<std::uint32_t> position_of;  ///< for each of Program::transitions its position
  BitMoves forward;

  // Stepped backwards, position p is bit positions - 1 - p, so that chains are shifts again.
  std::vector<BitWord> reads_backward;
  std::vector<BitWord> start_backward;
  /// The moves for reading backwards, over mirrored positions, so that both directions shift the
  /// same way.
  BitMoves backward;
  std::size_t mirrored(std::size_t position) const { return positions - 1 - position; }
};

/// Makes the automaton of `program`, which must be read forwards and have no captures; the
/// automaton refers to it. Error kInvalidArgument: the program exceeds the limits above, or the
/// tables would take more than `max_bytes`.
Result<BitAutomaton> make_bit_automaton(const Program& program, std::size_t max_bytes);

}  // namespace presso::scan_detail

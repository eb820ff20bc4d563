// SPDX-License-Identifier: MIT
// Counts the lines of a text that a line automaton accepts, at one table entry a byte. A table
// look-up has to wait for the one before it, so a single lane is bound by latency. Since any line
// begins in the same state, a text is cut at line ends into eight lanes that are read in turn:
// while one waits for its entry, those of the others are loaded. It finds no places of matches.
// Sources: L7, S6.3. Tested by tests/unit/scan/automaton/line_dfa_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "presso/bytes.h"
#include "scan/automaton/dfa.h"

namespace presso::scan_detail {

/// The automaton with its rows premultiplied, and one more state that counts. Immutable.
class LineCounter {
 public:
  /// Copies what it needs of the automaton, with one row more for lines after a matching one.
  explicit LineCounter(const LineDfa& dfa);

  /// How many lines match. `text` consists of whole lines, the last one with or without its '\n'.
  std::size_t count(Bytes text) const;

 private:
  using Row = std::uint32_t;  ///< offset of a state's entries
  static constexpr std::size_t kLanes = 8;

  /// A piece of the text that is read from `at` to `end`, with the state so far as the place of its
  /// row.
  struct Lane {
    const Byte* at = nullptr;
    const Byte* end = nullptr;
    Row row = 0;
  };

  /// Cuts the text at line ends into lanes of about the same length, the longest first.
  std::vector<Lane> cut(Bytes text) const;
  /// Reads `bytes` bytes in each of the first kCount lanes; returns the matching lines that ended.
  template <std::size_t kCount>
  std::size_t advance(Lane* lanes, std::size_t bytes) const;

  std::array<Byte, 256> class_of_{};
  std::vector<Row> next_;
  Row start_ = 0;
  Row start_behind_match_ = 0;  ///< as start_, reached over the '\n' of a line that matches
  Row first_matching_ = 0;
};

}  // namespace presso::scan_detail

// SPDX-License-Identifier: MIT
// Counts the lines of a text that a line automaton accepts, at one table entry a byte. Since any
// line begins in the same state, a text is cut at lines into lanes that are read in turn: while
// one waits for its entry, the others' are loaded. Sources: L7, S6.3.
// Tested by tests/unit/scan/automaton/line_dfa_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "presso/bytes.h"
#include "scan/automaton/dfa.h"

namespace presso::scan_detail {

class LineCounter {
 public:
  explicit LineCounter(const LineDfa& dfa);

  /// `text`: whole lines, the last one with or without its '\n'.
  std::size_t count(Bytes text) const;

 private:
  using Row = std::uint32_t;  ///< offset of a state's entries
  static constexpr std::size_t kLanes = 8;

  struct Lane {
    const Byte* at = nullptr;
    const Byte* end = nullptr;
    Row row = 0;
  };

  std::vector<Lane> cut(Bytes text) const;
  template <std::size_t kCount>
  std::size_t advance(Lane* lanes, std::size_t bytes) const;

  std::array<Byte, 256> class_of_{};
  std::vector<Row> next_;
  Row start_ = 0;
  Row start_behind_match_ = 0;  ///< as start_, reached over the '\n' of a line that matches
  Row first_matching_ = 0;
};

}  // namespace presso::scan_detail

// SPDX-License-Identifier: MIT
// The NFA engine: steps the set of a program's live instructions, in order of preference, each with
// its captures (Pike's construction). Slow (tens of MB/s), but linear in text x pattern, complete,
// and exact in every look: it answers where the automata decline, and finds captures.
// Sources: L14. One thread's. Tested by tests/unit/scan/regex/regex_engines_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/bytes.h"
#include "presso/lines.h"
#include "scan/automaton/program.h"

namespace presso::scan_detail {

/// Whether `look` holds before text[at].
bool look_holds(Look look, Bytes text, std::size_t at);

class PikeEngine {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  explicit PikeEngine(const Program& program);

  /// The preferred match that begins leftmost in [from, to], or at `from` where anchored, and ends
  /// there; looks see all of `text`. No match begins after a final '\n'.
  std::optional<MatchSpan> find(Bytes text, std::size_t from, std::size_t to,
                                bool anchored = false);
  /// The slots of the last match that was found, for a program with captures.
  const std::vector<std::size_t>& slots() const { return best_; }
  /// The number of the pattern that it is of.
  std::uint32_t pattern() const { return pattern_; }

 private:
  /// Live instructions in order of preference.
  struct Threads {
    std::vector<InstId> order;
    std::vector<std::uint64_t> mark;  ///< by instruction: the generation that reached it
    std::vector<std::size_t> slots;   ///< slots_ a place in `order`
    std::uint64_t generation = 0;

    void clear() {
      order.clear();
      ++generation;
    }
  };
  struct Frame {
    InstId id = 0;
    bool restore = false;
    std::uint32_t slot = 0;
    std::size_t value = 0;
  };

  void add(Threads& threads, InstId start, Bytes text, std::size_t at);
  void follow(Threads& threads, InstId id, Bytes text, std::size_t at);
  void step(Bytes text, std::size_t at, bool may_read);

  const Program& program_;
  std::size_t slots_;
  Threads now_;
  Threads then_;
  std::vector<Frame> stack_;
  std::vector<std::size_t> current_;
  std::vector<std::size_t> best_;
  std::uint32_t pattern_ = 0;
};

}  // namespace presso::scan_detail

// SPDX-License-Identifier: MIT
// The NFA engine: it steps the set of a program's live instructions in order of preference, each
// with its captures (Pike's construction; the Pike VM). It is slow (tens of MB/s), but linear in
// text x pattern, complete, and exact in every look. It answers where the automata decline, and it
// is the only engine that finds captures. Sources: L14. Each thread has its own. Tested by
// tests/unit/scan/regex/regex_engines_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/bytes.h"
#include "presso/lines.h"
#include "scan/automaton/program.h"

namespace presso::scan_detail {

/// Whether `look` holds before text[at]. Words are Unicode's for the looks without "Ascii" in their
/// name.
bool look_holds(Look look, Bytes text, std::size_t at);

/// Searches with one program, which must outlive it. Memory: a few words for each instruction,
/// times its slots.
class PikeEngine {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  /// What a text is: lines, or one string, in which '\n' is a byte like any other.
  enum class Texts { kLines, kString };

  /// `program` is kept by reference. Memory grows with its instructions times its groups.
  explicit PikeEngine(const Program& program, Texts texts = Texts::kLines);

  /// Finds the preferred match that begins leftmost in [from, to], or at `from` if anchored, and
  /// that ends at `to` or before; looks see all of `text`. In lines no match begins after a final
  /// '\n'.
  std::optional<MatchSpan> find(Bytes text, std::size_t from, std::size_t to,
                                bool anchored = false);
  /// The slots of the last match that was found, for a program with captures.
  const std::vector<std::size_t>& slots() const { return best_; }
  /// The number of the pattern that the last match is of.
  std::uint32_t pattern() const { return pattern_; }

 private:
  /// The live instructions in order of preference, each with the captures of its best way there.
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
  /// A step of following instructions that do not read: an instruction to visit, or a slot to
  /// restore once all that follows a kSave has been visited.
  struct Frame {
    InstId id = 0;
    bool restore = false;
    std::uint32_t slot = 0;
    std::size_t value = 0;
  };

  /// Adds the threads that `start` leads to without reading, in the order of preference, by a stack
  /// in place of recursion.
  void add(Threads& threads, InstId start, Bytes text, std::size_t at);
  /// One step of that: what the instruction leads to without reading, or itself if it reads.
  void follow(Threads& threads, InstId id, Bytes text, std::size_t at);
  bool holds(Look look, Bytes text, std::size_t at) const;
  /// Moves all threads over the byte at `at`, and takes the best match; threads after a matching
  /// one are cut off.
  void step(Bytes text, std::size_t at, bool may_read);

  const Program& program_;
  Texts texts_;
  std::size_t slots_;
  Threads now_;
  Threads then_;
  std::vector<Frame> stack_;
  std::vector<std::size_t> current_;
  std::vector<std::size_t> best_;
  std::uint32_t pattern_ = 0;
};

}  // namespace presso::scan_detail

// SPDX-License-Identifier: MIT
// Finds where matches across lines may be. A match holds strings that are looked for; as far as the
// pattern limits the bytes or line feeds of a match, a window around such a string holds every
// match that holds the string, and the automaton reads windows only. Which of the pattern's strings
// is rarest is found out from samples of the text at hand; the next rarest rules out windows
// without it.
//
// If the pattern does not limit what follows the string, a window goes on to the end of the text;
// if it does not limit what comes before, the window begins where the search does. If windows would
// be read again and again (strings in almost every line), one window covers all the rest, so the
// cost is at most about twice that of reading everything. With windows `"user[^\n]*\n\{"[^\n]*zz`
// takes 0.054 s in winlog, without 0.253 (scan/NOTES.md). Tested by
// tests/unit/scan/text/scan_multiline_test.cpp against automata without it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "scan/matching/matcher.h"
#include "scan/regex/prefilter.h"

namespace presso::scan_detail {

/// Finds the windows of one text after another, for one thread. Refers to its plan.
class SpanningWindows {
 public:
  /// No match that begins where the window was asked for, or later, begins before `begin`; one
  /// that begins at or before `last` ends at or before `end`.
  struct Window {
    std::size_t begin = 0;
    std::size_t last = 0;
    std::size_t end = 0;
    std::size_t next = 0;  ///< where to ask again when the window holds no match at all
  };

  /// `plan` is kept by reference.
  SpanningWindows(const SpanningPlan& plan, CpuLevel level);

  void start(Bytes text);
  /// The next window for matches that begin at `from` or later, or nullopt if there are none.
  /// `from` may decrease, which begins the search for strings anew.
  std::optional<Window> next(std::size_t from);
  /// Returns false if the window holds no match, as the second set of strings tells.
  bool may_match(const Window& window);
  /// Reports how many bytes the search advanced over, and how many it read for that.
  void note(std::size_t passed, std::size_t read);

 private:
  static constexpr std::size_t kSampleBytes = std::size_t{16} << 10;
  static constexpr std::size_t kSamples = 8;
  static constexpr std::size_t kNobody = ~std::size_t{0};

  /// How many candidates the strings have in a few samples of the text.
  std::size_t candidates_in_samples(Searcher& strings) const;
  /// Picks the set with the fewest candidates to lead, and the next to confirm.
  void choose_leader();
  /// The next place, from `from` on, where a string of the leading set stands.
  std::optional<std::size_t> candidate_from(std::size_t from);
  /// The window around a candidate: as far before as a match may reach, up to whole lines.
  Window around(std::size_t from, std::size_t candidate);
  /// Finds the borders of the line that holds `at`, if they are not known.
  void know_line(std::size_t at);

  const SpanningPlan& plan_;
  std::vector<std::unique_ptr<Searcher>> strings_;  ///< as in the plan
  Bytes text_;
  std::size_t leader_ = kNobody;
  std::size_t second_ = kNobody;
  std::optional<std::size_t> candidate_;  ///< the first at asked_from_ or later
  std::size_t asked_from_ = 0;
  bool asked_ = false;
  std::size_t line_from_ = 0, line_end_ = 0;  ///< a candidate's place, and the end of its line
  std::size_t window_end_ = 0;                ///< where windows of that line may end
  std::size_t passed_ = 0;
  std::size_t read_ = 0;
};

}  // namespace presso::scan_detail

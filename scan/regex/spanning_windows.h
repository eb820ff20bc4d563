// SPDX-License-Identifier: MIT
// Where matches across lines may be. A match holds strings that are looked for; as far as the
// pattern limits its bytes or its line feeds, a window around such a string holds every match that
// holds it, and the automaton reads windows only. Which of the pattern's strings is rarest in the
// text at hand, samples of it say; the next one rules out windows without it.
//
// Where the pattern does not limit what follows the string, a window goes on to the text's end;
// where it does not limit what comes before, it begins where the search does. Where windows would
// be read again and again (strings in almost every line), one window is all the rest. Tested by
// tests/unit/scan/text/scan_multiline_test.cpp against automata without it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "scan/matching/matcher.h"
#include "scan/regex/prefilter.h"

namespace presso::scan_detail {

/// One thread's, in one text after another.
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

  SpanningWindows(const SpanningPlan& plan, CpuLevel level);

  void start(Bytes text);
  /// A window for the matches that begin at `from` or later; nullopt: there are none. `from` may
  /// decrease.
  std::optional<Window> next(std::size_t from);
  /// False where the window holds no match.
  bool may_match(const Window& window);
  /// Reports how many bytes the search came past, and how many it read for that.
  void note(std::size_t passed, std::size_t read);

 private:
  static constexpr std::size_t kSampleBytes = std::size_t{16} << 10;
  static constexpr std::size_t kSamples = 8;
  static constexpr std::size_t kNobody = ~std::size_t{0};

  std::size_t candidates_in_samples(Searcher& strings) const;
  void choose_leader();
  std::optional<std::size_t> candidate_from(std::size_t from);
  Window around(std::size_t from, std::size_t candidate);
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

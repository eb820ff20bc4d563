// SPDX-License-Identifier: MIT
// Where a match may be: what of a pattern a vector kernel can look for, so that the automaton reads
// the lines around candidates only. Either strings of which every match contains one, found by the
// literal engine, or two bytes or sets of bytes at fixed distances from a match's begin. Chosen by
// how often text from logs, prose, mark-up and tables would pass. Tested by
// tests/unit/regex_prefilter_test.cpp.
#pragma once

#include <memory>
#include <optional>

#include "scan/kernels.h"
#include "scan/matcher.h"
#include "scan/regex/required.h"

namespace presso::scan_detail {

/// Immutable.
struct PrefilterPlan {
  /// At most one of the three.
  std::shared_ptr<const Matcher> literals;
  std::optional<PairProbe> pair;
  std::optional<SequenceProbe> sequence;
  /// No match begins before its candidate in the candidate's line; otherwise the candidate is
  /// somewhere in the match.
  bool begins_match = false;

  bool exists() const { return literals != nullptr || pair || sequence; }
};

/// None where candidates would be too many.
PrefilterPlan plan_prefilter(const PatternLiterals& literals, const Program& program);

/// One thread's candidates in one text after another.
class Prefilter {
 public:
  Prefilter(const PrefilterPlan& plan, CpuLevel level);

  void start(Bytes text);
  /// The first candidate at or behind `from`, which never decreases; text.size(): none.
  std::size_t next(std::size_t from);

 private:
  std::size_t next_place(std::size_t from);
  std::size_t sweep(std::size_t from);

  const PrefilterPlan& plan_;
  const Kernels& kernels_;
  std::unique_ptr<Searcher> literals_;
  Bytes text_;
  std::size_t limit_ = 0;
  std::size_t swept_ = 0;
  std::size_t taken_ = 0;
  CandidateBatch batch_;
};

}  // namespace presso::scan_detail

// SPDX-License-Identifier: MIT
// Where a match may be: a part of the pattern that a vector kernel can look for, so that the
// automaton reads only the lines around candidates. Either strings of which every match contains
// one, found by the literal engine, or two bytes or sets of bytes at fixed distances from the start
// of a match. Chosen by how often text from logs, prose, mark-up and tables would pass.
//
// Where every match contains a string of one set and one of another (`(error|fail).*(user|name)`),
// one of them leads: its strings are looked for, and the line is asked for the other's. Which one
// is rarer, the text says: each leads for a while, then the one with fewer candidates.
// Tested by tests/unit/scan/regex/regex_prefilter_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "scan/bytes/kernels.h"
#include "scan/matching/matcher.h"
#include "scan/regex/required.h"

namespace presso::scan_detail {

/// Immutable.
struct PrefilterPlan {
  struct Literals {
    std::shared_ptr<const Matcher> matcher;
    /// No match begins before the candidate in its line; otherwise the candidate is somewhere in
    /// the match.
    bool begin_match = false;
  };
  /// At most one of these three is set. One or two sets of literals, by the table the rarer first.
  std::vector<Literals> literals;
  std::optional<PairProbe> pair;          ///< begins matches
  std::optional<SequenceProbe> sequence;  ///< likewise

  bool exists() const { return !literals.empty() || pair || sequence; }
};

/// Candidates a byte that a search for the clause's strings has in text from logs, prose, mark-up
/// and tables: how often bytes agree with the two rarest of a string.
double expected_candidates(const RequiredLiterals::Clause& clause);
/// More candidates a byte than this cost more than an automaton that reads everything.
constexpr double kMostCandidates = 1.0 / 128;

/// None where candidates would be too many.
PrefilterPlan plan_prefilter(const PatternLiterals& literals, const Program& program);

/// For matches across lines: strings of which every match holds one, all sets of them that may be
/// rare enough. Immutable.
struct SpanningPlan {
  struct Strings {
    std::shared_ptr<const Matcher> matcher;
    Extent before;  ///< what a match has before them
  };
  std::vector<Strings> strings;  ///< the rarer ones by the table first
  Extent whole;                  ///< of a match
};
SpanningPlan plan_spanning(const PatternLiterals& literals);

/// One thread's candidates in one text after another.
class Prefilter {
 public:
  Prefilter(const PrefilterPlan& plan, CpuLevel level);

  void start(Bytes text);
  /// The first candidate at `from` or later; text.size(): none. `from` never decreases.
  std::size_t next(std::size_t from);
  /// Whether no match begins before the candidate in its line, with this text.
  bool begins_match() const { return literals_.empty() || plan_.literals[leader_].begin_match; }
  /// False where [begin, end), which holds a candidate, cannot hold a match. Several parts of one
  /// line, each with the line's end and in order, cost as much as the line.
  bool may_match(std::size_t begin, std::size_t end);
  /// Whether it will not be better than it is.
  bool is_settled() const { return literals_.size() < 2 || trials_ == literals_.size(); }

 private:
  /// Bytes that are searched before another set of strings leads.
  static constexpr std::size_t kTrialBytes = std::size_t{128} << 10;

  struct Trial {
    std::size_t bytes = 0;
    std::size_t candidates = 0;
    double rate() const { return static_cast<double>(candidates) / static_cast<double>(bytes); }
  };
  void choose_leader();
  std::size_t next_place(std::size_t from);
  std::size_t sweep(std::size_t from);

  const PrefilterPlan& plan_;
  const Kernels& kernels_;
  std::vector<std::unique_ptr<Searcher>> literals_;  ///< as in the plan
  std::size_t leader_ = 0;
  std::size_t trials_ = 0;  ///< that are over
  std::vector<Trial> trial_;
  // The part of a line in which the strings that do not lead were last looked for.
  std::size_t other_begin_ = 0;
  std::size_t other_end_ = 0;  ///< 0: none yet
  std::size_t other_at_ = 0;   ///< the first of them from the last question on, or other_end_
  Bytes text_;
  std::size_t limit_ = 0;
  std::size_t swept_ = 0;
  std::size_t taken_ = 0;
  CandidateBatch batch_;
};

}  // namespace presso::scan_detail

// SPDX-License-Identifier: MIT
// Finds where a match may be: a part of the pattern that a vector kernel can look for, so that the
// automaton reads only the lines around candidates. This is either a set of strings of which every
// match contains one, found by the literal engine, or two bytes or sets of bytes at fixed distances
// from the start of a match. The choice goes by how often text from logs, prose, mark-up and tables
// would pass. Patterns for which nothing is rare enough get no prefilter.
//
// If every match contains a string of one set and one of another (`(error|fail).*(user|name)`), one
// set leads: its strings are looked for, and the line is then asked for the other's. Which one is
// rarer depends on the text: each leads for at least 128 KiB, and then the one with fewer
// candidates stays. Tested by tests/unit/scan/regex/regex_prefilter_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "scan/bytes/kernels.h"
#include "scan/matching/matcher.h"
#include "scan/regex/required.h"

namespace presso::scan_detail {

/// The strings or bytes to look for. Immutable, shared by all threads.
struct PrefilterPlan {
  struct Literals {
    std::shared_ptr<const Matcher> matcher;
    /// No match begins before the candidate in its line; otherwise the candidate is somewhere in
    /// the match.
    bool begin_match = false;
  };
  /// At most one of these three is set. One or two sets of literals, first the one that is rarer by
  /// the table of byte frequencies (scan/bytes/byte_frequency.h).
  std::vector<Literals> literals;
  std::optional<PairProbe> pair;          ///< begins matches
  std::optional<SequenceProbe> sequence;  ///< begins matches, too

  /// False for the empty plan, with which all text is read.
  bool exists() const { return !literals.empty() || pair || sequence; }
};

/// How many candidates a byte of ordinary text has for the clause's strings, estimated from how
/// often bytes agree with the two rarest bytes of each string.
double expected_candidates(const RequiredLiterals::Clause& clause);
/// More candidates a byte than this cost more than an automaton that reads everything.
constexpr double kMostCandidates = 1.0 / 128;

/// Chooses the prefilter of a pattern, or none if there would be too many candidates.
PrefilterPlan plan_prefilter(const PatternLiterals& literals, const Program& program);

/// For matches across lines: all sets of strings of which every match holds one and that may be
/// rare enough. Immutable; used by spanning_windows.h.
struct SpanningPlan {
  struct Strings {
    std::shared_ptr<const Matcher> matcher;
    Extent before;  ///< what a match has before them
  };
  std::vector<Strings> strings;  ///< the rarer ones, by the table of byte frequencies, first
  Extent whole;                  ///< how much text a match can take
};
/// Chooses these sets, at most six, the rarest first.
SpanningPlan plan_spanning(const PatternLiterals& literals);

/// Finds one thread's candidates in one text after another. Refers to its plan.
class Prefilter {
 public:
  /// `plan` is kept by reference. `level`: the CPU's, for the kernels.
  Prefilter(const PrefilterPlan& plan, CpuLevel level);

  void start(Bytes text);
  /// The first candidate at `from` or later; text.size(): none. `from` never decreases.
  std::size_t next(std::size_t from);
  /// Whether no match begins before the candidate in its line, with this text.
  bool begins_match() const { return literals_.empty() || plan_.literals[leader_].begin_match; }
  /// Returns false if [begin, end), which holds a candidate, cannot hold a match. When several
  /// parts of one line are asked about, each up to the line's end and in order, together they cost
  /// as much as the line once.
  bool may_match(std::size_t begin, std::size_t end);
  /// Whether trials are over, so that its rate of candidates can be judged.
  bool is_settled() const { return literals_.size() < 2 || trials_ == literals_.size(); }

 private:
  /// How many bytes are searched, at least, before the other set of strings leads.
  static constexpr std::size_t kTrialBytes = std::size_t{128} << 10;

  /// How one of two sets of strings has done so far.
  struct Trial {
    std::size_t bytes = 0;
    std::size_t candidates = 0;
    double rate() const { return static_cast<double>(candidates) / static_cast<double>(bytes); }
  };
  /// Settles on the better set once both have led for long enough.
  void choose_leader();
  /// The next place where the byte pair or the row of sets agrees.
  std::size_t next_place(std::size_t from);
  /// Gathers a batch of such places with a kernel; returns how far it has read.
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

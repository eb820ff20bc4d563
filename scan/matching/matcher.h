// SPDX-License-Identifier: MIT
// The interface of a search engine to the rest of scan: something that finds the next match in a
// text of whole lines. The engines for literals (scan/literal) and regular expressions (scan/regex)
// implement it, and line_filter.h wraps one. Lines, chunks, threads and output are the business of
// other files. The tests of the engines cover it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "presso/bytes.h"
#include "presso/cpu.h"
#include "presso/lines.h"
#include "scan/automaton/dfa.h"
#include "scan/matching/required_literals.h"

namespace presso::scan_detail {

/// One thread's search through one text after another. Not thread-safe; scratch is kept between
/// texts.
class Searcher {
 public:
  virtual ~Searcher() = default;

  /// `text`: whole lines, the last one with or without its '\n'. Kept by reference until the next
  /// start(). Nothing outside it is read.
  virtual void start(Bytes text) = 0;
  /// The leftmost match that begins at `from` or later; among several that begin there the one
  /// whose pattern was given first. `from` never decreases between two start(). A match never
  /// contains '\n'; an empty one may stand just before it, and at the end of an unfinished last
  /// line.
  virtual std::optional<MatchSpan> next(std::size_t from) = 0;
  /// How many lines of the text that was given to start() hold a match; nullopt where next() is as
  /// good a way to count them.
  virtual std::optional<std::size_t> count_lines() { return std::nullopt; }
};

/// One thread's search for the groups of matches that are known.
class GroupFinder {
 public:
  virtual ~GroupFinder() = default;
  /// The number of the group called `name`; nullopt where there is none.
  virtual std::optional<std::size_t> number_of(std::string_view name) const = 0;
  /// Where the groups of `match` are, by number; nullopt for one that took no part. `line`: all of
  /// the match's line, as it is reported. Valid until the next call.
  virtual std::span<const std::optional<MatchSpan>> groups(Bytes line, const MatchSpan& match) = 0;
};

/// Tells, for one thread, which of several patterns a known match belongs to.
class PatternFinder {
 public:
  virtual ~PatternFinder() = default;
  /// The pattern's number, in the order in which patterns were given. `line`: all of the match's
  /// line.
  virtual std::uint32_t pattern_of(Bytes line, const MatchSpan& match) = 0;
};

/// An automaton over lines, for GPUs, which search regular expressions only so (scan/gpu).
struct LineAutomaton {
  LineDfa dfa;
  /// Whether all lines that it accepts hold a match. If false, they only may; all other lines do
  /// not hold one in either case.
  bool exact = true;
};

/// A compiled pattern. Immutable and thread-safe.
class Matcher {
 public:
  virtual ~Matcher() = default;
  /// A searcher refers to its matcher and must not outlive it.
  virtual std::unique_ptr<Searcher> searcher(CpuLevel level) const = 0;
  /// A finder of groups; nullptr if there are no groups besides the match itself. Refers to its
  /// matcher.
  virtual std::unique_ptr<GroupFinder> group_finder() const { return nullptr; }
  /// How many patterns it was made of.
  virtual std::size_t pattern_count() const { return 1; }
  /// Tells patterns apart; nullptr if there is only one pattern. Refers to its matcher.
  virtual std::unique_ptr<PatternFinder> pattern_finder() const { return nullptr; }
  /// What each match contains, so that an index may leave blocks out (block_index.h). Empty with
  /// null_data(): an index knows line feeds only, not other line ends.
  virtual RequiredLiterals required() const { return {}; }
  /// Whether lines end at NUL bytes (PatternOptions::null_data). Texts then come with NUL and '\n'
  /// exchanged (null_data.h).
  virtual bool null_data() const { return false; }
  /// Whether "\r\n" ends a line, too (PatternOptions::crlf). A searcher's match may then end after
  /// the '\r', which `$` reads; cut_at_return() takes it off.
  virtual bool crlf() const { return false; }
  /// Whether matches may hold '\n' (PatternOptions::multiline). If so, only multiline_search.h
  /// searches with it.
  virtual bool spans_lines() const { return false; }
  /// nullopt where there is none, or none of at most `max_states`. May take seconds.
  virtual std::optional<LineAutomaton> line_automaton(std::size_t max_states) const {
    static_cast<void>(max_states);
    return std::nullopt;
  }
  /// The automaton that tells of single lines whether they match, made on the first call and kept;
  /// nullptr where there is none that is small.
  virtual const LineDfa* small_line_automaton() const { return nullptr; }
  /// Strings by which lines are found that may match; nullopt where there are none.
  virtual std::optional<LineLiterals> line_literals() const { return line_literals_of(required()); }
  /// How it searches, in a few words for people.
  virtual std::string describe() const { return "an engine of its own"; }
};

}  // namespace presso::scan_detail

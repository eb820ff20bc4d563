// SPDX-License-Identifier: MIT
// The engine for fixed strings. A probe sweeps the text and collects places where a string may
// begin, in batches (literal_plan.h, scan/bytes/kernels.h); the literal set then decides which of
// them are matches (literal_set.h). Cost: the sweep, 10 to 40 GB/s for one string on AVX2 and
// AVX-512, plus some 10 ns for each candidate. Declines nothing. Tested by
// tests/unit/scan/literal/scan_literal_test.cpp on every CPU level against a plain search.
#include <algorithm>
#include <unordered_map>

#include "format/block_filter.h"
#include "format/cpu_loops.h"
#include "presso/pattern.h"
#include "scan/automaton/line_dfa.h"
#include "scan/bytes/kernels.h"
#include "scan/literal/literal_matcher.h"
#include "scan/literal/literal_plan.h"
#include "scan/literal/literal_set.h"
#include "scan/literal/literal_spellings.h"
#include "scan/literal/literal_units.h"
#include "scan/matching/line_scan.h"
#include "scan/syntax/tree.h"
#include "scan/unicode/unicode.h"

namespace presso::scan_detail {
namespace {

class LiteralMatcher;

/// One thread's search. It keeps a batch of candidates between calls of next(), so that matches
/// close to each other are found in one sweep.
class LiteralSearcher final : public Searcher {
 public:
  LiteralSearcher(const LiteralPlan& plan, const LiteralSet& literals, CpuLevel level)
      : plan_(plan), literals_(literals), kernels_(loops_for<Kernels>(level)) {}

  void start(Bytes text) override;
  std::optional<MatchSpan> next(std::size_t from) override;
  std::optional<std::size_t> count_lines() override;

 private:
  std::optional<MatchSpan> next_everywhere(std::size_t from) const;
  bool refill(std::size_t from);
  void sweep_hashes(const HashProbe& probe);
  std::optional<std::size_t> match_begin(std::size_t candidate) const;

  static constexpr std::size_t kSmallestWindow = 64;

  const LiteralPlan& plan_;
  const LiteralSet& literals_;
  const Kernels& kernels_;
  Bytes text_;
  std::size_t swept_ = 0;  ///< candidates below are in the batch or were
  std::size_t limit_ = 0;  ///< no candidates from here on
  std::size_t taken_ = 0;  ///< of the batch
  std::size_t window_ = kSmallestWindow;
  CandidateBatch batch_;
};

/// Takes another text. Scratch memory is kept.
void LiteralSearcher::start(Bytes text) {
  text_ = text;
  swept_ = 0;
  taken_ = 0;
  batch_.count = 0;
  limit_ = text.size() > plan_.reach ? text.size() - plan_.reach : 0;
  if (std::holds_alternative<NothingProbe>(plan_.probe)) limit_ = 0;
}

/// The next match that begins at or after `from`: sweeps for candidates in batches and verifies
/// each against the set of literals.
std::optional<MatchSpan> LiteralSearcher::next(std::size_t from) {
  if (std::holds_alternative<EverywhereProbe>(plan_.probe)) return next_everywhere(from);
  for (;;) {
    while (taken_ < batch_.count) {
      const std::size_t candidate = batch_.at[taken_];
      const std::optional<std::size_t> begin = match_begin(candidate);
      if (!begin || *begin < from) {
        ++taken_;
        continue;
      }
      const std::optional<std::size_t> end = literals_.match_at(text_, *begin, from);
      // A match is not taken off the batch: asked again from the same place, it is found again.
      if (end) return MatchSpan{*begin, *end};
      ++taken_;
    }
    if (!refill(from)) return std::nullopt;
  }
}

/// Goes from line to line: after a match the rest of its line is passed over.
std::optional<std::size_t> LiteralSearcher::count_lines() {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text_.size(); ++lines) {
    const std::optional<MatchSpan> match = next(at);
    if (!match) break;
    at = line_end(text_, match->end);
  }
  return lines;
}

/// The search for sets that contain an empty literal: it may match anywhere, so every place is
/// tried up to the next one where its bounds hold.
std::optional<MatchSpan> LiteralSearcher::next_everywhere(std::size_t from) const {
  for (std::size_t begin = from; begin <= text_.size(); ++begin) {
    const bool behind_last_line = begin == text_.size() && (text_.empty() || text_.back() == '\n');
    if (behind_last_line) break;
    const std::optional<std::size_t> end = literals_.match_at(text_, begin, from);
    if (end) return MatchSpan{begin, *end};
  }
  return std::nullopt;
}

/// Sweeps on until candidates are found or the text ends; returns whether there are any. Candidates
/// before `from` need not be looked for.
bool LiteralSearcher::refill(std::size_t from) {
  swept_ = std::max(swept_, from + plan_.characters_before);
  batch_.count = 0;
  taken_ = 0;
  while (swept_ < limit_ && batch_.count == 0) {
    if (const auto* pair = std::get_if<PairProbe>(&plan_.probe)) {
      swept_ = kernels_.find_pairs(*pair, text_.data(), swept_, limit_, batch_);
    } else if (const auto* nibbles = std::get_if<NibbleProbe>(&plan_.probe)) {
      swept_ = kernels_.find_nibbles(*nibbles, text_.data(), swept_, limit_, batch_);
      keep_hashes(plan_.confirm, text_, batch_);
    } else if (const auto* strides = std::get_if<StrideProbe>(&plan_.probe)) {
      swept_ = find_strided(*strides, text_, swept_, limit_, batch_);
    } else {
      sweep_hashes(std::get<HashProbe>(plan_.probe));
    }
  }
  return batch_.count > 0;
}

/// Sweeps with the hash probe, which is slow and often finds much, of which all except the first in
/// a line may be in vain. Therefore the window is small at first and doubles only while nothing is
/// found.
void LiteralSearcher::sweep_hashes(const HashProbe& probe) {
  const std::size_t limit = std::min(limit_, swept_ + window_);
  swept_ = find_hashes(probe, text_, swept_, limit, batch_);
  window_ =
      batch_.count > 0 ? kSmallestWindow : std::max(kSmallestWindow, std::min(2 * window_, limit_));
}

/// Where the match begins that belongs to a candidate: `characters_before` characters earlier.
/// nullopt where the text before it is too short or not UTF-8.
std::optional<std::size_t> LiteralSearcher::match_begin(std::size_t candidate) const {
  for (std::size_t i = 0; i < plan_.characters_before; ++i) {
    if (candidate == 0) return std::nullopt;
    const Decoded before = decode_last(text_.data(), text_.data() + candidate);
    if (before.bytes == 0) return std::nullopt;
    candidate -= before.bytes;
  }
  return candidate;
}

/// Whether the only variants of a character are itself, or the two cases of an ASCII letter. This
/// is not so for k and s: K is also the Kelvin sign, s also the long s.
bool folds_within_ascii(CodePoint code) {
  const std::vector<CodePoint> variants = case_variants(code);
  return variants.size() == 1 || (variants.size() == 2 && variants.back() < 0x80);
}

/// The longest stretch of a literal that stands in every match up to the case of ASCII letters, in
/// lower case.
std::string ascii_folded_stretch(std::string_view literal) {
  std::string longest;
  std::string stretch;
  const Byte* at = reinterpret_cast<const Byte*>(literal.data());
  const Byte* const end = at + literal.size();
  while (at < end) {
    const Decoded decoded = decode(at, end);
    const std::uint32_t bytes = std::max(decoded.bytes, 1u);
    if (!folds_within_ascii(decoded.code)) {
      stretch.clear();
    } else {
      for (std::uint32_t i = 0; i < bytes; ++i) stretch += static_cast<char>(fold_ascii(at[i]));
    }
    if (stretch.size() > longest.size()) longest = stretch;
    at += bytes;
  }
  return longest;
}

/// The strings that an index of blocks may look for: each match holds one of them. Empty, so that
/// no block is left out, if a literal has no stretch that ASCII folding covers.
RequiredLiterals required_of(const std::vector<std::string>& literals, bool ignore_case) {
  RequiredLiterals::Clause clause;
  clause.ignore_ascii_case = ignore_case;
  for (const std::string& literal : literals) {
    clause.any_of.push_back(ignore_case ? ascii_folded_stretch(literal) : literal);
    if (clause.any_of.back().empty()) return {};
  }
  if (literals.empty()) return {};
  return {{std::move(clause)}};
}

/// Tells which pattern a match is of: the text of a match is one of the literals, up to case, so a
/// hash table of literals answers. Of equal literals the pattern given first counts.
class LiteralPatterns final : public PatternFinder {
 public:
  LiteralPatterns(const std::vector<std::string>& literals,
                  const std::vector<std::uint32_t>& pattern_of, bool ignore_case)
      : ignore_case_(ignore_case) {
    for (std::size_t i = 0; i < literals.size(); ++i) {
      patterns_.try_emplace(ignore_case ? folded(literals[i]) : literals[i], pattern_of[i]);
    }
  }

  /// Which pattern the matched string belongs to. The match's text tells, so nothing is searched.
  std::uint32_t pattern_of(Bytes line, const MatchSpan& match) override {
    std::string text(reinterpret_cast<const char*>(line.data()) + match.begin,
                     match.end - match.begin);
    if (ignore_case_) text = folded(text);
    const auto found = patterns_.find(text);
    return found == patterns_.end() ? 0 : found->second;
  }

 private:
  bool ignore_case_;
  std::unordered_map<std::string, std::uint32_t> patterns_;
};

/// The largest number of strings for which the subset construction is used, which knows case and
/// bounds but takes too long for more.
constexpr std::size_t kFewStrings = 100;

/// The compiled form: the strings, the plan of the probe and the sorted set, shared by all
/// searchers.
class LiteralMatcher final : public Matcher {
 public:
  LiteralMatcher(const std::vector<std::string>& literals, std::vector<std::uint32_t> pattern_of,
                 const PatternOptions& options, MakeGroupFinder groups)
      : strings_(literals),
        pattern_of_(std::move(pattern_of)),
        options_(options),
        groups_(std::move(groups)),
        plan_(plan_literals(literals, options.ignore_case)),
        literals_(literals, options),
        required_(required_of(literals, options.ignore_case)) {}

  /// `level` chooses the kernels. The searcher refers to this matcher.
  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    return std::make_unique<LiteralSearcher>(plan_, literals_, level);
  }

  std::unique_ptr<GroupFinder> group_finder() const override {
    return groups_ ? groups_() : nullptr;
  }
  std::size_t pattern_count() const override {
    return pattern_of_.empty() ? 0 : std::size_t{pattern_of_.back()} + 1;
  }
  std::unique_ptr<PatternFinder> pattern_finder() const override {
    if (pattern_count() < 2) return nullptr;
    return std::make_unique<LiteralPatterns>(strings_, pattern_of_, options_.ignore_case);
  }

  RequiredLiterals required() const override {
    return options_.null_data ? RequiredLiterals() : required_;
  }
  bool null_data() const override { return options_.null_data; }
  bool crlf() const override { return options_.crlf; }
  std::optional<LineLiterals> line_literals() const override {
    std::optional<LineLiterals> all = all_spellings(strings_, options_);
    return all ? std::move(all) : Matcher::line_literals();
  }

  /// For GPUs: the automaton over lines, made minimal for few strings, and straight from the
  /// strings where there are many, which is for exact case and no bounds. Nothing if it has too
  /// many states.
  std::optional<LineAutomaton> line_automaton(std::size_t max_states) const override {
    std::optional<LineDfa> dfa;
    if (strings_.size() <= kFewStrings) {
      dfa = minimal_line_dfa(max_states);
    } else if (!options_.ignore_case && options_.bounds == MatchBounds::kNone) {
      dfa = line_dfa_of_strings(strings_, max_states);
    }
    if (!dfa) return std::nullopt;
    return LineAutomaton{std::move(*dfa)};
  }

  std::string describe() const override {
    constexpr std::string_view kProbes[] = {"nothing can match",
                                            "every place is tried",
                                            "a probe for two rare bytes",
                                            "a probe for sets of three bytes",
                                            "a probe by hashes of four bytes",
                                            "a probe by hashes of some places' four bytes"};
    return "fixed strings: " + std::to_string(strings_.size()) + "; " +
           std::string(kProbes[plan_.probe.index()]);
  }

 private:
  /// The minimal automaton of the strings with case and bounds, by way of the regex compiler.
  std::optional<LineDfa> minimal_line_dfa(std::size_t max_states) const {
    if (strings_.empty()) return std::nullopt;
    const Letters letters = options_.ignore_case ? Letters::kUnicode : Letters::kExact;
    std::vector<Node> nodes;
    for (const std::string& string : strings_) nodes.push_back(literal_node(string, letters));
    Node root = any_of(std::move(nodes));
    spell_out_letters(root);
    const Result<Program> program =
        compile_program(with_bounds(std::move(root), options_.bounds),
                        {.crlf = options_.crlf, .max_bytes = options_.max_bytes});
    if (!program.ok()) return std::nullopt;
    return make_line_dfa(*program, {.states = max_states});
  }

  std::vector<std::string> strings_;
  std::vector<std::uint32_t> pattern_of_;  ///< by literal; ascending
  PatternOptions options_;
  MakeGroupFinder groups_;  ///< empty for patterns without groups
  LiteralPlan plan_;
  LiteralSet literals_;
  RequiredLiterals required_;
};

}  // namespace

/// Errors: kInvalidArgument for a string that could not match within a line, or is not UTF-8 where
/// case is ignored.
Status check_literal(const std::string& literal, const PatternOptions& options) {
  const char line_end = options.null_data ? '\0' : '\n';
  if (!options.multiline && literal.find(line_end) != std::string::npos) {
    return make_error(ErrorCode::kInvalidArgument,
                      options.null_data ? "a fixed string may not contain a NUL byte"
                                        : "a fixed string may not contain a line feed");
  }
  if (options.ignore_case && valid_utf8_prefix(literal) != literal.size()) {
    return make_error(ErrorCode::kInvalidArgument, "a case-insensitive pattern must be UTF-8");
  }
  return {};
}

/// Makes a matcher for strings. `pattern_of`: which pattern each belongs to.
Result<std::shared_ptr<const Matcher>> make_literal_matcher(std::vector<std::string> literals,
                                                            std::vector<std::uint32_t> pattern_of,
                                                            const PatternOptions& options,
                                                            MakeGroupFinder groups) {
  for (std::string& literal : literals) {
    PRESSO_TRY(check_literal(literal, options));
    // The text comes with both bytes exchanged (scan/matching/null_data.h).
    if (options.null_data) std::replace(literal.begin(), literal.end(), '\n', '\0');
  }
  return std::shared_ptr<const Matcher>(std::make_shared<LiteralMatcher>(
      literals, std::move(pattern_of), options, std::move(groups)));
}

}  // namespace presso::scan_detail

// SPDX-License-Identifier: MIT
// RegexMatcher, and the finders of groups and of patterns for known matches, which run the NFA
// engine over one match.
#include "scan/regex/regex_matcher.h"

#include <algorithm>
#include <map>
#include <utility>

#include "scan/automaton/line_dfa.h"
#include "scan/matching/null_data.h"
#include "scan/regex/pike.h"
#include "scan/regex/regex_automata.h"
#include "scan/regex/regex_searcher.h"

namespace presso::scan_detail {
namespace {

/// Collects the names of groups and the largest number of a group.
void gather_names(const Node& node, std::map<std::string, std::size_t, std::less<>>& names,
                  std::size_t& groups) {
  if (node.kind == Node::Kind::kGroup) {
    groups = std::max<std::size_t>(groups, node.capture);
    if (!node.name.empty()) names.emplace(node.name, node.capture);
  }
  for (const Node& child : node.children) gather_names(child, names, groups);
}

/// How far the search for the groups of a known match may have to read: with `crlf`, a '\r' after
/// the match may have been read by `$` and then cut off (cut_at_return()).
std::size_t read_end(Bytes line, const MatchSpan& match, bool crlf) {
  const bool cut = crlf && match.end < line.size() && line[match.end] == '\r';
  return match.end + (cut ? 1 : 0);
}

/// The most bytes beside a place that looks read.
constexpr std::size_t kLongestCharacter = 4;

/// Finds groups with the NFA engine, run from where the match is known to begin. It costs time in
/// the length of the match, however long the line is.
class RegexGroups final : public GroupFinder {
 public:
  /// With options.null_data the pattern's NUL bytes and line feeds are exchanged
  /// (scan/matching/null_data.h); those of reported lines are not.
  RegexGroups(const Node& root, Program program, const PatternOptions& options)
      : program_(std::move(program)),
        engine_(program_),
        null_data_(options.null_data),
        crlf_(options.crlf) {
    std::size_t groups = 0;
    gather_names(root, names_, groups);
    found_.resize(groups + 1);
  }

  std::optional<std::size_t> number_of(std::string_view name) const override {
    const auto found = names_.find(name);
    if (found == names_.end()) return std::nullopt;
    return found->second;
  }

  /// Runs the NFA over the match alone, anchored, to learn where its groups are. A group that has
  /// not taken part is nullopt. With `null_data` a copy of the line is searched, in which NUL and
  /// '\n' have changed places.
  std::span<const std::optional<MatchSpan>> groups(Bytes line, const MatchSpan& match) override {
    std::fill(found_.begin(), found_.end(), std::nullopt);
    const std::size_t left_out = null_data_ ? exchange_around(line, match) : 0;
    const Bytes text = null_data_ ? Bytes(exchanged_) : line;
    const std::size_t end = read_end(line, match, crlf_) - left_out;
    if (!engine_.find(text, match.begin - left_out, end, true)) return found_;
    const std::vector<std::size_t>& slots = engine_.slots();
    for (std::size_t i = 0; i < found_.size() && 2 * i + 1 < slots.size(); ++i) {
      if (slots[2 * i + 1] == PikeEngine::kNowhere) continue;
      found_[i] = MatchSpan{std::min(slots[2 * i] + left_out, match.end),
                            std::min(slots[2 * i + 1] + left_out, match.end)};
    }
    return found_;
  }

 private:
  /// Fills `exchanged_` with the match and the characters beside it; returns where that begins in
  /// the line.
  std::size_t exchange_around(Bytes line, const MatchSpan& match) {
    const std::size_t begin = match.begin - std::min(match.begin, kLongestCharacter);
    const std::size_t end = std::min(match.end + kLongestCharacter, line.size());
    const Bytes around = line.subspan(begin, end - begin);
    exchanged_.assign(around.begin(), around.end());
    exchange_nul_and_line_feed(exchanged_);
    return begin;
  }

  const Program program_;
  PikeEngine engine_;
  const bool null_data_;
  const bool crlf_;
  std::vector<Byte> exchanged_;
  std::map<std::string, std::size_t, std::less<>> names_;
  std::vector<std::optional<MatchSpan>> found_;
};

/// Each pattern as a tree of its own, within the looks that stand around all of them.
std::vector<Node> separate(const Node& root) {
  if (root.kind == Node::Kind::kAlternate) return root.children;
  std::vector<Node> patterns;
  for (const Node& child : root.children[1].children) {
    Node pattern;
    pattern.kind = Node::Kind::kConcat;
    pattern.children = {root.children[0], child, root.children[2]};
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

/// Tells which pattern a known match is of, by running the NFA engine over its text.
class RegexPatterns final : public PatternFinder {
 public:
  RegexPatterns(Program program, bool crlf)
      : program_(std::move(program)), engine_(program_), crlf_(crlf) {}

  /// Which pattern has matched, 0 where that is not known. The NFA runs over the match alone.
  std::uint32_t pattern_of(Bytes line, const MatchSpan& match) override {
    const std::size_t end = read_end(line, match, crlf_);
    return engine_.find(line, match.begin, end, true) ? engine_.pattern() : 0;
  }

 private:
  const Program program_;
  PikeEngine engine_;
  const bool crlf_;
};

/// The compiled form; its automata are shared by all searchers.
class RegexMatcher final : public Matcher {
 public:
  RegexMatcher(Node root, std::size_t patterns, const PatternOptions& options, Program forward,
               bool spans_lines)
      : automata_(std::move(root), options, std::move(forward), spans_lines), patterns_(patterns) {}

  /// The error of a pattern that is too large for the engine that was asked for, if it is.
  Status check() const {
    if (automata_.engine() != Engine::kBitset) return {};
    if (automata_.spans_lines()) {
      return make_error(ErrorCode::kInvalidArgument,
                        "the bitset engine searches within lines, not across them");
    }
    if (automata_.bits() == nullptr) return automata_.bits_error();
    return {};
  }

  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    return make_regex_searcher(automata_, level);
  }
  std::unique_ptr<GroupFinder> group_finder() const override {
    return make_group_finder(automata_.root(), automata_.options());
  }
  std::size_t pattern_count() const override { return patterns_; }
  /// Only for several patterns; nullptr where the program with a match for each would be too large.
  std::unique_ptr<PatternFinder> pattern_finder() const override {
    if (patterns_ < 2) return nullptr;
    Result<Program> program = automata_.of_each(separate(automata_.root()));
    if (!program.ok()) return nullptr;
    return std::make_unique<RegexPatterns>(std::move(*program), crlf());
  }
  RequiredLiterals required() const override {
    return null_data() ? RequiredLiterals() : automata_.required();
  }
  bool null_data() const override { return automata_.null_data(); }
  bool crlf() const override { return automata_.options().crlf; }
  bool spans_lines() const override { return automata_.spans_lines(); }
  /// For GPUs and counting: a complete automaton over lines, or nothing if it has more states.
  std::optional<LineAutomaton> line_automaton(std::size_t max_states) const override {
    if (automata_.spans_lines()) return std::nullopt;
    std::optional<LineDfa> dfa = make_line_dfa(automata_.forward(), {.states = max_states});
    if (!dfa) return std::nullopt;
    return LineAutomaton{std::move(*dfa)};
  }
  const LineDfa* small_line_automaton() const override { return automata_.small_line_dfa(); }
  std::string describe() const override { return automata_.describe(); }

 private:
  RegexAutomata automata_;
  std::size_t patterns_;
};

}  // namespace

/// Compiles the pattern's program. Errors: kInvalidArgument where it takes more than max_bytes, or
/// the engine that was asked for cannot take it.
Result<std::shared_ptr<const Matcher>> make_regex_matcher(Node root, std::size_t patterns,
                                                          const PatternOptions& options,
                                                          bool spans_lines) {
  ProgramOptions forward;
  forward.crlf = options.crlf;
  forward.max_bytes = options.max_bytes;
  PRESSO_ASSIGN(Program program, compile_program(root, forward));
  auto matcher = std::make_shared<RegexMatcher>(std::move(root), patterns, options,
                                                std::move(program), spans_lines);
  PRESSO_TRY(matcher->check());
  return std::shared_ptr<const Matcher>(std::move(matcher));
}

/// nullptr where the program with captures cannot be compiled; its size has no limit here.
std::unique_ptr<GroupFinder> make_group_finder(const Node& root, const PatternOptions& options) {
  const ProgramOptions captures{
      .captures = true, .crlf = options.crlf, .max_bytes = ~std::size_t{0}};
  Result<Program> program = compile_program(root, captures);
  if (!program.ok()) return nullptr;
  return std::make_unique<RegexGroups>(root, std::move(*program), options);
}

}  // namespace presso::scan_detail

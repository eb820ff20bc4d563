// SPDX-License-Identifier: MIT
// Pattern's public functions: from what users write to an engine. Each pattern is parsed into a
// tree. If all trees are choices of fixed strings, also where they were written as regular
// expressions, they go to the literal engine, which is the fastest; everything else goes to the
// regex engine, as one alternation. Errors carry the number of the bad pattern in Error::block and
// the place in it. Tested by tests/unit/scan/regex and tests/unit/scan/literal.
#include "presso/pattern.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "scan/literal/literal_matcher.h"
#include "scan/pattern/condition_matcher.h"
#include "scan/pattern/line_filter.h"
#include "scan/pattern/pattern_access.h"
#include "scan/regex/regex_matcher.h"
#include "scan/syntax/code_set.h"
#include "scan/syntax/parser.h"

namespace presso {
namespace scan_detail {
namespace {

/// The parser's view of the options. A pattern may name a line feed only if matches may hold one.
SyntaxOptions syntax_of(const PatternOptions& options) {
  SyntaxOptions syntax;
  syntax.ignore_case = options.ignore_case;
  syntax.dot_matches_line = options.dot_matches_line;
  syntax.unicode = options.unicode;
  syntax.crlf = options.crlf;
  syntax.line_terminated = !options.null_data && !options.multiline;
  return syntax;
}

/// How letters of literals have to be compared under these options.
Letters letters_of(const PatternOptions& options) {
  if (!options.ignore_case) return Letters::kExact;
  return options.unicode ? Letters::kUnicode : Letters::kAscii;
}

/// Appends the strings that the tree stands for. Returns false if it is not a choice of strings
/// whose letters are all compared in the way `letters` says; `strings` is then useless.
bool append_strings(const Node& node, Letters letters, std::vector<std::string>& strings) {
  switch (node.kind) {
    case Node::Kind::kEmpty:
      strings.emplace_back();
      return true;
    case Node::Kind::kLiteral:
      strings.push_back(node.bytes);
      return node.letters == letters;
    case Node::Kind::kGroup:
    case Node::Kind::kAlternate:
      return std::all_of(node.children.begin(), node.children.end(), [&](const Node& child) {
        return append_strings(child, letters, strings);
      });
    default:
      return false;
  }
}

/// Exchanges NUL bytes and line feeds in a tree, as scan/matching/null_data.h does in the text: a
/// line feed in the text is a NUL in the pattern. What was NUL ends lines, so nothing in a pattern
/// matches it.
void exchange_ends(Node& node) {
  for (char& byte : node.bytes) {
    if (byte == '\n') byte = 0;
  }
  if (node.kind == Node::Kind::kClass || node.kind == Node::Kind::kByteClass) {
    CodeSet set;
    for (const CodeRange& range : node.ranges) set.add(range.low, range.high);
    const bool feed = set.contains('\n');
    set.subtract(CodeSet(0, 0));
    set.subtract(CodeSet('\n', '\n'));
    if (feed) set.add(0, 0);
    node.ranges = set.ranges();
  }
  for (Node& child : node.children) exchange_ends(child);
}

/// Shifts the numbers of groups by those of the patterns before, since groups are counted through
/// all patterns.
void number_groups(Node& node, std::uint32_t before) {
  if (node.kind == Node::Kind::kGroup) node.capture += before;
  for (Node& child : node.children) number_groups(child, before);
}

/// Parses all patterns, each by `parse`, which returns a Result<ParsedPattern>, and numbers their
/// groups through. Returns their trees. An error carries the number of its pattern in `block`.
template <class Parse>
Result<std::vector<Node>> parse_all(std::span<const std::string> patterns, bool null_data,
                                    Parse parse) {
  std::vector<Node> roots;
  std::uint32_t groups = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    Result<ParsedPattern> parsed = parse(patterns[i]);
    if (!parsed.ok()) {
      Error error = std::move(parsed.error());
      error.block = i;
      return error;
    }
    if (null_data) exchange_ends(parsed->root);
    number_groups(parsed->root, groups);
    groups += parsed->captures;
    roots.push_back(std::move(parsed->root));
  }
  return roots;
}

/// Strings, and for each the number of the pattern that it comes from.
struct PatternStrings {
  std::vector<std::string> strings;
  std::vector<std::uint32_t> pattern_of;
};

/// The strings that all trees together stand for, or nullopt if one of them stands for something
/// else.
std::optional<PatternStrings> strings_of(const std::vector<Node>& roots, Letters letters) {
  PatternStrings found;
  for (std::uint32_t i = 0; i < roots.size(); ++i) {
    if (!append_strings(roots[i], letters, found.strings)) return std::nullopt;
    found.pattern_of.resize(found.strings.size(), i);
  }
  return found;
}

bool has_groups(const Node& node) {
  return node.kind == Node::Kind::kGroup ||
         std::any_of(node.children.begin(), node.children.end(), has_groups);
}

/// Makes the finder of groups for patterns that are searched for as strings: the patterns' tree
/// between its bounds knows where in a match each group lies. Empty where there are no groups.
MakeGroupFinder group_finder_of(std::vector<Node> roots, const PatternOptions& options) {
  if (std::none_of(roots.begin(), roots.end(), has_groups)) return {};
  Node root = any_of(std::move(roots));
  spell_out_letters(root);
  return [tree = with_bounds(std::move(root), options.bounds), options] {
    return make_group_finder(tree, options);
  };
}

/// Whether the node itself may read a '\n'; its children are not asked.
bool has_line_feed(const Node& node) {
  const auto in_range = [](const CodeRange& range) {
    return range.low <= '\n' && '\n' <= range.high;
  };
  return node.bytes.find('\n') != std::string::npos ||
         std::any_of(node.ranges.begin(), node.ranges.end(), in_range);
}

/// Whether the node is `^`, `$`, \A or \z.
bool is_line_look(const Node& node) {
  return node.kind == Node::Kind::kLook &&
         (node.look == Look::kLineStart || node.look == Look::kLineEnd ||
          node.look == Look::kTextStart || node.look == Look::kTextEnd);
}

/// Whether matches may hold '\n'. Patterns with `^` or `$` are taken for such, as ripgrep does,
/// which then counts matches instead of lines and prints neighbouring lines as one group.
bool may_span_lines(const Node& node) {
  return has_line_feed(node) || is_line_look(node) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [](const Node& child) { return may_span_lines(child); });
}
bool may_span_lines(const std::vector<Node>& roots, const PatternOptions& options) {
  return options.bounds == MatchBounds::kLine ||
         std::any_of(roots.begin(), roots.end(),
                     [](const Node& root) { return may_span_lines(root); });
}

/// Whether the literal engine would give the same answer: it folds case by Unicode's rules only and
/// knows '\n' as the only line end.
bool literal_engine_agrees(const PatternOptions& options) {
  const bool ascii_folding = options.ignore_case && !options.unicode;
  const bool engine = options.engine == Engine::kAuto || options.engine == Engine::kLiteral;
  return !ascii_folding && engine && !options.null_data;
}

/// Chooses and makes the engine for trees whose literals may still be marked with how their letters
/// are compared (Node::letters). Error kInvalidArgument: the literal engine was asked for and does
/// not apply, or the pattern is too large.
Result<std::shared_ptr<const Matcher>> make_matcher(std::vector<Node> roots,
                                                    const PatternOptions& options) {
  const bool spans = options.multiline && may_span_lines(roots, options);
  if (literal_engine_agrees(options) && !spans) {
    if (auto found = strings_of(roots, letters_of(options))) {
      return make_literal_matcher(std::move(found->strings), std::move(found->pattern_of), options,
                                  group_finder_of(std::move(roots), options));
    }
  }
  if (options.engine == Engine::kLiteral) {
    return make_error(ErrorCode::kInvalidArgument, "the literal engine takes fixed strings only");
  }
  const std::size_t patterns = roots.size();
  Node root = any_of(std::move(roots));
  spell_out_letters(root);
  return make_regex_matcher(with_bounds(std::move(root), options.bounds), patterns, options, spans);
}

/// Compiles fixed strings that may hold line feeds. Only strings that do hold one make matches span
/// lines.
Result<std::shared_ptr<const Matcher>> make_multiline_matcher(
    const std::vector<std::string>& literals, const PatternOptions& options) {
  std::vector<Node> roots;
  for (const std::string& literal : literals) {
    PRESSO_TRY(check_literal(literal, options));
    roots.push_back(literal_node(literal, letters_of(options)));
  }
  return make_matcher(std::move(roots), options);
}

std::vector<MatcherPointer> matchers_of(const std::vector<Pattern>& patterns) {
  std::vector<MatcherPointer> matchers;
  for (const Pattern& pattern : patterns) matchers.push_back(PatternAccess::matcher(pattern));
  return matchers;
}

}  // namespace
}  // namespace scan_detail

using namespace scan_detail;

Result<Pattern> Pattern::compile_literals(const std::vector<std::string>& literals,
                                          const PatternOptions& options) {
  if (options.multiline) {
    PRESSO_ASSIGN(auto matcher, make_multiline_matcher(literals, options));
    return Pattern(std::move(matcher));
  }
  std::vector<std::uint32_t> pattern_of(literals.size());
  std::iota(pattern_of.begin(), pattern_of.end(), 0u);
  PRESSO_ASSIGN(auto matcher, make_literal_matcher(literals, std::move(pattern_of), options));
  return Pattern(std::move(matcher));
}

Result<Pattern> Pattern::compile(std::span<const std::string> patterns,
                                 const PatternOptions& options) {
  const SyntaxOptions syntax = syntax_of(options);
  PRESSO_ASSIGN(std::vector<Node> roots,
                parse_all(patterns, options.null_data, [&](std::string_view pattern) {
                  return parse_keeping_letters(pattern, syntax);
                }));
  PRESSO_ASSIGN(auto matcher, make_matcher(std::move(roots), options));
  return Pattern(std::move(matcher));
}

Result<Pattern> Pattern::compile_like(std::span<const std::string> patterns, char escape,
                                      const PatternOptions& options) {
  SyntaxOptions syntax = syntax_of(options);
  syntax.line_terminated = !options.null_data;
  PRESSO_ASSIGN(std::vector<Node> roots,
                parse_all(patterns, options.null_data, [&](std::string_view pattern) {
                  return parse_like(pattern, escape, syntax);
                }));
  PRESSO_ASSIGN(auto matcher,
                make_regex_matcher(any_of(std::move(roots)), patterns.size(), options));
  return Pattern(std::move(matcher));
}

Pattern Pattern::with_conditions(std::vector<Pattern> required,
                                 std::vector<Pattern> forbidden) const {
  if (required.empty() && forbidden.empty()) return *this;
  return Pattern(make_filtered_matcher(matcher_, matchers_of(required), matchers_of(forbidden)));
}

Pattern Pattern::with_condition(std::shared_ptr<const LineCondition> condition) const {
  return Pattern(make_conditional_matcher(matcher_, std::move(condition)));
}

/// Lines to be tested are those with a string of each set. A set that cannot be searched for,
/// because it holds a line feed, is not used.
Pattern Pattern::of_lines(std::shared_ptr<const LineCondition> condition,
                          const PatternOptions& options) {
  std::vector<std::shared_ptr<const Matcher>> finders;
  for (const std::vector<std::string>& set : condition->required()) {
    Result<Pattern> strings = compile_literals(set);
    if (strings.ok()) finders.push_back(std::move(strings->matcher_));
  }
  return Pattern(make_line_matcher(std::move(finders), std::move(condition), options.crlf));
}

std::size_t Pattern::count() const {
  return matcher_->pattern_count();
}

bool Pattern::spans_lines() const {
  return matcher_->spans_lines();
}

std::string Pattern::describe() const {
  return matcher_->describe();
}

// A pattern with a bad syntax answers false; compile() names its error later.
bool smart_case_ignores(std::span<const std::string> patterns, const PatternOptions& options) {
  NamedCharacters named;
  for (const std::string& pattern : patterns) {
    const Result<ParsedPattern> parsed = parse_keeping_letters(pattern, syntax_of(options));
    if (!parsed.ok()) return false;
    named.any = named.any || parsed->named.any;
    named.upper = named.upper || parsed->named.upper;
  }
  return named.any && !named.upper;
}

std::string explain_error(std::string_view pattern, const Error& error) {
  return explain_pattern_error(pattern, error);
}

}  // namespace presso

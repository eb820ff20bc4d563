// SPDX-License-Identifier: MIT
// From what a user gives to a matcher: fixed strings go to the literal engine, also where they were
// given as regular expressions; all else to the regex engine, as one alternation.
#include "presso/pattern.h"

#include <algorithm>
#include <utility>

#include "scan/automaton/line_dfa_builder.h"
#include "scan/literal/literal_matcher.h"
#include "scan/regex/code_set.h"
#include "scan/regex/regex_matcher.h"
#include "scan/regex/syntax.h"

namespace presso {
namespace scan_detail {
namespace {

SyntaxOptions syntax_of(const PatternOptions& options) {
  SyntaxOptions syntax;
  syntax.ignore_case = options.ignore_case;
  syntax.dot_matches_line = options.dot_matches_line;
  syntax.unicode = options.unicode;
  syntax.crlf = options.crlf;
  syntax.line_terminated = !options.null_data && !options.multiline;
  return syntax;
}

/// Appends the strings that the tree stands for; false where it is no choice of strings.
bool append_strings(const Node& node, std::vector<std::string>& strings) {
  if (node.kind == Node::Kind::kEmpty) strings.emplace_back();
  if (node.kind == Node::Kind::kLiteral) strings.push_back(node.bytes);
  if (node.kind == Node::Kind::kEmpty || node.kind == Node::Kind::kLiteral) return true;
  if (node.kind == Node::Kind::kGroup) return append_strings(node.children[0], strings);
  if (node.kind != Node::Kind::kAlternate) return false;
  for (const Node& child : node.children) {
    if (!append_strings(child, strings)) return false;
  }
  return true;
}

/// NUL bytes and line feeds, which come exchanged (scan/matching/null_data.h): a line feed in the
/// text is a NUL in the pattern, and what was NUL ends lines and is matched by nothing.
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

/// Groups are counted through all patterns.
void number_groups(Node& node, std::uint32_t before) {
  if (node.kind == Node::Kind::kGroup) node.capture += before;
  for (Node& child : node.children) number_groups(child, before);
}

Node look_node(Look look) {
  Node node;
  node.kind = Node::Kind::kLook;
  node.look = look;
  return node;
}

Node with_bounds(Node root, MatchBounds bounds) {
  if (bounds == MatchBounds::kNone) return root;
  const bool word = bounds == MatchBounds::kWord;
  Node node;
  node.kind = Node::Kind::kConcat;
  node.children.push_back(look_node(word ? Look::kWordStartHalf : Look::kLineStart));
  node.children.push_back(std::move(root));
  node.children.push_back(look_node(word ? Look::kWordEndHalf : Look::kLineEnd));
  return node;
}

Node any_of(std::vector<Node> roots) {
  if (roots.size() == 1) return std::move(roots[0]);
  Node node;
  node.kind = Node::Kind::kAlternate;
  node.children = std::move(roots);
  return node;
}

using ParseOne = Result<ParsedPattern> (*)(std::string_view, char, const SyntaxOptions&);

Result<ParsedPattern> parse_regex(std::string_view pattern, char, const SyntaxOptions& syntax) {
  return parse_pattern(pattern, syntax);
}

Result<std::vector<Node>> parse_all(std::span<const std::string> patterns, char escape,
                                    const SyntaxOptions& syntax, bool null_data, ParseOne parse) {
  std::vector<Node> roots;
  std::uint32_t groups = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    Result<ParsedPattern> parsed = parse(patterns[i], escape, syntax);
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

/// Strings, and the pattern that each of them is from.
struct PatternStrings {
  std::vector<std::string> strings;
  std::vector<std::uint32_t> pattern_of;
};

/// The strings that all trees stand for; nullopt: others than strings.
std::optional<PatternStrings> strings_of(const std::vector<Node>& roots) {
  PatternStrings found;
  for (std::uint32_t i = 0; i < roots.size(); ++i) {
    if (!append_strings(roots[i], found.strings)) return std::nullopt;
    found.pattern_of.resize(found.strings.size(), i);
  }
  return found;
}

bool has_line_feed(const Node& node) {
  const auto in_range = [](const CodeRange& range) {
    return range.low <= '\n' && '\n' <= range.high;
  };
  return node.bytes.find('\n') != std::string::npos ||
         std::any_of(node.ranges.begin(), node.ranges.end(), in_range);
}

bool is_line_look(const Node& node) {
  return node.kind == Node::Kind::kLook &&
         (node.look == Look::kLineStart || node.look == Look::kLineEnd ||
          node.look == Look::kTextStart || node.look == Look::kTextEnd);
}

/// Whether matches may hold '\n'. Those with `^` or `$` are taken for such, as by ripgrep, which
/// then counts matches instead of lines and prints neighbouring lines as one group.
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

/// A string as it is, with ignore_case all of its spellings. Of bytes that are no UTF-8, with
/// ignore_case: nullopt.
std::optional<Node> string_node(const std::string& text, const PatternOptions& options) {
  if (!options.ignore_case) {
    Node node;
    node.kind = text.empty() ? Node::Kind::kEmpty : Node::Kind::kLiteral;
    node.bytes = text;
    return node;
  }
  std::string escaped;
  for (const char byte : text) {
    if (std::string_view("\\.+*?()|[]{}^$#&-~").find(byte) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += byte;
  }
  SyntaxOptions syntax = syntax_of(options);
  syntax.unicode = true;  // as the literal engine folds
  Result<ParsedPattern> parsed = parse_pattern(escaped, syntax);
  if (!parsed.ok()) return std::nullopt;
  return std::move(parsed->root);
}

bool literal_engine_agrees(const PatternOptions& options) {
  const bool ascii_folding = options.ignore_case && !options.unicode;
  const bool engine = options.engine == Engine::kAuto || options.engine == Engine::kLiteral;
  return !ascii_folding && engine && !options.null_data;
}

}  // namespace

std::optional<LineDfa> line_dfa_of_literals(const std::vector<std::string>& literals,
                                            const PatternOptions& options, std::size_t max_states) {
  if (literals.empty()) return std::nullopt;
  std::vector<Node> roots;
  for (const std::string& literal : literals) {
    std::optional<Node> node = string_node(literal, options);
    if (!node) return std::nullopt;
    roots.push_back(std::move(*node));
  }
  ProgramOptions forward;
  forward.crlf = options.crlf;
  forward.max_bytes = options.max_bytes;
  const Result<Program> program =
      compile_program(with_bounds(any_of(std::move(roots)), options.bounds), forward);
  if (!program.ok()) return std::nullopt;
  return make_line_dfa(*program, {.states = max_states});
}

}  // namespace scan_detail

using namespace scan_detail;

Result<Pattern> Pattern::compile(std::span<const std::string> patterns,
                                 const PatternOptions& options) {
  // Read without folding, which the literal engine does itself.
  const SyntaxOptions syntax = syntax_of(options);
  SyntaxOptions exact = syntax;
  exact.ignore_case = false;
  PRESSO_ASSIGN(std::vector<Node> roots,
                parse_all(patterns, 0, exact, options.null_data, &parse_regex));
  auto found = strings_of(roots);
  const bool spans = options.multiline && may_span_lines(roots, options);
  if (found && literal_engine_agrees(options) && !spans) {
    PRESSO_ASSIGN(auto literals, make_literal_matcher(std::move(found->strings),
                                                      std::move(found->pattern_of), options));
    return Pattern(std::move(literals));
  }
  if (options.engine == Engine::kLiteral) {
    return make_error(ErrorCode::kInvalidArgument, "the literal engine takes fixed strings only");
  }
  if (syntax.ignore_case) {
    PRESSO_ASSIGN(roots, parse_all(patterns, 0, syntax, options.null_data, &parse_regex));
  }
  PRESSO_ASSIGN(auto matcher,
                make_regex_matcher(with_bounds(any_of(std::move(roots)), options.bounds),
                                   patterns.size(), options, spans));
  return Pattern(std::move(matcher));
}

Result<Pattern> Pattern::compile_like(std::span<const std::string> patterns, char escape,
                                      const PatternOptions& options) {
  SyntaxOptions syntax = syntax_of(options);
  syntax.line_terminated = !options.null_data;
  PRESSO_ASSIGN(std::vector<Node> roots,
                parse_all(patterns, escape, syntax, options.null_data, &parse_like));
  PRESSO_ASSIGN(auto matcher,
                make_regex_matcher(any_of(std::move(roots)), patterns.size(), options));
  return Pattern(std::move(matcher));
}

std::string explain_error(std::string_view pattern, const Error& error) {
  return explain_pattern_error(pattern, error);
}

}  // namespace presso

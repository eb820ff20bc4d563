// SPDX-License-Identifier: MIT
// Implements condition_automaton.h, which makes one automaton of any condition on strings: every
// condition becomes a tree, and the tree an automaton; comparisons for order have one of their own
// (comparison_automaton()).
#include "query/strings/condition_automaton.h"

#include <utility>

#include "query/strings/string_automaton.h"

namespace presso::query {
namespace {

using scan_detail::Dfa;
using scan_detail::Letters;
using scan_detail::Node;
using Kind = StringCondition::Kind;

/// Compiles a tree within the limits of queries.
Result<Dfa> automaton_of(const Node& root) {
  PRESSO_ASSIGN(const auto program, compile_program(root, kQueryProgram));
  return string_automaton(program, query_limits(program));
}

/// The automaton of the empty set: one state, which no byte leaves and which does not accept.
Dfa no_string() {
  Dfa dfa;
  dfa.next = {0};
  dfa.classes = dfa.states = dfa.first_matching = dfa.sink = 1;
  return dfa;
}

/// An alternation of literals, which minimising turns into a trie with shared endings.
Result<Dfa> automaton_of_set(const std::vector<std::string>& set) {
  if (set.empty()) return no_string();
  std::vector<Node> strings;
  for (const std::string& string : set) strings.push_back(scan_detail::literal_node(string));
  return automaton_of(whole_string(any_of(std::move(strings))));
}

Result<Dfa> automaton_of_like(const StringCondition& condition) {
  const char escape = condition.has_escape ? condition.escape : '\0';
  PRESSO_ASSIGN(const LikeShape shape, like_shape(condition.text, escape));
  const bool any_case = condition.kind == Kind::kIlike;
  return automaton_of(like_tree(shape, any_case ? Letters::kUnicode : Letters::kExact));
}

Result<Dfa> automaton_of_regex(const std::string& text) {
  PRESSO_ASSIGN(const auto parsed, scan_detail::parse_pattern(text, query_syntax()));
  return automaton_of(parsed.root);
}

}  // namespace

Result<Dfa> condition_automaton(const StringCondition& condition) {
  switch (condition.kind) {
    case Kind::kEqual:
      return automaton_of(whole_string(scan_detail::literal_node(condition.text)));
    case Kind::kLess:
    case Kind::kLessEqual:
    case Kind::kGreater:
    case Kind::kGreaterEqual:
      return comparison_automaton(condition.kind, condition.text);
    case Kind::kIn:
      return automaton_of_set(condition.set);
    case Kind::kLike:
    case Kind::kIlike:
      return automaton_of_like(condition);
    case Kind::kMatches:
      break;
  }
  return automaton_of_regex(condition.text);
}

}  // namespace presso::query

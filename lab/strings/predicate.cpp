// SPDX-License-Identifier: MIT
// Leaves go through query/strings; combinations are product automata of minimal ones, minimised
// after each step.
#include "lab/strings/predicate.h"

#include <unordered_map>
#include <utility>

#include "scan/automaton/minimal_dfa.h"
#include "scan/syntax/parser.h"

namespace presso::strings {
namespace {

using scan_detail::CompleteDfa;
using scan_detail::Letters;
using scan_detail::literal_node;
using scan_detail::Node;
using scan_detail::Texts;
using Kind = Predicate::Kind;

Node in_order(const std::vector<Predicate>& substrings) {
  Node node;
  node.kind = Node::Kind::kConcat;
  node.children.push_back(Node{});
  for (const Predicate& substring : substrings) {
    node.children.push_back(literal_node(substring.pattern));
    node.children.push_back(query::any_bytes());
  }
  return node;
}

scan_detail::SyntaxOptions syntax_of(const RegexOptions& options) {
  scan_detail::SyntaxOptions syntax;
  syntax.ignore_case = options.ignore_case;
  syntax.unicode = options.unicode;
  syntax.dot_matches_line = options.dot_matches_line_feed;
  syntax.multi_line = false;
  syntax.line_terminated = false;
  return syntax;
}

Result<Node> tree_of(const Predicate& leaf) {
  const auto syntax = syntax_of(leaf.options);
  if (leaf.kind == Kind::kContains) return literal_node(leaf.pattern);
  if (leaf.kind == Kind::kInOrder) return in_order(leaf.parts);
  if (leaf.kind == Kind::kEquals) return query::whole_string(literal_node(leaf.pattern));
  if (leaf.kind == Kind::kLike) {
    PRESSO_ASSIGN(const auto shape, query::like_shape(leaf.pattern, leaf.escape));
    const auto folded = leaf.options.unicode ? Letters::kUnicode : Letters::kAscii;
    return query::like_tree(shape, leaf.options.ignore_case ? folded : Letters::kExact,
                            leaf.options.unicode);
  }
  PRESSO_ASSIGN(auto parsed, scan_detail::parse_pattern(leaf.pattern, syntax));
  if (leaf.kind == Kind::kRegexSearch) return std::move(parsed.root);
  return query::whole_string(std::move(parsed.root));
}

Result<Dfa> compile_leaf(const Predicate& leaf, const DfaLimits& limits) {
  PRESSO_ASSIGN(const Node root, tree_of(leaf));
  return query::string_automaton(root, limits);
}

/// Pairs of states that some string leads to. Tells bytes apart as either automaton does.
class Product {
 public:
  Product(const Dfa& a, const Dfa& b, Kind operation) : a_(a), b_(b), operation_(operation) {
    std::unordered_map<unsigned, Byte> known;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const unsigned pair = a.class_of[byte] * 256u + b.class_of[byte];
      const auto [place, is_new] = known.try_emplace(pair, static_cast<Byte>(known.size()));
      made_.class_of[byte] = place->second;
      if (is_new) representative_.push_back(static_cast<Byte>(byte));
    }
  }

  Result<Dfa> run(const DfaLimits& limits) {
    made_.classes = static_cast<std::uint32_t>(representative_.size());
    number_of(a_.start, b_.start);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto [a, b] = pairs_[i];
      made_.accepts.push_back(accepts(a, b));
      for (const Byte byte : representative_) {
        made_.next.push_back(number_of(a_.step(a, byte), b_.step(b, byte)));
      }
      if (pairs_.size() > limits.constructed_states) return query::too_many_states(limits);
    }
    return minimal_dfa(made_, Texts::kStrings);
  }

 private:
  using State = std::uint32_t;

  bool accepts(State a, State b) const {
    const bool in_a = a >= a_.first_matching;
    const bool in_b = b >= b_.first_matching;
    return operation_ == Kind::kAnd ? in_a && in_b : in_a || in_b;
  }
  State number_of(State a, State b) {
    const std::uint64_t key = std::uint64_t{a} << 32 | b;
    const auto [place, is_new] = numbers_.try_emplace(key, static_cast<State>(pairs_.size()));
    if (is_new) pairs_.emplace_back(a, b);
    return place->second;
  }

  const Dfa& a_;
  const Dfa& b_;
  Kind operation_;
  CompleteDfa made_;
  std::vector<Byte> representative_;  ///< [class]
  std::vector<std::pair<State, State>> pairs_;
  std::unordered_map<std::uint64_t, State> numbers_;
};

Dfa complement_of(const Dfa& dfa) {
  CompleteDfa flipped;
  flipped.class_of = dfa.class_of;
  flipped.classes = dfa.classes;
  // State 0 must be the start: exchange the two.
  const auto renamed = [&](std::uint32_t state) {
    return state == 0 ? dfa.start : state == dfa.start ? 0 : state;
  };
  for (std::uint32_t i = 0; i < dfa.states; ++i) {
    const std::uint32_t state = renamed(i);
    flipped.accepts.push_back(state < dfa.first_matching);
    for (std::uint32_t symbol = 0; symbol < dfa.classes; ++symbol) {
      flipped.next.push_back(renamed(dfa.next[std::size_t{state} * dfa.classes + symbol]));
    }
  }
  return minimal_dfa(flipped, Texts::kStrings);
}

Predicate leaf(Kind kind, std::string pattern, const RegexOptions& options = {}) {
  Predicate made;
  made.kind = kind;
  made.pattern = std::move(pattern);
  made.options = options;
  return made;
}

Predicate combination(Kind kind, std::vector<Predicate> parts) {
  Predicate made;
  made.kind = kind;
  made.parts = std::move(parts);
  return made;
}

}  // namespace

Predicate like(std::string pattern, char escape, const RegexOptions& options) {
  Predicate made = leaf(Kind::kLike, std::move(pattern), options);
  made.escape = escape;
  return made;
}
Predicate equals(std::string bytes) {
  return leaf(Kind::kEquals, std::move(bytes));
}
Predicate contains(std::string bytes) {
  return leaf(Kind::kContains, std::move(bytes));
}
Predicate regex_match(std::string pattern, const RegexOptions& options) {
  return leaf(Kind::kRegexMatch, std::move(pattern), options);
}
Predicate regex_search(std::string pattern, const RegexOptions& options) {
  return leaf(Kind::kRegexSearch, std::move(pattern), options);
}
Predicate all_of(std::vector<Predicate> parts) {
  return combination(Kind::kAnd, std::move(parts));
}
Predicate any_of(std::vector<Predicate> parts) {
  return combination(Kind::kOr, std::move(parts));
}
Predicate negation_of(Predicate part) {
  return combination(Kind::kNot, {std::move(part)});
}

Predicate contains_in_order(const std::vector<std::string>& substrings) {
  std::vector<Predicate> parts;
  for (const std::string& substring : substrings) parts.push_back(contains(substring));
  return combination(Kind::kInOrder, std::move(parts));
}

Result<Dfa> compile(const Predicate& predicate, const DfaLimits& limits) {
  if (predicate.kind == Kind::kNot) {
    if (predicate.parts.size() != 1) {
      return make_error(ErrorCode::kInvalidArgument, "a negation has one part");
    }
    PRESSO_ASSIGN(const Dfa part, compile(predicate.parts[0], limits));
    return complement_of(part);
  }
  if (predicate.kind != Kind::kAnd && predicate.kind != Kind::kOr) {
    return compile_leaf(predicate, limits);
  }
  if (predicate.parts.empty()) {
    const Dfa every = *compile_leaf(contains(""), limits);
    return predicate.kind == Kind::kAnd ? every : complement_of(every);
  }
  PRESSO_ASSIGN(Dfa made, compile(predicate.parts[0], limits));
  for (std::size_t i = 1; i < predicate.parts.size(); ++i) {
    PRESSO_ASSIGN(const Dfa part, compile(predicate.parts[i], limits));
    PRESSO_ASSIGN(made, Product(made, part, predicate.kind).run(limits));
  }
  return made;
}

}  // namespace presso::strings

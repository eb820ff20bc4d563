// SPDX-License-Identifier: MIT
// Implements string_automaton.h: parses LIKE patterns, turns them into trees, and turns trees and
// comparisons into minimal automata that read a string from its first byte to its last.
#include "query/strings/string_automaton.h"

#include <algorithm>
#include <utility>

#include "scan/automaton/minimal_dfa.h"
#include "scan/syntax/like.h"

namespace presso::query {
namespace {

using scan_detail::LikePart;
using scan_detail::Look;
using scan_detail::Node;
using scan_detail::Texts;

/// A node for one byte in these ranges.
Node byte_class(std::vector<scan_detail::CodeRange> ranges) {
  Node node;
  node.kind = Node::Kind::kByteClass;
  node.ranges = std::move(ranges);
  return node;
}

/// Any number of repetitions, including none.
Node repeated(Node once) {
  Node node;
  node.kind = Node::Kind::kRepeat;
  node.max = Node::kUnlimited;
  node.children.push_back(std::move(once));
  return node;
}

Node concat(std::vector<Node> items) {
  return scan_detail::join(std::move(items), Node::Kind::kConcat);
}

/// Each further character begins with a byte that cannot continue the one before, so that it is
/// certain where a character ends. Before a literal that is certain anyway, as literals are UTF-8.
void append_characters(std::vector<Node>& items, std::uint32_t count, bool unicode) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool any_byte = i == 0 || !unicode;
    items.push_back(any_byte ? byte_class({{0, 0xFF}}) : byte_class({{0, 0x7F}, {0xC0, 0xFF}}));
    if (unicode) items.push_back(repeated(byte_class({{0x80, 0xBF}})));
  }
}

/// Builds the automaton that compares a string with `text` byte by byte. States 0 to size() say how
/// many bytes were equal so far; two more stand for strings that come before the text, and after
/// it.
class Comparison {
 public:
  Comparison(StringCondition::Kind kind, std::string_view text) : kind_(kind), text_(text) {}

  scan_detail::CompleteDfa run() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const auto equal = static_cast<Byte>(text_[i]);
      for (unsigned byte = 0; byte < 256; ++byte) {
        made_.next.push_back(byte < equal ? before() : byte > equal ? behind() : next_of(i));
      }
      made_.accepts.push_back(is_wanted(-1));
    }
    append_all_to(behind());
    made_.accepts.push_back(is_wanted(0));
    append_all_to(before());
    made_.accepts.push_back(is_wanted(-1));
    append_all_to(behind());
    made_.accepts.push_back(is_wanted(1));
    made_.classes = 256;
    for (unsigned byte = 0; byte < 256; ++byte) made_.class_of[byte] = static_cast<Byte>(byte);
    return std::move(made_);
  }

 private:
  using Kind = StringCondition::Kind;
  static std::uint32_t next_of(std::size_t state) { return static_cast<std::uint32_t>(state) + 1; }
  std::uint32_t before() const { return static_cast<std::uint32_t>(text_.size()) + 1; }
  std::uint32_t behind() const { return static_cast<std::uint32_t>(text_.size()) + 2; }
  void append_all_to(std::uint32_t state) { made_.next.insert(made_.next.end(), 256, state); }

  /// Whether strings with this order (negative, 0, positive) relative to the text are accepted.
  bool is_wanted(int order) const {
    switch (kind_) {
      case Kind::kLess:
        return order < 0;
      case Kind::kLessEqual:
        return order <= 0;
      case Kind::kGreater:
        return order > 0;
      case Kind::kGreaterEqual:
        return order >= 0;
      default:
        return order == 0;
    }
  }

  Kind kind_;
  std::string_view text_;
  scan_detail::CompleteDfa made_;
};

}  // namespace

bool LikeShape::has_characters() const {
  return std::any_of(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.characters != 0; });
}

/// Adjacent wildcards become one gap.
Result<LikeShape> like_shape(std::string_view pattern, char escape) {
  PRESSO_ASSIGN(const auto parts,
                scan_detail::split_like(pattern, escape, scan_detail::LikeEscapes::kAny));
  LikeShape shape;
  shape.gaps.emplace_back();
  bool in_literal = false;
  for (const LikePart& part : parts) {
    if (part.kind == LikePart::Kind::kCharacter) {
      if (!in_literal) {
        shape.literals.emplace_back();
        shape.gaps.emplace_back();
      }
      shape.literals.back() += scan_detail::encoded(part.code);
    } else if (part.kind == LikePart::Kind::kAnyString) {
      shape.gaps.back().open = true;
    } else {
      ++shape.gaps.back().characters;
    }
    in_literal = part.kind == LikePart::Kind::kCharacter;
  }
  return shape;
}

Node like_tree(const LikeShape& shape, scan_detail::Letters letters, bool unicode) {
  std::vector<Node> items;
  for (std::size_t i = 0; i < shape.gaps.size(); ++i) {
    append_characters(items, shape.gaps[i].characters, unicode);
    if (shape.gaps[i].open) items.push_back(any_bytes());
    if (i == shape.literals.size()) break;
    items.push_back(scan_detail::literal_node(shape.literals[i], letters));
  }
  Node root = whole_string(concat(std::move(items)));
  scan_detail::spell_out_letters(root);
  return root;
}

Node whole_string(Node root) {
  Node node;
  node.kind = Node::Kind::kConcat;
  node.children.push_back(scan_detail::look_node(Look::kTextStart));
  node.children.push_back(std::move(root));
  node.children.push_back(scan_detail::look_node(Look::kTextEnd));
  return node;
}

Node any_bytes() {
  return repeated(byte_class({{0, 0xFF}}));
}

scan_detail::SyntaxOptions query_syntax() {
  scan_detail::SyntaxOptions syntax;
  syntax.multi_line = false;
  syntax.line_terminated = false;
  syntax.ascii_escapes = true;
  return syntax;
}

/// Limits the product of states and classes of bytes, which is what construction and minimising
/// cost.
AutomatonLimits query_limits(const scan_detail::Program& program) {
  constexpr std::size_t kMostSteps = 64'000;
  constexpr std::size_t kMostStates = 4000;
  return {.constructed_states = std::min(kMostStates, kMostSteps / program.classes)};
}

Error too_many_states(const AutomatonLimits& limits) {
  return make_error(
      ErrorCode::kInvalidArgument,
      "the automaton has more than " + std::to_string(limits.constructed_states) + " states");
}

Result<scan_detail::Dfa> string_automaton(const scan_detail::Program& program,
                                          const AutomatonLimits& limits) {
  const auto subsets = construct_subsets(program, Texts::kStrings, limits.constructed_states);
  if (subsets) return minimal_dfa(*subsets, Texts::kStrings);
  if ((program.looks & scan_detail::kUnicodeLooks) != 0) {
    return make_error(ErrorCode::kUnsupported, "word boundaries of Unicode need characters");
  }
  return too_many_states(limits);
}

scan_detail::Dfa comparison_automaton(StringCondition::Kind kind, std::string_view text) {
  return minimal_dfa(Comparison(kind, text).run(), Texts::kStrings);
}

Result<scan_detail::Dfa> string_automaton(const Node& root, const AutomatonLimits& limits) {
  PRESSO_ASSIGN(const auto program, compile_program(root, {}));
  return string_automaton(program, limits);
}

}  // namespace presso::query

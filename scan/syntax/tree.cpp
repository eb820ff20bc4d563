// SPDX-License-Identifier: MIT
// Lists of nodes are flattened with restraint (splice()), so that each node moves at most a
// logarithmic number of times and building a tree takes time nearly linear in the pattern.
#include "scan/syntax/tree.h"

#include <algorithm>
#include <utility>

#include "scan/syntax/code_set.h"

namespace presso::scan_detail {
namespace {

using Kind = Node::Kind;

/// Appends a node of a concatenation; a literal is merged with a literal before it.
void append(std::vector<Node>& list, Node node) {
  const bool joins = node.kind == Kind::kLiteral && !list.empty() &&
                     list.back().kind == Kind::kLiteral && list.back().letters == node.letters;
  if (joins) {
    list.back().bytes += node.bytes;
  } else {
    list.push_back(std::move(node));
  }
}

/// Puts the children of nodes of `kind` into their parent's list, but only into a list that is
/// about as long, and always short ones, so that deep nesting does not move the same nodes again
/// and again.
std::vector<Node> splice(std::vector<Node>& items, Kind kind) {
  constexpr std::size_t kAlways = 64;
  std::vector<Node> list;
  for (Node& item : items) {
    const bool leave_out = kind == Kind::kConcat && item.kind == Kind::kEmpty;
    if (leave_out) continue;
    if (item.kind == kind && list.empty()) {
      list = std::move(item.children);
    } else if (item.kind == kind && item.children.size() <= list.size() + kAlways) {
      for (Node& child : item.children) {
        kind == Kind::kConcat ? append(list, std::move(child)) : list.push_back(std::move(child));
      }
    } else {
      kind == Kind::kConcat ? append(list, std::move(item)) : list.push_back(std::move(item));
    }
  }
  return list;
}

/// The node for a set: a literal where it has one character, so that literals are found as such.
Node set_node(const CodeSet& set, Kind kind) {
  const std::vector<CodeRange>& ranges = set.ranges();
  if (ranges.size() == 1 && ranges[0].low == ranges[0].high) {
    const CodePoint code = ranges[0].low;
    return literal_node(kind == Kind::kByteClass ? std::string(1, static_cast<char>(code))
                                                 : encoded(code));
  }
  Node node = make_node(kind);
  node.ranges = ranges;
  return node;
}

/// What a literal stands for when its case is ignored: the concatenation of its characters'
/// classes.
Node spelled_out(const Node& literal) {
  const bool unicode = literal.letters == Letters::kUnicode;
  const auto* at = reinterpret_cast<const Byte*>(literal.bytes.data());
  const Byte* const end = at + literal.bytes.size();
  std::vector<Node> items;
  while (at != end) {
    const CodePoint code = unicode ? decode(at, end).code : *at;
    const std::uint32_t bytes = unicode ? std::max(decode(at, end).bytes, 1u) : 1;
    CodeSet spellings(code, code);
    unicode ? spellings.fold_unicode() : spellings.fold_ascii();
    append(items, set_node(spellings, unicode ? Kind::kClass : Kind::kByteClass));
    at += bytes;
  }
  return join(std::move(items), Kind::kConcat);
}

}  // namespace

/// The node for a string; kEmpty for the empty one.
Node literal_node(std::string bytes, Letters letters) {
  Node node = make_node(bytes.empty() ? Kind::kEmpty : Kind::kLiteral);
  if (!bytes.empty()) node.letters = letters;
  node.bytes = std::move(bytes);
  return node;
}

Node look_node(Look look) {
  Node node = make_node(Kind::kLook);
  node.look = look;
  return node;
}

/// A node of the kind with these children; nested ones of that kind are spliced in, and a single
/// child stands for itself.
Node join(std::vector<Node> items, Kind kind) {
  if (items.size() == 1) return std::move(items[0]);
  std::vector<Node> list = splice(items, kind);
  if (list.size() == 1) return std::move(list[0]);
  Node node = make_node(list.empty() ? Kind::kEmpty : kind);
  node.children = std::move(list);
  return node;
}

/// An alternation of whole patterns, which are kept apart so that each can be told from the others.
Node any_of(std::vector<Node> roots) {
  if (roots.size() == 1) return std::move(roots[0]);
  Node node = make_node(Kind::kAlternate);
  node.children = std::move(roots);
  return node;
}

/// The pattern with looks around it, for whole words or whole lines.
Node with_bounds(Node root, MatchBounds bounds) {
  if (bounds == MatchBounds::kNone) return root;
  const bool word = bounds == MatchBounds::kWord;
  Node node = make_node(Kind::kConcat);
  node.children.push_back(look_node(word ? Look::kWordStartHalf : Look::kLineStart));
  node.children.push_back(std::move(root));
  node.children.push_back(look_node(word ? Look::kWordEndHalf : Look::kLineEnd));
  return node;
}

/// Replaces literals whose case is ignored by classes of all their spellings; the engines know no
/// case.
void spell_out_letters(Node& node) {
  if (node.kind == Kind::kLiteral && node.letters != Letters::kExact) {
    node = spelled_out(node);
    return;
  }
  for (Node& child : node.children) spell_out_letters(child);
  if (node.kind == Kind::kConcat) node = join(std::move(node.children), Kind::kConcat);
}

}  // namespace presso::scan_detail

// SPDX-License-Identifier: MIT
// A pattern as a tree: the parsers make it and the compilers read it. A tree means the same
// whatever flags it was parsed with, since the flags are resolved in it. Trees are plain values,
// may be copied, and are at most some 1,000 nodes deep. Sources: L6. Tested by
// tests/unit/scan/syntax/regex_parser_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "presso/bytes.h"
#include "presso/pattern.h"
#include "scan/unicode/unicode.h"

namespace presso::scan_detail {

/// A range of code points, both ends included.
struct CodeRange {
  CodePoint low = 0;
  CodePoint high = 0;
  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

/// A condition on a place between two bytes. Lines end at '\n'.
enum class Look : Byte {
  kLineStart,         ///< `^` with (?m)
  kLineEnd,           ///< `$` with (?m); before "\r\n", too, with SyntaxOptions::crlf
  kTextStart,         ///< `\A`, and `^` without (?m)
  kTextEnd,           ///< `\z`, and `$` without (?m)
  kWordBoundary,      ///< `\b`: Unicode's \w on one side only
  kNotWordBoundary,   ///< `\B`: on both sides or on neither, and no bytes that are not UTF-8
  kAsciiBoundary,     ///< `(?-u:\b)`
  kNotAsciiBoundary,  ///< `(?-u:\B)`
  kWordStartHalf,     ///< before: the line's start, or a character that no word holds (-w)
  kWordEndHalf,       ///< after: its end, or such a character
};

/// How the letters of a literal are compared with those of the text.
enum class Letters : Byte {
  kExact,
  kAscii,    ///< ASCII letters stand for both cases; other bytes for themselves
  kUnicode,  ///< letters stand for all characters with the same simple case folding
};

/// One node. Which members count depends on `kind`; the others keep their defaults.
struct Node {
  enum class Kind : Byte {
    kEmpty,      ///< matches the empty string
    kLiteral,    ///< `bytes`, at least one, compared as `letters` says
    kClass,      ///< one code point of `ranges`, as UTF-8; no ranges: matches nothing
    kByteClass,  ///< one byte of `ranges` (0..255)
    kLook,
    kRepeat,     ///< children[0], min to max times
    kGroup,      ///< children[0], captured as `capture`
    kConcat,     ///< all children
    kAlternate,  ///< one of the children, an earlier one preferred
  };
  static constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};

  Kind kind = Kind::kEmpty;
  Look look = Look::kLineStart;
  Letters letters = Letters::kExact;
  bool greedy = true;
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  std::uint32_t capture = 0;  ///< from 1, by opening parenthesis
  std::string name;           ///< of the group, or empty
  std::string bytes;
  std::vector<CodeRange> ranges;  ///< ascending, neither overlapping nor touching
  std::vector<Node> children;
};

/// A node of `kind` without children.
inline Node make_node(Node::Kind kind) {
  Node node;
  node.kind = kind;
  return node;
}

/// A literal of `bytes`, compared as `letters` says (for kUnicode they must be UTF-8). No bytes
/// make kEmpty.
Node literal_node(std::string bytes, Letters letters = Letters::kExact);
Node look_node(Look look);
/// The concatenation or the alternation of `items`, as `kind` says. A single item is returned as it
/// is, and no items give kEmpty. Neighbouring literals become one, and items of the same kind are
/// flattened, except for a long one after fewer items (tree.cpp).
Node join(std::vector<Node> items, Node::Kind kind);
/// A choice among `roots`, which stay separate children: there may be one, several or none.
Node any_of(std::vector<Node> roots);
/// The tree with the looks that `bounds` asks for around it: `root` is then the second of three
/// children. With kNone it is `root` itself.
Node with_bounds(Node root, MatchBounds bounds);

/// Replaces the letters of literals whose case is ignored by classes, so that all literals are
/// exact. compile_program() and required_literals() take only such trees.
void spell_out_letters(Node& root);

}  // namespace presso::scan_detail

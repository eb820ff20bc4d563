// SPDX-License-Identifier: MIT
// A tree in a short form for tests:
//   'abc'        literal; bytes that are not printable as \xHH
//   [a-z]        class of code points, <a-z> of bytes; other than printable ASCII as \x{HH}
//   ^ $ \A \z \b \B a\b a\B \bs \be    places (a: ASCII; s and e: half boundaries)
//   *(x) +(x) ?(x) {2,3}(x)            repetitions; lazy ones with ? after the operator
//   1(x) 2:name(x)                     groups
//   (x y z) (x|y|z) ()                 one after the other, one of several, empty
#pragma once

#include <cstdio>
#include <sstream>
#include <string>

#include "scan/syntax/parser.h"

namespace presso::scan_detail {

/// `form` is for those that are not printable, or mean something above.
inline std::string dump_code(CodePoint code, const char* form) {
  const bool plain = code > ' ' && code < 0x7F && code != '\\' && code != '\'' && code != '-';
  if (plain) return std::string(1, static_cast<char>(code));
  char text[16];
  std::snprintf(text, sizeof text, form, static_cast<unsigned>(code));
  return text;
}

class TreeDumper {
 public:
  void print(const Node& node);
  std::string text() const { return out_.str(); }

 private:
  void print_literal(const std::string& bytes);
  void print_ranges(const Node& node);
  void print_operator(const Node& node);
  void print_group(const Node& node);
  void print_children(const Node& node, const char* between);

  std::ostringstream out_;
};

inline void TreeDumper::print(const Node& node) {
  constexpr const char* kLooks[] = {"^",   "$",    "\\A",  "\\z",  "\\b",
                                    "\\B", "a\\b", "a\\B", "\\bs", "\\be"};
  switch (node.kind) {
    case Node::Kind::kEmpty:
      out_ << "()";
      break;
    case Node::Kind::kLiteral:
      print_literal(node.bytes);
      break;
    case Node::Kind::kClass:
    case Node::Kind::kByteClass:
      print_ranges(node);
      break;
    case Node::Kind::kLook:
      out_ << kLooks[static_cast<int>(node.look)];
      break;
    case Node::Kind::kRepeat:
      print_operator(node);
      break;
    case Node::Kind::kGroup:
      print_group(node);
      break;
    case Node::Kind::kConcat:
      print_children(node, " ");
      break;
    case Node::Kind::kAlternate:
      print_children(node, "|");
      break;
  }
}

inline void TreeDumper::print_literal(const std::string& bytes) {
  out_ << "'";
  for (const char byte : bytes) {
    out_ << (byte == ' ' ? std::string(" ") : dump_code(static_cast<Byte>(byte), "\\x%02X"));
  }
  out_ << "'";
}

inline void TreeDumper::print_ranges(const Node& node) {
  const bool bytes = node.kind == Node::Kind::kByteClass;
  out_ << (bytes ? "<" : "[");
  for (const CodeRange& range : node.ranges) {
    out_ << dump_code(range.low, "\\x{%X}");
    if (range.high != range.low) out_ << "-" << dump_code(range.high, "\\x{%X}");
  }
  out_ << (bytes ? ">" : "]");
}

inline void TreeDumper::print_operator(const Node& node) {
  const bool unlimited = node.max == Node::kUnlimited;
  if (node.min <= 1 && unlimited) {
    out_ << (node.min == 0 ? "*" : "+");
  } else if (node.min == 0 && node.max == 1) {
    out_ << "?";
  } else {
    out_ << "{" << node.min << "," << (unlimited ? "" : std::to_string(node.max)) << "}";
  }
  out_ << (node.greedy ? "" : "?");
  print_children(node, "");
}

inline void TreeDumper::print_group(const Node& node) {
  out_ << node.capture;
  if (!node.name.empty()) out_ << ":" << node.name;
  print_children(node, "");
}

inline void TreeDumper::print_children(const Node& node, const char* between) {
  out_ << "(";
  for (const Node& child : node.children) {
    if (&child != &node.children.front()) out_ << between;
    print(child);
  }
  out_ << ")";
}

inline std::string dump(const Node& node) {
  TreeDumper dumper;
  dumper.print(node);
  return dumper.text();
}

/// The tree of a pattern, or its error: "OFFSET: text".
inline std::string dump(const Result<ParsedPattern>& parsed) {
  if (parsed.ok()) return dump(parsed->root);
  return std::to_string(parsed.error().byte_offset) + ": " + parsed.error().what;
}

inline std::string parsed(std::string_view pattern, const SyntaxOptions& options = {}) {
  return dump(parse_pattern(pattern, options));
}

}  // namespace presso::scan_detail

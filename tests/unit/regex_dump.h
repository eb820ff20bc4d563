// SPDX-License-Identifier: MIT
// A tree in a short form for tests:
//   'abc'        literal; bytes that are not printable as \xHH
//   [a-z]        class of code points, <a-z> of bytes; other than printable ASCII as \x{HH}
//   ^ $ \A \z \b \B a\b a\B \bs \be    places (a: ASCII; s and e: half boundaries)
//   *(x) +(x) ?(x) {2,3}(x)            repetitions; lazy ones with ? behind the operator
//   1(x) 2:name(x)                     groups
//   (x y z) (x|y|z) ()                 one behind the other, one of several, empty
#pragma once

#include <cstdio>
#include <string>

#include "scan/regex/syntax.h"

namespace presso::scan_detail {

inline std::string dump_code(CodePoint code, const char* form) {
  const bool plain = code > ' ' && code < 0x7F && code != '\\' && code != '\'' && code != '-';
  char text[16];
  std::snprintf(text, sizeof text, form, static_cast<unsigned>(code));
  return plain ? std::string(1, static_cast<char>(code)) : std::string(text);
}

inline std::string dump_ranges(const Node& node) {
  std::string text;
  for (const CodeRange& range : node.ranges) {
    text += dump_code(range.low, "\\x{%X}");
    if (range.high != range.low) text += "-" + dump_code(range.high, "\\x{%X}");
  }
  return text;
}

inline std::string dump_bytes(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += byte == ' ' ? " " : dump_code(static_cast<Byte>(byte), "\\x%02X");
  }
  return text;
}

inline std::string dump_look(Look look) {
  constexpr const char* kNames[] = {"^",   "$",    "\\A",  "\\z",  "\\b",
                                    "\\B", "a\\b", "a\\B", "\\bs", "\\be"};
  return kNames[static_cast<int>(look)];
}

inline std::string dump_operator(const Node& node) {
  const bool unlimited = node.max == Node::kUnlimited;
  std::string text = "{" + std::to_string(node.min) + ",";
  text += (unlimited ? "" : std::to_string(node.max)) + "}";
  if (node.min == 0 && unlimited) text = "*";
  if (node.min == 1 && unlimited) text = "+";
  if (node.min == 0 && node.max == 1) text = "?";
  return text + (node.greedy ? "" : "?");
}

inline std::string dump(const Node& node);

inline std::string dump_children(const Node& node, const char* between) {
  std::string text;
  for (const Node& child : node.children) text += (text.empty() ? "" : between) + dump(child);
  return "(" + text + ")";
}

inline std::string dump(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kEmpty:
      return "()";
    case Node::Kind::kLiteral:
      return "'" + dump_bytes(node.bytes) + "'";
    case Node::Kind::kClass:
      return "[" + dump_ranges(node) + "]";
    case Node::Kind::kByteClass:
      return "<" + dump_ranges(node) + ">";
    case Node::Kind::kLook:
      return dump_look(node.look);
    case Node::Kind::kRepeat:
      return dump_operator(node) + dump_children(node, "");
    case Node::Kind::kGroup:
      return std::to_string(node.capture) + (node.name.empty() ? "" : ":" + node.name) +
             dump_children(node, "");
    case Node::Kind::kConcat:
      return dump_children(node, " ");
    case Node::Kind::kAlternate:
      return dump_children(node, "|");
  }
  return "?";
}

/// Of a pattern, or of its error: "OFFSET: text".
inline std::string dump(const Result<ParsedPattern>& parsed) {
  if (parsed.ok()) return dump(parsed->root);
  return std::to_string(parsed.error().byte_offset) + ": " + parsed.error().what;
}

inline std::string parsed(std::string_view pattern, const SyntaxOptions& options = {}) {
  return dump(parse_pattern(pattern, options));
}

}  // namespace presso::scan_detail

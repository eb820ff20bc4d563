// SPDX-License-Identifier: MIT
// SQL's LIKE as the tree of a regular expression that is anchored to a line on both sides. `%` is a
// run of bytes, so that it also steps over what is not UTF-8; `_` is a character like `.` is.
// Tested by tests/unit/scan/syntax/regex_like_test.cpp.
#include "scan/syntax/tree_builder.h"

namespace presso::scan_detail {
namespace {

class LikeParser {
 public:
  LikeParser(std::string_view pattern, char escape, const SyntaxOptions& options)
      : cursor_(pattern),
        escape_(static_cast<Byte>(escape)),
        options_(options),
        tree_(pattern.size()) {}

  Result<ParsedPattern> parse();

 private:
  Status parse_next();
  Status add_any_string(std::size_t at);
  Status add_any_character(std::size_t at);
  Status add_character(CodePoint code, std::size_t at);
  bool is_escape(CodePoint code) const { return escape_ != 0 && code == escape_; }

  Cursor cursor_;
  const CodePoint escape_;
  const SyntaxOptions& options_;
  TreeBuilder tree_;
};

Result<ParsedPattern> LikeParser::parse() {
  PRESSO_TRY(check_utf8(cursor_.text()));
  if (escape_ >= 0x80) return pattern_error(0, "the escape character must be ASCII");
  PRESSO_TRY(tree_.add_looks({Look::kLineStart}, 0));
  while (!cursor_.done()) PRESSO_TRY(parse_next());
  PRESSO_TRY(tree_.add_looks({Look::kLineEnd}, cursor_.at()));
  Node root = tree_.finish();
  spell_out_letters(root);
  return ParsedPattern{std::move(root), 0};
}

Status LikeParser::parse_next() {
  const std::size_t at = cursor_.at();
  const CodePoint code = cursor_.next();
  if (is_escape(code)) {
    if (cursor_.done()) return pattern_error(at, "nothing after the escape character");
    const CodePoint literal = cursor_.next();
    if (is_escape(literal) || literal == '%' || literal == '_') return add_character(literal, at);
    return pattern_error(at, "the escape character must stand before %, _ or itself");
  }
  if (code == '%') return add_any_string(at);
  if (code == '_') return add_any_character(at);
  return add_character(code, at);
}

Status LikeParser::add_any_string(std::size_t at) {
  while (!is_escape('%') && cursor_.take("%")) continue;
  CodeSet set(0, kLastByte);
  set.subtract(CodeSet('\n', '\n'));
  PRESSO_TRY(tree_.add_set(std::move(set), true, at));
  return tree_.repeat(0, Node::kUnlimited, true, at);
}

Status LikeParser::add_any_character(std::size_t at) {
  CodeSet set(0, options_.unicode ? kLastCodePoint : kLastByte);
  set.subtract(CodeSet('\n', '\n'));
  if (options_.crlf) set.subtract(CodeSet('\r', '\r'));
  return tree_.add_set(std::move(set), !options_.unicode, at);
}

Status LikeParser::add_character(CodePoint code, std::size_t at) {
  if (code == '\n' && options_.line_terminated) return line_feed_error(at);
  const Letters folded = options_.unicode ? Letters::kUnicode : Letters::kAscii;
  return tree_.add_literal(encoded(code), options_.ignore_case ? folded : Letters::kExact, at);
}

}  // namespace

Result<ParsedPattern> parse_like(std::string_view pattern, char escape,
                                 const SyntaxOptions& options) {
  return without_bad_alloc([&] { return LikeParser(pattern, escape, options).parse(); });
}

}  // namespace presso::scan_detail

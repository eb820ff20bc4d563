// SPDX-License-Identifier: MIT
// Makes SQL's LIKE into the tree of a regular expression that is anchored to a line on both sides.
// `%` is a run of bytes, so that it also steps over what is not UTF-8; `_` is a character, as `.`
// is.
#include "scan/syntax/like.h"

#include "scan/syntax/tree_builder.h"

namespace presso::scan_detail {
namespace {

/// Cuts one pattern into parts and is used up by that.
class LikeSplitter {
 public:
  LikeSplitter(std::string_view pattern, char escape, LikeEscapes escapes)
      : cursor_(pattern), escape_(static_cast<Byte>(escape)), escapes_(escapes) {}

  /// Splits the whole pattern; places in errors are bytes of the pattern.
  Result<std::vector<LikePart>> split() {
    PRESSO_TRY(check_utf8(cursor_.text()));
    if (escape_ >= 0x80) return pattern_error(0, "the escape character must be ASCII");
    while (!cursor_.done()) PRESSO_TRY(split_next());
    return std::move(parts_);
  }

 private:
  using Kind = LikePart::Kind;

  /// Splits one part off. Several '%' in a row are one.
  Status split_next() {
    const std::size_t at = cursor_.at();
    const CodePoint code = cursor_.next();
    if (is_escape(code)) return split_escaped(at);
    if (code == '%') {
      while (!is_escape('%') && cursor_.take("%")) continue;
      parts_.push_back({Kind::kAnyString, 0, at});
    } else {
      parts_.push_back({code == '_' ? Kind::kAnyCharacter : Kind::kCharacter, code, at});
    }
    return {};
  }

  /// Takes the character after the escape character as itself. By LikeEscapes::kSpecial only %, _
  /// and the escape character itself may stand there.
  Status split_escaped(std::size_t at) {
    if (cursor_.done()) return pattern_error(at, "nothing after the escape character");
    const CodePoint literal = cursor_.next();
    const bool special = is_escape(literal) || literal == '%' || literal == '_';
    if (!special && escapes_ == LikeEscapes::kSpecial) {
      return pattern_error(at, "the escape character must stand before %, _ or itself");
    }
    parts_.push_back({Kind::kCharacter, literal, at});
    return {};
  }

  bool is_escape(CodePoint code) const { return escape_ != 0 && code == escape_; }

  Cursor cursor_;
  const CodePoint escape_;
  const LikeEscapes escapes_;
  std::vector<LikePart> parts_;
};

/// Makes the tree for lines from the parts of one pattern.
class LineTree {
 public:
  LineTree(std::size_t pattern_bytes, const SyntaxOptions& options)
      : end_(pattern_bytes), options_(options), tree_(pattern_bytes) {}

  /// Makes the tree: the parts between a line's start and its end, as LIKE is about whole values.
  Result<ParsedPattern> make(const std::vector<LikePart>& parts) {
    PRESSO_TRY(tree_.add_looks({Look::kLineStart}, 0));
    for (const LikePart& part : parts) PRESSO_TRY(add(part));
    PRESSO_TRY(tree_.add_looks({Look::kLineEnd}, end_));
    Node root = tree_.finish();
    spell_out_letters(root);
    return ParsedPattern{std::move(root), 0};
  }

 private:
  Status add(const LikePart& part) {
    switch (part.kind) {
      case LikePart::Kind::kAnyString:
        return add_any_string(part.at);
      case LikePart::Kind::kAnyCharacter:
        return add_any_character(part.at);
      case LikePart::Kind::kCharacter:
        break;
    }
    return add_character(part.code, part.at);
  }

  /// '%': any bytes within a line, valid UTF-8 or not.
  Status add_any_string(std::size_t at) {
    CodeSet set(0, kLastByte);
    set.subtract(CodeSet('\n', '\n'));
    PRESSO_TRY(tree_.add_set(std::move(set), true, at));
    return tree_.repeat(0, Node::kUnlimited, true, at);
  }

  /// '_': one character, which is a byte where Unicode is off.
  Status add_any_character(std::size_t at) {
    CodeSet set(0, options_.unicode ? kLastCodePoint : kLastByte);
    set.subtract(CodeSet('\n', '\n'));
    if (options_.crlf) set.subtract(CodeSet('\r', '\r'));
    return tree_.add_set(std::move(set), !options_.unicode, at);
  }

  Status add_character(CodePoint code, std::size_t at) {
    if (code == '\n' && options_.line_terminated) return line_feed_error(at);
    const Letters folded = options_.unicode ? Letters::kUnicode : Letters::kAscii;
    return tree_.add_literal(encoded(code), options_.ignore_case ? folded : Letters::kExact, at);
  }

  const std::size_t end_;
  const SyntaxOptions& options_;
  TreeBuilder tree_;
};

}  // namespace

Result<std::vector<LikePart>> split_like(std::string_view pattern, char escape,
                                         LikeEscapes escapes) {
  return without_bad_alloc([&] { return LikeSplitter(pattern, escape, escapes).split(); });
}

Result<ParsedPattern> parse_like(std::string_view pattern, char escape,
                                 const SyntaxOptions& options) {
  PRESSO_ASSIGN(const auto parts, split_like(pattern, escape));
  return without_bad_alloc([&] { return LineTree(pattern.size(), options).make(parts); });
}

}  // namespace presso::scan_detail

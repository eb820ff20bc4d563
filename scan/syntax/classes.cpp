// SPDX-License-Identifier: MIT
// A class is a chain of operands that are joined by && -- ~~ from left to right; an operand is what
// stands side by side: characters, ranges, escapes, [:names:] and classes. As in Rust's regex, a
// ']' that comes first and any '-' that come first stand for themselves, operands may be empty, and
// case is folded before an operation and before a negation. Errors (kInvalidArgument) carry the
// offset of what is wrong. Tested by tests/unit/scan/syntax/regex_class_test.cpp.
#include "scan/syntax/classes.h"

#include <optional>

#include "scan/syntax/named_classes.h"

namespace presso::scan_detail {
namespace {

/// Parses one class and the classes in it, by recursion to kMaxNesting.
class ClassParser {
 public:
  ClassParser(Cursor& cursor, EscapeParser& escapes, const SyntaxOptions& flags)
      : cursor_(cursor), escapes_(escapes), flags_(flags) {}

  Result<CodeSet> parse(std::uint32_t depth);

 private:
  /// One item of a class: a character, which may be the end of a range, or a set, which may not.
  struct Item {
    bool is_set = false;
    CodePoint code = 0;
    CodeSet set;
    std::size_t at = 0;
  };
  /// The part of a pair of brackets that has been read so far.
  struct Brackets {
    std::size_t open_at = 0;
    bool negate = false;
    bool empty = true;
    char operation = 0;
    CodeSet left;
    CodeSet letters;  ///< of the operand: characters and ranges; the only ones to be folded
    CodeSet operand;  ///< its sets, which hold all variants of their members already
  };

  void skip_space();
  void parse_beginning(Brackets& brackets);
  Status parse_element(Brackets& brackets, std::uint32_t depth);
  Status parse_nested(Brackets& brackets, std::uint32_t depth);
  Result<bool> parse_name(CodeSet& operand);
  Status parse_items(Brackets& brackets);
  Result<Item> parse_item(std::size_t open_at);
  Result<Item> parse_escape();
  Result<Item> checked(Character character, std::size_t at);
  bool range_follows();
  void fold(CodeSet& set) const;
  void combine(Brackets& brackets) const;
  CodeSet finish(Brackets& brackets) const;
  CodePoint last() const { return flags_.unicode ? kLastCodePoint : kLastByte; }

  Cursor& cursor_;
  EscapeParser& escapes_;
  const SyntaxOptions& flags_;
};

Error unclosed(std::size_t open_at) {
  return pattern_error(open_at, "unclosed character class");
}

/// Parses a class from its '[' on to its ']'. Classes within classes recurse, at most kMaxNesting
/// deep.
Result<CodeSet> ClassParser::parse(std::uint32_t depth) {
  Brackets brackets;
  brackets.open_at = cursor_.at();
  if (depth >= kMaxNesting) return pattern_error(cursor_.at(), "classes are nested too deeply");
  parse_beginning(brackets);
  while (true) {
    skip_space();
    if (cursor_.done()) return unclosed(brackets.open_at);
    if (cursor_.take("]")) return finish(brackets);
    PRESSO_TRY(parse_element(brackets, depth));
  }
}

void ClassParser::skip_space() {
  if (flags_.verbose) cursor_.skip_space();
}

/// Reads "[", "^" and the characters that are literal because they come first.
void ClassParser::parse_beginning(Brackets& brackets) {
  cursor_.take("[");
  skip_space();
  brackets.negate = cursor_.take("^");
  skip_space();
  while (cursor_.take("-")) {
    cursor_.name('-');
    brackets.letters.add('-', '-');
    brackets.empty = false;
    skip_space();
  }
  if (brackets.empty && cursor_.take("]")) brackets.letters.add(']', ']');
}

/// Reads one element: a nested class, an operation, or items.
Status ClassParser::parse_element(Brackets& brackets, std::uint32_t depth) {
  brackets.empty = false;
  if (cursor_.peek() == '[') return parse_nested(brackets, depth);
  for (const std::string_view operation : {"&&", "--", "~~"}) {
    if (!cursor_.take(operation)) continue;
    combine(brackets);
    brackets.operation = operation[0];
    return {};
  }
  return parse_items(brackets);
}

/// Parses "[:name:]" or a class within this one, and adds it to the operand at hand.
Status ClassParser::parse_nested(Brackets& brackets, std::uint32_t depth) {
  PRESSO_ASSIGN(const bool named, parse_name(brackets.operand));
  if (named) return {};
  PRESSO_ASSIGN(const CodeSet set, parse(depth + 1));
  brackets.operand.add(set);
  return {};
}

/// Reads [:name:] or [:^name:]. Returns false, and stays where it was, if it is something else.
Result<bool> ClassParser::parse_name(CodeSet& operand) {
  const std::size_t start = cursor_.at();
  if (!cursor_.take("[:")) return false;
  const bool negate = cursor_.take("^");
  const std::size_t begin = cursor_.at();
  while (cursor_.peek() >= 'a' && cursor_.peek() <= 'z') cursor_.next();
  const std::string_view name = cursor_.text().substr(begin, cursor_.at() - begin);
  if (!cursor_.take(":]")) {
    cursor_.move_to(start);
    return false;
  }
  std::optional<CodeSet> set = posix_class(name);
  if (!set) return pattern_error(start, "unknown character class [:" + std::string(name) + ":]");
  fold(*set);
  if (negate) set->negate(last());
  operand.add(*set);
  return true;
}

/// Reads one item, or two with '-' between them, which are a range.
Status ClassParser::parse_items(Brackets& brackets) {
  PRESSO_ASSIGN(const Item first, parse_item(brackets.open_at));
  if (!range_follows()) {
    first.is_set ? brackets.operand.add(first.set) : brackets.letters.add(first.code, first.code);
    return {};
  }
  PRESSO_ASSIGN(const Item second, parse_item(brackets.open_at));
  for (const Item* end : {&first, &second}) {
    if (end->is_set) return pattern_error(end->at, "a range must lie between two characters");
  }
  if (first.code > second.code) return pattern_error(first.at, "the range ends before it begins");
  brackets.letters.add(first.code, second.code);
  return {};
}

/// One item of a class: a character, which may begin a range, or a set.
Result<ClassParser::Item> ClassParser::parse_item(std::size_t open_at) {
  if (cursor_.done()) return unclosed(open_at);
  if (cursor_.peek() == '\\') return parse_escape();
  const std::size_t at = cursor_.at();
  return checked({cursor_.next(), false}, at);
}

/// An escape within a class; looks have no meaning there.
Result<ClassParser::Item> ClassParser::parse_escape() {
  const std::size_t at = cursor_.at();
  PRESSO_ASSIGN(Escape escape, escapes_.parse(cursor_, flags_));
  if (escape.kind == Escape::Kind::kCharacter) return checked(escape.character, at);
  if (escape.kind != Escape::Kind::kSet) {
    return pattern_error(at, "escape sequence without a meaning in a character class");
  }
  Item item;
  item.is_set = true;
  item.set = std::move(escape.set);
  item.at = at;
  return item;
}

/// Checks a character for a class. Classes without Unicode are made of bytes, so that other
/// characters have no place in them.
Result<ClassParser::Item> ClassParser::checked(Character character, std::size_t at) {
  cursor_.name(character.code);
  if (!flags_.unicode && !character.is_byte && character.code >= 0x80) {
    return pattern_error(at, "characters beyond ASCII in a class need Unicode mode");
  }
  Item item;
  item.code = character.code;
  item.at = at;
  return item;
}

/// Steps over a '-' if the end of a range follows it.
bool ClassParser::range_follows() {
  skip_space();
  const std::size_t before = cursor_.at();
  if (!cursor_.take("-")) return false;
  skip_space();
  if (cursor_.peek() != ']' && cursor_.peek() != '-') return true;
  cursor_.move_to(before);
  return false;
}

void ClassParser::fold(CodeSet& set) const {
  if (flags_.ignore_case) flags_.unicode ? set.fold_unicode() : set.fold_ascii();
}

/// Applies the pending operation, which makes `left` the class up to here and the next operand
/// empty. Only letters need folding: escapes and names stand for sets that are closed under it, and
/// what is made of closed sets is closed.
void ClassParser::combine(Brackets& brackets) const {
  fold(brackets.letters);
  brackets.operand.add(brackets.letters);
  brackets.letters = CodeSet();
  switch (brackets.operation) {
    case '&':
      brackets.left.intersect(brackets.operand);
      break;
    case '-':
      brackets.left.subtract(brackets.operand);
      break;
    case '~':
      brackets.left.toggle(brackets.operand);
      break;
    default:
      brackets.left = std::move(brackets.operand);
  }
  brackets.operand = CodeSet();
}

CodeSet ClassParser::finish(Brackets& brackets) const {
  combine(brackets);
  if (brackets.negate) brackets.left.negate(last());
  return std::move(brackets.left);
}

}  // namespace

Result<CodeSet> parse_class(Cursor& cursor, EscapeParser& escapes, const SyntaxOptions& flags,
                            std::uint32_t depth) {
  return ClassParser(cursor, escapes, flags).parse(depth);
}

}  // namespace presso::scan_detail

// SPDX-License-Identifier: MIT
// Errors point at the backslash, or at a wrong hexadecimal digit. Letters without a meaning are
// errors, so that a meaning can be given to them later; escaped punctuation stands for itself.
#include "scan/syntax/escapes.h"

#include <optional>

#include "scan/syntax/named_classes.h"

namespace presso::scan_detail {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool is_octal(char letter) {
  return letter >= '0' && letter <= '7';
}

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

std::optional<std::uint32_t> hex_value(char digit) {
  if (is_digit(digit)) return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return std::nullopt;
}

Escape character_escape(CodePoint code, bool is_byte = false) {
  Escape escape;
  escape.character = {code, is_byte};
  return escape;
}

Escape look_escape(std::vector<Look> looks) {
  Escape escape;
  escape.kind = Escape::Kind::kLook;
  escape.looks = std::move(looks);
  return escape;
}

Escape set_escape(CodeSet set) {
  Escape escape;
  escape.kind = Escape::Kind::kSet;
  escape.set = std::move(set);
  return escape;
}

/// Reads one hexadecimal digit.
Result<std::uint32_t> next_hex_digit(Cursor& cursor, std::size_t start) {
  if (cursor.done()) return pattern_error(start, "incomplete escape sequence");
  const std::optional<std::uint32_t> value = hex_value(cursor.peek());
  if (!value) return pattern_error(cursor.at(), "invalid hexadecimal digit");
  cursor.next();
  return *value;
}

/// Reads "{...}", at the brace, with any number of digits.
Result<CodePoint> parse_braced_hex(Cursor& cursor, std::size_t start) {
  cursor.take("{");
  if (cursor.peek() == '}') return pattern_error(start, "hexadecimal escape without digits");
  CodePoint code = 0;
  while (!cursor.take("}")) {
    PRESSO_ASSIGN(const std::uint32_t digit, next_hex_digit(cursor, start));
    if (code <= kLastCodePoint) code = code << 4 | digit;
  }
  return code;
}

/// Exactly `digits` hexadecimal digits. Error: at `start`, if there are fewer.
Result<CodePoint> parse_fixed_hex(Cursor& cursor, std::size_t start, int digits) {
  CodePoint code = 0;
  for (int i = 0; i < digits; ++i) {
    PRESSO_ASSIGN(const std::uint32_t digit, next_hex_digit(cursor, start));
    code = code << 4 | digit;
  }
  return code;
}

/// Reads what follows \x, \u or \U: exactly `digits` digits, or any number of them in braces. \xFF
/// without Unicode is a byte.
Result<Escape> parse_hex(Cursor& cursor, std::size_t start, int digits, bool unicode) {
  const bool braced = cursor.peek() == '{';
  PRESSO_ASSIGN(const CodePoint code,
                braced ? parse_braced_hex(cursor, start) : parse_fixed_hex(cursor, start, digits));
  if (code > kLastCodePoint || (code >= 0xD800 && code <= 0xDFFF)) {
    return pattern_error(start, "not a Unicode character");
  }
  return character_escape(code, !unicode && !braced && digits == 2);
}

/// Reads an octal number, at its first digit: \0 to \777. A lone digit other than 0 would be a
/// backreference, which is an error.
Result<Escape> parse_octal(Cursor& cursor, std::size_t start, bool unicode) {
  const bool lone = cursor.peek() != '0' && !is_octal(cursor.peek(1));
  if (lone || !is_octal(cursor.peek())) {
    return pattern_error(start, "backreferences are not supported");
  }
  CodePoint code = 0;
  for (int i = 0; i < 3 && is_octal(cursor.peek()); ++i) {
    code = code << 3 | static_cast<CodePoint>(cursor.next() - '0');
  }
  return character_escape(code, !unicode && code <= kLastByte);
}

bool has_unicode_words(const SyntaxOptions& flags) {
  return flags.unicode && !flags.ascii_escapes;
}

Look boundary(bool unicode) {
  return unicode ? Look::kWordBoundary : Look::kAsciiBoundary;
}

/// The looks that \b{name}, \< and \> stand for; none for a name without a meaning. A word begins
/// where a boundary has no word character before it.
std::vector<Look> named_boundary(std::string_view name) {
  if (name == "start") return {Look::kWordBoundary, Look::kWordStartHalf};
  if (name == "end") return {Look::kWordBoundary, Look::kWordEndHalf};
  if (name == "start-half") return {Look::kWordStartHalf};
  if (name == "end-half") return {Look::kWordEndHalf};
  return {};
}

/// The escape for one side of a word, or the error if the name is unknown or Unicode is off.
Result<Escape> word_side(std::string_view name, std::size_t start, bool unicode) {
  std::vector<Look> looks = named_boundary(name);
  if (looks.empty()) {
    return pattern_error(start,
                         "unknown word boundary; there are \\b{start}, \\b{end}, "
                         "\\b{start-half} and \\b{end-half}");
  }
  if (!unicode) return pattern_error(start, "this word boundary needs Unicode mode");
  return look_escape(std::move(looks));
}

/// Reads what follows \b: a brace and a letter begin a name; a brace and a digit are a repetition
/// of \b.
Result<Escape> parse_boundary(Cursor& cursor, std::size_t start, bool unicode) {
  if (cursor.peek() != '{' || !is_letter(cursor.peek(1))) return look_escape({boundary(unicode)});
  const std::size_t begin = cursor.at() + 1;
  const std::size_t end = cursor.text().find('}', begin);
  if (end == std::string_view::npos) return pattern_error(start, "unclosed \\b{");
  cursor.move_to(end + 1);
  return word_side(cursor.text().substr(begin, end - begin), start, unicode);
}

/// The control character that a letter stands for after a backslash, if any.
std::optional<char> control_character(char letter) {
  switch (letter) {
    case 'a':
      return '\a';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return std::nullopt;
  }
}

/// The set of \d \s \w and, for upper-case letters, of their opposites.
Escape perl_escape(char letter, const SyntaxOptions& flags) {
  const bool negate = letter < 'a';
  const bool ascii = !flags.unicode || flags.ascii_escapes;
  const char name = negate ? static_cast<char>(letter + 32) : letter;
  CodeSet set = perl_class(name, !ascii);
  if (flags.ascii_escapes && name == 's') set.subtract(CodeSet('\v', '\v'));
  if (flags.ascii_escapes && flags.unicode && flags.ignore_case) set.fold_unicode();
  if (negate) set.negate(flags.unicode ? kLastCodePoint : kLastByte);
  return set_escape(std::move(set));
}

Escape any_byte_escape() {
  Escape escape;
  escape.kind = Escape::Kind::kAnyByte;
  return escape;
}

/// The error for an escape without a meaning; for \Z it names the one that was meant.
Error unrecognized(CodePoint letter, std::size_t start) {
  std::string what = "unrecognized escape sequence";
  if (letter > ' ') what.append(" '\\").append(encoded(letter)).append("'");
  if (letter == 'Z') what += "; the end of the text is \\z";
  return pattern_error(start, std::move(what));
}

/// Every escape that is a single letter or sign; the cursor is already past it.
Result<Escape> simple_escape(CodePoint letter, std::size_t start, const SyntaxOptions& flags) {
  if (letter >= 0x80) return unrecognized(letter, start);
  const char ascii = static_cast<char>(letter);
  if (!is_letter(ascii)) return character_escape(letter);
  if (const auto control = control_character(ascii)) return character_escape(Byte(*control));
  switch (ascii) {
    case 'A':
      return look_escape({Look::kTextStart});
    case 'z':
      return look_escape({Look::kTextEnd});
    case 'B':
      return look_escape(
          {has_unicode_words(flags) ? Look::kNotWordBoundary : Look::kNotAsciiBoundary});
    case 'C':
      return any_byte_escape();
    case 'd':
    case 's':
    case 'w':
    case 'D':
    case 'S':
    case 'W':
      return perl_escape(ascii, flags);
    default:
      return unrecognized(letter, start);
  }
}

}  // namespace

/// Parses an escape from its backslash on. Which kinds have a meaning where is the caller's to
/// judge.
Result<Escape> EscapeParser::parse(Cursor& cursor, const SyntaxOptions& flags) {
  const std::size_t start = cursor.at();
  cursor.next();
  if (cursor.done()) return pattern_error(start, "incomplete escape sequence");
  const char letter = cursor.peek();
  if (is_digit(letter)) return parse_octal(cursor, start, flags.unicode);
  if (letter == 'p' || letter == 'P') return parse_property(cursor, flags);
  const CodePoint code = cursor.next();
  switch (letter) {
    case 'x':
      return parse_hex(cursor, start, 2, flags.unicode);
    case 'u':
      return parse_hex(cursor, start, 4, flags.unicode);
    case 'U':
      return parse_hex(cursor, start, 8, flags.unicode);
    case 'b':
      return parse_boundary(cursor, start, has_unicode_words(flags));
    case '<':
      return word_side("start", start, has_unicode_words(flags));
    case '>':
      return word_side("end", start, has_unicode_words(flags));
    default:
      return simple_escape(code, start, flags);
  }
}

/// Reads \p or \P, at the letter: a name of one letter, or {name}.
Result<Escape> EscapeParser::parse_property(Cursor& cursor, const SyntaxOptions& flags) {
  const std::size_t start = cursor.at() - 1;
  bool negate = cursor.next() == 'P';
  if (cursor.done()) return pattern_error(start, "incomplete escape sequence");
  std::size_t begin = cursor.at();
  if (!cursor.take("{")) {
    cursor.next();
    return property_set(cursor.text().substr(begin, cursor.at() - begin), negate, start, flags);
  }
  const std::size_t end = cursor.text().find('}', begin);
  if (end == std::string_view::npos) return pattern_error(start, "unclosed Unicode property");
  if (cursor.take("^")) negate = !negate;
  begin = cursor.at();
  cursor.move_to(end + 1);
  return property_set(cursor.text().substr(begin, end - begin), negate, start, flags);
}

/// The set of a property, folded and negated as the flags and the escape say.
Result<Escape> EscapeParser::property_set(std::string_view name, bool negate, std::size_t at,
                                          const SyntaxOptions& flags) {
  if (!flags.unicode) return pattern_error(at, "Unicode properties need Unicode mode");
  const std::string key = {flags.ignore_case ? 'i' : '-', negate ? '^' : '-'};
  auto known = known_.find(key + std::string(name));
  if (known == known_.end()) {
    std::optional<CodeSet> set = unicode_property(name);
    if (!set) return pattern_error(at, "unknown Unicode property " + quoted(name));
    if (flags.ignore_case) set->fold_unicode();
    if (negate) set->negate(kLastCodePoint);
    known = known_.emplace(key + std::string(name), std::move(*set)).first;
  }
  return set_escape(known->second);
}

}  // namespace presso::scan_detail

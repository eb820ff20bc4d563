// SPDX-License-Identifier: MIT
// Implements token.h, the lexer of expressions and statements: one pass over the text with one
// character of look-ahead, except for dates (1994-01-01), which need ten, as they begin like
// numbers.
#include "query/expression/token.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "format/ascii.h"
#include "scan/syntax/cursor.h"
#include "scan/unicode/unicode.h"

namespace presso::expression_detail {
namespace {

using TokenKind = Token::Kind;

/// Words that cannot be names in any expression, because an operand or operator may begin with
/// them.
constexpr std::array<std::string_view, 18> kReserved = {
    "and", "as", "between", "case", "distinct", "else", "end",  "false", "ilike",
    "in",  "is", "like",    "not",  "null",     "or",   "then", "true",  "when"};

/// Reserved in statements as well; otherwise `select a from t` would give `a` the name `from`.
/// Words of joins (left, semi, ...) are not among them, because columns and functions have such
/// names; they only cannot name a table without AS.
constexpr std::array<std::string_view, 18> kReservedInStatements = {
    "all", "except", "from",    "group",  "having", "intersect", "join",  "limit",  "offset",
    "on",  "order",  "qualify", "select", "union",  "using",     "where", "window", "with"};

/// Longer symbols come before their prefixes, as the first one that fits is taken.
constexpr std::array<std::string_view, 36> kSymbols = {
    "!~~*", "->>", "!~~", "~~*", "->", "::", ":=", "||", "==", "<>", "!=", "<=",
    ">=",   "//",  "!~",  "~~",  "**", "(",  ")",  ",",  ".",  "+",  "-",  "*",
    "/",    "%",   "=",   "<",   ">",  "~",  "[",  "]",  ":",  "^",  "{",  "}"};

/// A literal of this shape is a date without further marks.
constexpr std::string_view kDateShape = "dddd-dd-dd";

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}
bool is_space(char letter) {
  return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

/// Holds the place in the text while tokens are made.
class Lexer {
 public:
  Lexer(std::string_view text, Grammar grammar) : text_(text), grammar_(grammar) {}
  std::vector<Token> run();

 private:
  /// Skips white space and, in a statement, comments; a comment without an end is left, for next()
  /// to report.
  void skip_space();
  /// Bytes of the comment that begins here; 0 if none does, or it has no end.
  std::size_t comment_size() const;
  /// The token that follows after white space.
  Token next();
  Token token(TokenKind kind, std::size_t size) const {
    return {kind, at_, text_.substr(at_, size), {}, false};
  }
  Token quoted(TokenKind kind, char quote) const;
  /// A number or a date; an error if a name follows without a space.
  Token number() const;
  Token other() const;
  std::size_t number_size() const;
  std::size_t digits_size(std::size_t at) const;
  /// Bytes of the character at `at` if it may stand in a name, else 0. Letters and digits are those
  /// of Unicode.
  std::size_t name_character(std::size_t at) const;
  /// Bytes of the name that begins at `at`; 0 if none does.
  std::size_t name_size(std::size_t at) const;
  bool is_date() const;
  char letter(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  scan_detail::Decoded character(std::size_t at) const;
  Token no_token(std::size_t size, std::string_view problem) const {
    return {TokenKind::kEnd, at_, text_.substr(at_, size), problem, false};
  }

  std::string_view text_;
  Grammar grammar_;
  std::size_t at_ = 0;
};

/// Ends at the first kEnd, which is either the end of the text or something that is no token.
std::vector<Token> Lexer::run() {
  std::vector<Token> tokens;
  do {
    tokens.push_back(next());
    at_ = tokens.back().end();
  } while (tokens.back().kind != TokenKind::kEnd);
  return tokens;
}

/// A `--` comment ends before its line feed, which is white space.
std::size_t Lexer::comment_size() const {
  if (grammar_ != Grammar::kStatement) return 0;
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("--")) return std::min(rest.find('\n'), rest.size());
  if (!rest.starts_with("/*")) return 0;
  const std::size_t end = rest.find("*/", 2);
  return end == std::string_view::npos ? 0 : end + 2;
}

/// White space is that of C's isspace(), ASCII only.
void Lexer::skip_space() {
  while (at_ < text_.size()) {
    const std::size_t size = is_space(text_[at_]) ? 1 : comment_size();
    if (size == 0) return;
    at_ += size;
  }
}

/// The first character decides the kind: quotes, digits, letters, and symbols for all else.
Token Lexer::next() {
  skip_space();
  if (at_ == text_.size()) return token(TokenKind::kEnd, 0);
  const char first = text_[at_];
  if (first == '\'') return quoted(TokenKind::kString, first);
  if (first == '"' || first == '`') return quoted(TokenKind::kQuoted, first);
  if (is_digit(first) || (first == '.' && is_digit(letter(at_ + 1)))) return number();
  if (const std::size_t size = name_size(at_); size != 0) {
    Token word = token(TokenKind::kWord, size);
    word.reserved = is_reserved(word.text, grammar_);
    return word;
  }
  return other();
}

Token Lexer::quoted(TokenKind kind, char quote) const {
  std::size_t at = at_ + 1;
  for (; at < text_.size(); ++at) {
    if (text_[at] != quote) continue;
    if (letter(at + 1) != quote) break;
    ++at;
  }
  if (at >= text_.size()) {
    return no_token(1, kind == TokenKind::kString ? "the string that begins here is never closed"
                                                  : "the name that begins here is never closed");
  }
  const Token result = token(kind, at + 1 - at_);
  if (kind == TokenKind::kQuoted && result.text.size() == 2) {
    return no_token(2, "a name must not be empty; strings stand in single quotes");
  }
  return result;
}

/// The shape only; whether the day exists is checked when the expression is bound.
bool Lexer::is_date() const {
  for (std::size_t i = 0; i < kDateShape.size(); ++i) {
    const char found = letter(at_ + i);
    if (kDateShape[i] == 'd' ? !is_digit(found) : found != kDateShape[i]) return false;
  }
  return !is_digit(letter(at_ + kDateShape.size()));
}

/// Bytes of digits with single `_` between them.
std::size_t Lexer::digits_size(std::size_t at) const {
  const std::size_t begin = at;
  while (is_digit(letter(at)) || (at > begin && letter(at) == '_' && is_digit(letter(at + 1)))) {
    ++at;
  }
  return at - begin;
}

/// Digits, an optional point with digits, an optional exponent. `1e` is the number 1 and a name,
/// which number() then refuses.
std::size_t Lexer::number_size() const {
  std::size_t at = at_ + digits_size(at_);
  if (letter(at) == '.') at += 1 + digits_size(at + 1);
  if (ascii::lower(letter(at)) == 'e') {
    const std::size_t sign = letter(at + 1) == '+' || letter(at + 1) == '-' ? 1 : 0;
    const std::size_t digits = digits_size(at + 1 + sign);
    if (digits != 0) at += 1 + sign + digits;
  }
  return at - at_;
}

/// A number that runs into a name would otherwise be read as two tokens, and fail with a worse
/// message.
Token Lexer::number() const {
  const bool date = is_date();
  const std::size_t size = date ? kDateShape.size() : number_size();
  if (name_character(at_ + size) != 0) {
    return no_token(size + name_size(at_ + size),
                    date ? "a date runs into a name; a time is written TIMESTAMP "
                           "'1994-01-01 12:00:00'"
                         : "a number runs into a name; names that begin with a digit stand in "
                           "double quotes");
  }
  return token(date ? TokenKind::kDate : TokenKind::kNumber, size);
}

scan_detail::Decoded Lexer::character(std::size_t at) const {
  const auto* bytes = reinterpret_cast<const Byte*>(text_.data());
  return scan_detail::decode(bytes + at, bytes + text_.size());
}

/// A byte that is not valid UTF-8 cannot be part of a name.
std::size_t Lexer::name_character(std::size_t at) const {
  if (at >= text_.size()) return 0;
  const char first = ascii::lower(text_[at]);
  if (static_cast<Byte>(first) < 0x80) {
    return (first >= 'a' && first <= 'z') || is_digit(first) || first == '_' ? 1 : 0;
  }
  const scan_detail::Decoded decoded = character(at);
  return decoded.bytes != 0 && scan_detail::is_word(decoded.code) ? decoded.bytes : 0;
}

std::size_t Lexer::name_size(std::size_t at) const {
  std::size_t end = at;
  while (const std::size_t size = name_character(end)) end += size;
  return end - at;
}

/// A symbol, or the reason why nothing can begin here. Frequent mistakes (&&, !, typographic
/// quotes) get messages of their own.
Token Lexer::other() const {
  const std::string_view rest = text_.substr(at_);
  if (grammar_ == Grammar::kStatement) {
    for (const char symbol : {';', '?', '$'}) {
      if (rest.starts_with(symbol)) return token(TokenKind::kSymbol, 1);
    }
    if (rest.starts_with("/*")) {
      return no_token(2, "the comment that begins here is never closed");
    }
  }
  if (rest.starts_with("--")) {
    return no_token(2, "'--' begins a comment in SQL; two signs stand apart: '- -'");
  }
  for (const std::string_view symbol : kSymbols) {
    if (rest.starts_with(symbol)) return token(TokenKind::kSymbol, symbol.size());
  }
  if (rest.starts_with("&&")) return no_token(2, "'&&' has no meaning here; write AND");
  const scan_detail::Decoded decoded = character(at_);
  switch (decoded.code) {
    case '!':
      return no_token(1, "'!' has no meaning here; write NOT");
    case '|':
      return no_token(1, "'|' has no meaning here; '||' joins strings, OR conditions");
    case 0x2018:  // typographic quotes
    case 0x2019:
    case 0x201C:
    case 0x201D:
    case 0x201E:
      return no_token(decoded.bytes,
                      "strings stand in '...', names in \"...\"; this is another "
                      "kind of quote");
    default:
      return no_token(std::max(decoded.bytes, 1u), {});
  }
}

/// The message for a character that has none of its own: shown if it is printable, else by its
/// code.
std::string unexpected_character(std::string_view text) {
  const auto* bytes = reinterpret_cast<const Byte*>(text.data());
  const scan_detail::Decoded decoded = scan_detail::decode(bytes, bytes + text.size());
  if (decoded.bytes != 0 && decoded.code > ' ' && decoded.code < 0x7F) {
    return "unexpected character " + scan_detail::quoted(text);
  }
  char code[16];
  const bool valid = decoded.bytes != 0;
  std::snprintf(code, sizeof code, valid ? "U+%04X" : "0x%02X", valid ? decoded.code : bytes[0]);
  return (valid ? "unexpected character " : "unexpected byte ") + std::string(code) +
         "; names with such characters stand in double quotes";
}

/// How a token is called in "expected ..., found ...".
std::string found(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end";
    case TokenKind::kString:
      return "a string";
    case TokenKind::kQuoted:
      return "a name in double quotes";
    case TokenKind::kWord:
      return (token.reserved ? "the keyword " : "") + scan_detail::quoted(token.text);
    default:
      return scan_detail::quoted(token.text);
  }
}

}  // namespace

/// Compares without allocating, since the parser asks for every keyword in turn.
bool Token::is_word(std::string_view word) const {
  return kind == TokenKind::kWord && ascii::same_letters(text, word);
}

std::vector<Token> tokens_of(std::string_view text, Grammar grammar) {
  return Lexer(text, grammar).run();
}

bool is_reserved(std::string_view word, Grammar grammar) {
  const std::string text = lower_case(word);
  const auto is_among = [&text](const auto& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
  };
  return is_among(kReserved) || (grammar == Grammar::kStatement && is_among(kReservedInStatements));
}

/// The lexer itself decides, so that printer and parser cannot disagree.
bool is_plain_name(std::string_view name) {
  const std::vector<Token> tokens = tokens_of(name);
  return tokens.size() == 2 && tokens[0].kind == TokenKind::kWord && tokens[0].text == name &&
         tokens[1].problem.empty() && tokens[1].text.empty() && !is_reserved(name);
}

std::string unquoted(std::string_view text) {
  const char quote = text.front();
  std::string result;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == quote) ++i;
    result += text[i];
  }
  return result;
}

std::string name_of(const Token& token) {
  return token.kind == TokenKind::kQuoted ? unquoted(token.text) : std::string(token.text);
}

std::string lower_case(std::string_view text) {
  return ascii::lower(text);
}

Error error_at(std::size_t offset, std::string what) {
  Error error = make_error(ErrorCode::kInvalidArgument, std::move(what));
  error.byte_offset = offset;
  return error;
}

Error unexpected(const Token& token, std::string_view expected) {
  if (!token.problem.empty()) return error_at(token.offset, std::string(token.problem));
  if (token.kind == TokenKind::kEnd && !token.text.empty()) {
    return error_at(token.offset, unexpected_character(token.text));
  }
  if (token.is_symbol(":")) {
    return error_at(token.offset,
                    "':' has no meaning here; a time is written TIMESTAMP '1994-01-01 12:00:00', "
                    "a cast x::type");
  }
  return error_at(token.offset, "expected " + std::string(expected) + ", found " + found(token));
}

}  // namespace presso::expression_detail

// SPDX-License-Identifier: MIT
// Reads one JSON value and checks all of it as RFC 8259 defines it, nested values included. NaN,
// Infinity and -Infinity, which Python's and R's writers use, are numbers too. Nesting is kept on a
// stack of its own, so that no text can exhaust that of the thread. Strings are looked through 16
// bytes at a time. Loading reads rows with it (compress/table/text/json_tokenizer.h), and queries
// read nested values, whose text tables keep. Tested by json_tokenizer_test.cpp and
// json_suite_test.cpp in tests/unit/compress/table, and by json_path_test.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "format/columns/string_text.h"
#include "format/columns/utf8_check.h"

namespace presso {

/// The kind of a value, by its first byte; objects and arrays are kNested.
enum class JsonKind : Byte { kNull, kBool, kNumber, kString, kNested };

/// A member of an object, or an element of an array, which has no key. A string's text is between
/// its quotes, with escapes if `escaped` is set.
struct JsonMember {
  std::uint32_t key_begin = 0;
  std::uint32_t key_length = 0;
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  JsonKind kind = JsonKind::kNull;
  bool escaped = false;
  bool non_ascii = false;  ///< strings: whether a byte is not ASCII
  bool key_escaped = false;
};

/// The longest text, because places are kept as 32-bit numbers.
constexpr std::size_t kMaxJsonText = std::size_t{1} << 31;

/// Letters that may follow a backslash, except 'u'.
constexpr std::array<bool, 256> kJsonEscapeLetters = [] {
  std::array<bool, 256> letters{};
  for (const char letter : {'"', '\\', '/', 'b', 'f', 'n', 'r', 't'}) {
    letters[static_cast<Byte>(letter)] = true;
  }
  return letters;
}();

/// The value of a hexadecimal digit, or -1.
inline int json_hex_digit(Byte byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  const int letter = (byte | 0x20) - 'a';
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/// The UTF-16 unit of four hexadecimal digits; above 0xFFFF if they are none.
inline std::uint32_t json_hex_unit(const Byte* digits) {
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = json_hex_digit(digits[i]);
    if (digit < 0) return ~std::uint32_t{0};
    unit = unit << 4 | static_cast<std::uint32_t>(digit);
  }
  return unit;
}

/// The byte that a backslash and this letter stand for; 0 if they are none of JSON's short escapes.
constexpr Byte json_escaped_byte(Byte letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

/// Writes the string's text to `to`, which must have room for as many bytes, and returns its
/// length. Surrogates that are not part of a pair become U+FFFD.
std::size_t unescape_json(Bytes string, Byte* to);

/// Reads values of one text. Every step returns false where the text is not what it must be.
class JsonReader {
 public:
  explicit JsonReader(std::vector<JsonMember>& members) : members_(members) {}
  JsonReader(Bytes text, std::vector<JsonMember>& members) : members_(members) { begin(text); }

  /// Continues with another text. Line feeds are white space until read() says otherwise.
  void begin(Bytes text) {
    text_ = text.data();
    size_ = text.size();
    at_ = 0;
    line_feed_ = '\n';
  }

  /// Reads the object whose '{' is at `at`, and adds its members. A line feed is white space if
  /// `over_lines` is set, and an error otherwise. After a failure some members may have been added.
  bool read(std::size_t at, bool over_lines) {
    at_ = at + 1;
    line_feed_ = over_lines ? '\n' : ' ';
    if (next() == '}') return pass();
    while (true) {
      if (!read_member()) return false;
      const Byte mark = next();
      if (mark == '}') return pass();
      if (mark != ',') return fail("',' or '}' is expected");
      ++at_;
      next();
    }
  }

  /// Does that with the array whose '[' is at `at`, and adds its elements.
  bool read_array(std::size_t at) {
    at_ = at + 1;
    line_feed_ = '\n';
    if (next() == ']') return pass();
    while (true) {
      if (!read_value(next(), members_.emplace_back())) return false;
      const Byte mark = next();
      if (mark == ']') return pass();
      if (mark != ',') return fail("',' or ']' is expected");
      ++at_;
    }
  }

  /// Reads the value of any kind that begins at `at`.
  bool read_at(std::size_t at, JsonMember& value) {
    at_ = at;
    line_feed_ = '\n';
    return read_value(byte_at(at), value);
  }
  /// Reads a text that is one value of any kind, with white space around it.
  bool read_text(JsonMember& value) {
    line_feed_ = '\n';
    return read_value(next(), value) && ends();
  }
  /// Whether only white space follows.
  bool ends() {
    line_feed_ = '\n';
    next();
    return at_ == size_ || fail("nothing may follow the value");
  }

  /// Skips white space and returns the next byte; 0 at the end of the text.
  [[gnu::always_inline]] Byte next() {
    if (at_ < size_ && text_[at_] > ' ') return text_[at_];
    if (size_ - at_ >= 2 && text_[at_] == ' ' && text_[at_ + 1] > ' ') return text_[++at_];
    return skip_space();
  }
  /// Does that up to the line's end.
  Byte next_in_line() {
    line_feed_ = ' ';
    return next();
  }
  /// Passes one byte.
  bool pass() {
    ++at_;
    return true;
  }
  /// Notes why the text is wrong at at().
  bool fail(const char* why) {
    why_ = why;
    return false;
  }
  bool fail_at(std::size_t at, const char* why) {
    at_ = at;
    return fail(why);
  }
  std::size_t at() const { return at_; }
  const char* why() const { return why_; }

 private:
  using ByteVector = string_text::ByteVector;
  static constexpr std::size_t kStep = string_text::kStep;

  /// Places of a string's bytes without its quotes, and what was seen in it.
  struct String {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool escaped = false;
    bool non_ascii = false;
  };

  static bool is_digit(Byte byte) { return byte >= '0' && byte <= '9'; }
  bool is_space(Byte byte) const {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == line_feed_;
  }
  Byte skip_space() {
    while (at_ < size_ && is_space(text_[at_])) ++at_;
    return byte_at(at_);
  }
  /// The byte at `at`; 0 past the end, which no rule accepts.
  Byte byte_at(std::size_t at) const { return at < size_ ? text_[at] : 0; }

  /// Reads a key and its colon.
  bool read_key(String& key) {
    if (byte_at(at_) != '"') return fail("a key in double quotes is expected");
    if (!read_string(key)) return false;
    return next() == ':' ? pass() : fail("':' is expected");
  }

  /// Reads a key, a colon and a value.
  bool read_member() {
    String key;
    if (!read_key(key)) return false;
    JsonMember& member = members_.emplace_back();
    member.key_begin = static_cast<std::uint32_t>(key.begin);
    member.key_length = static_cast<std::uint32_t>(key.end - key.begin);
    member.key_escaped = key.escaped;
    return read_value(next(), member);
  }

  /// The first byte tells the kind; the rest is checked by kind.
  bool read_value(Byte first, JsonMember& member) {
    String value;
    value.begin = at_;
    bool sound = false;
    if (first == '"') {
      member.kind = JsonKind::kString;
      sound = read_string(value);
    } else if (first == '{' || first == '[') {
      member.kind = JsonKind::kNested;
      sound = skip_nested();
    } else {
      const bool word = first == 't' || first == 'f';
      member.kind = first == 'n' ? JsonKind::kNull : word ? JsonKind::kBool : JsonKind::kNumber;
      sound = skip_plain_value(first);
    }
    if (member.kind != JsonKind::kString) value.end = at_;
    member.begin = static_cast<std::uint32_t>(value.begin);
    member.length = static_cast<std::uint32_t>(value.end - value.begin);
    member.escaped = value.escaped;
    member.non_ascii = value.non_ascii;
    return sound;
  }

  /// Passes a number or a word.
  bool skip_plain_value(Byte first) {
    if (first == '-' || is_digit(first)) return skip_number();
    const char* const word = first == 'n'   ? "null"
                             : first == 't' ? "true"
                             : first == 'f' ? "false"
                             : first == 'N' ? "NaN"
                                            : "Infinity";
    return skip_word(word) || fail("a value is expected");
  }

  /// Passes this word if it stands there.
  bool skip_word(std::string_view word) {
    const std::size_t length = word.size();
    if (size_ - at_ < length || std::memcmp(text_ + at_, word.data(), length) != 0) return false;
    at_ += length;
    return true;
  }

  /// Passes digits, of which there must be at least one.
  bool skip_digits() {
    const std::size_t begin = at_;
    while (is_digit(byte_at(at_))) ++at_;
    return at_ != begin || fail("a digit is expected");
  }

  // RFC 8259: no leading zeros, digits on both sides of a point.
  bool skip_number() {
    if (text_[at_] == '-') {
      ++at_;
      if (skip_word("Infinity")) return true;
    }
    const std::size_t begin = at_;
    if (!skip_digits()) return false;
    if (text_[begin] == '0' && at_ != begin + 1) {
      return fail_at(begin, "a number begins with a zero that it does not need");
    }
    if (byte_at(at_) == '.') {
      ++at_;
      if (!skip_digits()) return false;
    }
    if ((byte_at(at_) | 0x20) != 'e') return true;
    ++at_;
    if (byte_at(at_) == '-' || byte_at(at_) == '+') ++at_;
    return skip_digits();
  }

  /// Passes an object or an array. `closer` is the bracket that closes the innermost one, and the
  /// stack holds those of the others.
  bool skip_nested() {
    String string;
    std::size_t depth = 0;
    Byte closer = 0;
    while (true) {
      const Byte first = next();
      if (first == '{' || first == '[') {
        ++at_;
        if (depth == closers_.size()) closers_.resize(2 * depth + 64);
        closers_[depth++] = closer;
        closer = static_cast<Byte>(first + 2);  // '}' or ']'
        if (next() != closer) {
          if (first == '{' && !read_key(string)) return false;
          continue;
        }
      } else if (first == '"' ? !read_string(string) : !skip_plain_value(first)) {
        return false;
      }
      Byte mark = next();
      while (mark == closer) {
        ++at_;
        closer = closers_[--depth];
        if (depth == 0) return true;
        mark = next();
      }
      if (mark != ',') {
        return fail(closer == '}' ? "',' or '}' is expected" : "',' or ']' is expected");
      }
      ++at_;
      if (closer != '}') continue;
      next();
      if (!read_key(string)) return false;
    }
  }

  /// Reads from the opening quote to after the closing one.
  bool read_string(String& string) {
    string.escaped = false;
    string.begin = at_ + 1;
    string.non_ascii = false;
    std::size_t at = skip_plain(at_ + 1, string.non_ascii);
    while (at < size_ && text_[at] == '\\') {
      const std::size_t escape = escape_bytes(at);
      if (escape == 0) return fail_at(at, "an escape in a string is none of JSON's");
      string.escaped = true;
      at = skip_plain(at + escape, string.non_ascii);
    }
    if (at >= size_) return fail_at(at, "a string is never closed");
    if (text_[at] != '"') return fail_at(at, "a string has a control character");
    string.end = at;
    at_ = at + 1;
    return !string.non_ascii || is_utf8(string);
  }

  bool is_utf8(const String& string) {
    const std::size_t length = string.end - string.begin;
    const std::size_t valid = utf8_prefix({text_ + string.begin, length});
    if (valid == length) return true;
    return fail_at(string.begin + valid, "a string has bytes that are not UTF-8");
  }

  /// The next quote, backslash, byte below a space, or the end of the text; 16 bytes a step. `top`
  /// is set if one of the bytes before it is not ASCII.
  std::size_t skip_plain(std::size_t at, bool& top) const {
    const string_text::JsonMarks marks;
    while (size_ - at >= kStep) {
      const ByteVector bytes = string_text::load_vector(text_ + at);
      const std::uint32_t found = string_text::top_bits(marks(bytes));
      const std::uint32_t tops = string_text::top_bits(bytes);
      if (found != 0) {
        top |= (tops & ((found & (0 - found)) - 1)) != 0;
        return at + static_cast<std::size_t>(std::countr_zero(found));
      }
      top |= tops != 0;
      at += kStep;
    }
    for (; at < size_; ++at) {
      const Byte byte = text_[at];
      if (byte < ' ' || byte == '"' || byte == '\\') break;
      top |= byte > 0x7F;
    }
    return at;
  }

  /// The length of the escape at `at`, which is not decoded; 0 if it is none of JSON's.
  std::size_t escape_bytes(std::size_t at) const {
    const Byte letter = byte_at(at + 1);
    if (letter != 'u') return kJsonEscapeLetters[letter] ? 2 : 0;
    return size_ - at >= 6 && json_hex_unit(text_ + at + 2) <= 0xFFFF ? 6 : 0;
  }

  const Byte* text_ = nullptr;
  std::size_t size_ = 0;
  std::size_t at_ = 0;
  Byte line_feed_ = '\n';
  const char* why_ = "";
  std::vector<Byte> closers_;
  std::vector<JsonMember>& members_;
};

}  // namespace presso

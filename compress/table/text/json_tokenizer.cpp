// SPDX-License-Identifier: MIT
// Reads a line once, from its '{' on. A byte below a space (tabs and CR aside) ends the attempt, so
// the line's end is searched for only if the line is no row. Nesting is counted, not recursed into:
// no text can exhaust the stack.
#include "compress/table/text/json_tokenizer.h"

#include <array>
#include <cstring>

#include "format/columns/string_text.h"

namespace presso {
namespace {

using string_text::ByteVector;
using string_text::kStep;

bool is_json_digit(Byte byte) {
  return byte >= '0' && byte <= '9';
}

/// Letters that may follow a backslash, except 'u'.
constexpr std::array<bool, 256> kEscapeLetters = [] {
  std::array<bool, 256> letters{};
  for (const char letter : {'"', '\\', '/', 'b', 'f', 'n', 'r', 't'}) {
    letters[static_cast<Byte>(letter)] = true;
  }
  return letters;
}();

/// The digit's value, or -1.
int hex_digit(Byte byte) {
  if (is_json_digit(byte)) return byte - '0';
  const int letter = (byte | 0x20) - 'a';
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/// The UTF-16 unit of four hexadecimal digits; above 0xFFFF if they are none.
std::uint32_t hex_unit(const Byte* digits) {
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(digits[i]);
    if (digit < 0) return ~std::uint32_t{0};
    unit = unit << 4 | static_cast<std::uint32_t>(digit);
  }
  return unit;
}

/// Reads one object. Every step returns false, or stops, where the text is not what it must be.
class ObjectReader {
 public:
  ObjectReader(Bytes text, std::size_t at, std::vector<JsonMember>& members)
      : text_(text.data()), size_(text.size()), at_(at), members_(members) {}

  /// Reads from after the '{' to after the line's end.
  bool read() {
    if (next() == '}') {
      ++at_;
      return end_line();
    }
    while (true) {
      if (!read_member()) return false;
      const Byte mark = next();
      ++at_;
      if (mark == '}') return end_line();
      if (mark != ',') return false;
      next();
    }
  }
  std::size_t at() const { return at_; }

 private:
  /// Places of a string's bytes without its quotes, and what was seen in it.
  struct String {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool escaped = false;
    bool non_ascii = false;
  };

  /// The byte at `at`; 0 past the end, which no rule accepts.
  Byte byte_at(std::size_t at) const { return at < size_ ? text_[at] : 0; }
  /// Skips white space and returns the next byte; 0 at the end of the text.
  Byte next() {
    while (at_ < size_ && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    return byte_at(at_);
  }

  /// Whether nothing but white space follows up to the line's end; passes it.
  bool end_line() {
    next();
    if (at_ == size_) return true;
    return text_[at_++] == '\n';
  }

  /// Reads a key, a colon and a value.
  bool read_member() {
    String key;
    if (!read_string(key)) return false;
    if (next() != ':') return false;
    ++at_;
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
    } else if (first == '-' || is_json_digit(first)) {
      member.kind = JsonKind::kNumber;
      sound = skip_number();
    } else {
      member.kind = first == 'n' ? JsonKind::kNull : JsonKind::kBool;
      sound = skip_word("null", 4) || skip_word("true", 4) || skip_word("false", 5);
    }
    if (member.kind != JsonKind::kString) value.end = at_;
    member.begin = static_cast<std::uint32_t>(value.begin);
    member.length = static_cast<std::uint32_t>(value.end - value.begin);
    member.escaped = value.escaped;
    member.non_ascii = value.non_ascii;
    return sound;
  }

  /// Passes this word (null, true or false) if it stands there.
  bool skip_word(const char* word, std::size_t length) {
    if (size_ - at_ < length || std::memcmp(text_ + at_, word, length) != 0) return false;
    at_ += length;
    return true;
  }

  /// Passes digits, of which there must be at least one.
  bool skip_digits() {
    const std::size_t begin = at_;
    while (is_json_digit(byte_at(at_))) ++at_;
    return at_ != begin;
  }

  // RFC 8259: no leading zeros, digits on both sides of a point.
  bool skip_number() {
    if (text_[at_] == '-') ++at_;
    const std::size_t begin = at_;
    if (!skip_digits() || (text_[begin] == '0' && at_ != begin + 1)) return false;
    if (byte_at(at_) == '.') {
      ++at_;
      if (!skip_digits()) return false;
    }
    if ((byte_at(at_) | 0x20) != 'e') return true;
    ++at_;
    if (byte_at(at_) == '-' || byte_at(at_) == '+') ++at_;
    return skip_digits();
  }

  // Counts brackets without pairing them, since such values are kept as text.
  bool skip_nested() {
    String string;
    for (std::size_t depth = 0; at_ < size_;) {
      const Byte byte = text_[at_];
      if (byte == '"') {
        if (!read_string(string)) return false;
        continue;
      }
      if (byte < ' ' && byte != '\t' && byte != '\r') return false;
      ++at_;
      if (byte == '{' || byte == '[') ++depth;
      if ((byte == '}' || byte == ']') && --depth == 0) return true;
    }
    return false;
  }

  /// Reads from the opening quote to after the closing one.
  bool read_string(String& string) {
    if (byte_at(at_) != '"') return false;
    string.begin = ++at_;
    while (true) {
      skip_plain(string);
      if (at_ >= size_ || text_[at_] < ' ') return false;
      if (text_[at_] == '"') break;
      string.escaped = true;
      if (!skip_escape()) return false;
    }
    string.end = at_++;
    return true;
  }

  /// Whether one of the first `n` bytes is not ASCII.
  static bool has_tops(ByteVector bytes, std::size_t n) {
    constexpr std::uint64_t kTops = 0x8080808080808080u;
    std::uint64_t halves[2];
    std::memcpy(halves, &bytes, kStep);
    if (((halves[0] | halves[1]) & kTops) == 0) return false;
    const std::size_t half = n / 8;
    const std::uint64_t before = (std::uint64_t{1} << (n % 8 * 8)) - 1;
    if (half == 0) return (halves[0] & before & kTops) != 0;
    return ((halves[0] | (half == 1 ? halves[1] & before : halves[1])) & kTops) != 0;
  }

  /// Skips to the next quote, backslash, byte below a space, or the end of the text; 16 bytes a
  /// step.
  void skip_plain(String& string) {
    const string_text::JsonMarks marks;
    while (size_ - at_ >= kStep) {
      const ByteVector bytes = string_text::load_vector(text_ + at_);
      const std::size_t plain = string_text::first_mark(marks(bytes));
      string.non_ascii |= has_tops(bytes, plain);
      // Up to the mark, or all 16 bytes.
      at_ += plain;
      if (plain != kStep) return;
    }
    for (; at_ < size_; ++at_) {
      const Byte byte = text_[at_];
      if (byte < ' ' || byte == '"' || byte == '\\') return;
      string.non_ascii |= byte > 0x7F;
    }
  }

  /// Checks the escape without decoding it.
  bool skip_escape() {
    const Byte letter = byte_at(at_ + 1);
    at_ += 2;
    if (letter != 'u') return kEscapeLetters[letter];
    if (at_ > size_ || size_ - at_ < 4 || hex_unit(text_ + at_) > 0xFFFF) return false;
    at_ += 4;
    return true;
  }

  const Byte* text_;
  std::size_t size_;
  std::size_t at_;
  std::vector<JsonMember>& members_;
};

/// Writes one character as UTF-8.
Byte* put_utf8(std::uint32_t code, Byte* to) {
  const auto put_rest = [&](int shift) {
    *to++ = static_cast<Byte>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x80) {
    *to++ = static_cast<Byte>(code);
  } else if (code < 0x800) {
    *to++ = static_cast<Byte>(0xC0 | code >> 6);
    put_rest(0);
  } else if (code < 0x10000) {
    *to++ = static_cast<Byte>(0xE0 | code >> 12);
    put_rest(6);
    put_rest(0);
  } else {
    *to++ = static_cast<Byte>(0xF0 | code >> 18);
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
  return to;
}

/// An escape sequence of the text and the character that it stands for.
struct Escape {
  std::size_t length = 0;  ///< in the text
  std::uint32_t code = 0;
};

/// The escape \uXXXX at `text`, or two of them that are a surrogate pair. Lone surrogates
/// become U+FFFD.
Escape unicode_escape(Bytes text) {
  const std::uint32_t unit = hex_unit(text.data() + 2);
  if (unit < 0xD800 || unit > 0xDFFF) return {6, unit};
  if (unit < 0xDC00 && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
    const std::uint32_t low = hex_unit(text.data() + 8);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      return {12, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)};
    }
  }
  return {6, 0xFFFD};
}

/// The byte that a one-letter escape stands for.
Byte escaped_byte(Byte letter) {
  switch (letter) {
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
      return letter;
  }
}

}  // namespace

/// Each iteration takes one line.
std::size_t tokenize_json(Bytes text, std::size_t at, std::size_t most_rows, JsonBatch& batch) {
  batch.members.clear();
  batch.first_member.assign(1, 0);
  batch.object.clear();
  batch.begin.assign(1, static_cast<std::uint32_t>(at));
  batch.stray.clear();
  while (at < text.size() && batch.rows() < most_rows) {
    std::size_t begin = at;
    while (begin < text.size() &&
           (text[begin] == ' ' || text[begin] == '\t' || text[begin] == '\r')) {
      ++begin;
    }
    if (begin < text.size() && text[begin] == '{') {
      ObjectReader reader(text, begin + 1, batch.members);
      if (reader.read()) {
        at = reader.at();
        batch.first_member.push_back(static_cast<std::uint32_t>(batch.members.size()));
        batch.object.push_back(static_cast<std::uint32_t>(begin));
        batch.begin.push_back(static_cast<std::uint32_t>(at));
        continue;
      }
      // A line that is no row leaves no members.
      batch.members.resize(batch.first_member.back());
    }
    if (begin == text.size()) return begin;
    if (text[begin] != '\n') batch.stray.push_back(static_cast<std::uint32_t>(at));
    const void* const end = std::memchr(text.data() + begin, '\n', text.size() - begin);
    if (end == nullptr) return text.size();
    at = static_cast<std::size_t>(static_cast<const Byte*>(end) - text.data()) + 1;
  }
  return at;
}

/// The string was checked by the tokenizer, so escapes are complete. Between them 16 bytes are
/// copied at a time.
std::size_t unescape_json(Bytes string, Byte* to) {
  const Byte* const begin = to;
  // Only backslashes matter here: the string has no quote inside.
  const string_text::QuoteMark backslash('\\');
  for (std::size_t i = 0; i < string.size();) {
    if (string.size() - i >= kStep) {  // `to` has room for all bytes of the string
      const ByteVector bytes = string_text::load_vector(string.data() + i);
      std::memcpy(to, &bytes, kStep);
      const std::size_t plain = string_text::first_mark(backslash(bytes));
      i += plain;
      to += plain;
      if (plain == kStep) continue;
    }
    if (string[i] != '\\') {
      *to++ = string[i++];
    } else if (string[i + 1] != 'u') {
      *to++ = escaped_byte(string[i + 1]);
      i += 2;
    } else {
      const Escape escape = unicode_escape(string.subspan(i));
      to = put_utf8(escape.code, to);
      i += escape.length;
    }
  }
  return static_cast<std::size_t>(to - begin);
}

}  // namespace presso

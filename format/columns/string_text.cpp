// SPDX-License-Identifier: MIT
// Escapes and quotes of strings, for printing. Strings without either are copied 16 bytes at a
// time.
#include "format/columns/string_text.h"

#include <algorithm>
#include <array>

namespace presso::string_text {
namespace {

/// The letter after the backslash: 'u' for \u00XX, 0 for bytes that stand for themselves.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t byte = 0; byte < ' '; ++byte) escapes[byte] = 'u';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}();

/// Writes \uXXXX and returns its end.
char* put_unit(char* to, std::uint32_t unit) {
  constexpr char kHex[] = "0123456789abcdef";
  *to++ = '\\';
  *to++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) *to++ = kHex[unit >> shift & 15];
  return to;
}

/// A character that was decoded.
struct Character {
  std::size_t bytes = 0;  ///< 0: it is no UTF-8
  std::uint32_t code = 0;
};

/// Decodes the UTF-8 character at text[0], which is not ASCII. Overlong forms and surrogates
/// are refused.
Character character_of(Bytes text) {
  const std::size_t bytes = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
  if (text[0] < 0xC2 || text[0] > 0xF4 || text.size() < bytes) return {};
  std::uint32_t code = text[0] & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((text[i] & 0xC0) != 0x80) return {};
    code = code << 6 | (text[i] & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
  return {bytes, code};
}

/// Characters above U+FFFF become a surrogate pair, as JSON demands.
char* put_character(char* to, std::uint32_t code) {
  if (code < 0x10000) return put_unit(to, code);
  to = put_unit(to, 0xD7C0 + (code >> 10));
  return put_unit(to, 0xDC00 + (code & 0x3FF));
}

}  // namespace

char* double_quotes(Bytes text, Byte quote, char* to) {
  for (const Byte byte : text) {
    *to = static_cast<char>(byte);
    to[1] = static_cast<char>(quote);
    to += byte == quote ? 2 : 1;
  }
  return to;
}

char* escape_json(Bytes text, char* to, JsonEscapes escapes) {
  const JsonMarks marks(escapes);
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (text.size() - i > kStep) {  // `to` has room for all bytes of the text
      const ByteVector bytes = load_vector(text.data() + i);
      std::memcpy(to, &bytes, kStep);
      const std::size_t plain = first_mark(marks(bytes));
      i += plain;
      to += plain;
      if (plain != kStep) break;
    }
    const Byte byte = text[i];
    const char escape = kEscapes[byte];
    if (escape == 'u') {
      to = put_unit(to, byte);
    } else if (escape != 0 || (byte == '/' && escapes.slashes)) {
      *to++ = '\\';
      *to++ = escape != 0 ? escape : '/';
    } else if (const Character character =
                   byte > 0x7F && escapes.ascii ? character_of(text.subspan(i)) : Character();
               character.bytes != 0) {
      to = put_character(to, character.code);
      i += character.bytes - 1;
    } else {
      *to++ = static_cast<char>(byte);
    }
  }
  return to;
}

std::size_t escaped_json_bytes(Bytes text, JsonEscapes escapes) {
  std::size_t bytes = text.size();
  for (const Byte byte : text) {
    const bool whole = kEscapes[byte] == 'u' || (byte > 0x7F && escapes.ascii);
    const bool marked = kEscapes[byte] != 0 || (byte == '/' && escapes.slashes);
    bytes += whole ? kMostJsonEscape - 1 : marked ? 1 : 0;
  }
  return bytes;
}

void append_json_string(Bytes text, std::string& to) {
  to += '"';
  const std::size_t size = to.size();
  to.resize(size + escaped_json_bytes(text));
  const char* const end = escape_json(text, to.data() + size);
  to.resize(static_cast<std::size_t>(end - to.data()));
  to += '"';
}

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

}  // namespace presso::string_text

// SPDX-License-Identifier: MIT
// Replaces the escapes of JSON strings by the characters that they stand for.
#include "format/columns/json_reader.h"

namespace presso {
namespace {

using string_text::ByteVector;
using string_text::kStep;
using string_text::put_utf8;

/// An escape sequence of the text and the character that it stands for.
struct Escape {
  std::size_t length = 0;  ///< in the text
  std::uint32_t code = 0;
};

/// The escape \uXXXX at `text`, or two of them that are a surrogate pair. Lone surrogates
/// become U+FFFD.
Escape unicode_escape(Bytes text) {
  const std::uint32_t unit = json_hex_unit(text.data() + 2);
  if (unit < 0xD800 || unit > 0xDFFF) return {6, unit};
  if (unit < 0xDC00 && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
    const std::uint32_t low = json_hex_unit(text.data() + 8);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      return {12, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)};
    }
  }
  return {6, 0xFFFD};
}

}  // namespace

/// The string was checked by JsonReader, so escapes are complete. Between them 16 bytes are
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
      *to++ = json_escaped_byte(string[i + 1]);
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

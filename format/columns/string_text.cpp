// SPDX-License-Identifier: MIT
#include "format/columns/string_text.h"

#include <algorithm>
#include <array>

namespace presso::string_text {
namespace {

/// The letter after the backslash, 0 for bytes that stand for themselves.
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

}  // namespace

char* double_quotes(Bytes text, Byte quote, char* to) {
  for (const Byte byte : text) {
    *to = static_cast<char>(byte);
    to[1] = static_cast<char>(quote);
    to += byte == quote ? 2 : 1;
  }
  return to;
}

char* escape_json(Bytes text, char* to) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const Byte byte : text) {
    const char escape = kEscapes[byte];
    if (escape == 0) {
      *to++ = static_cast<char>(byte);
      continue;
    }
    *to++ = '\\';
    *to++ = escape;
    if (escape != 'u') continue;
    to = std::copy_n("00", 2, to);
    *to++ = kHex[byte >> 4];
    *to++ = kHex[byte & 15];
  }
  return to;
}

std::size_t escaped_json_bytes(Bytes text) {
  std::size_t bytes = text.size();
  for (const Byte byte : text) {
    const char escape = kEscapes[byte];
    bytes += escape == 0 ? 0 : escape == 'u' ? kMostJsonEscape - 1 : 1;
  }
  return bytes;
}

}  // namespace presso::string_text

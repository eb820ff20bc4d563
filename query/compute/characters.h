// SPDX-License-Identifier: MIT
// Characters of a string: code points of UTF-8, where a byte that is not part of valid UTF-8 counts
// as one character, so that binary columns work.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "format/columns/string_text.h"
#include "scan/unicode/unicode.h"

namespace presso::query {

/// Returns the bytes of the first character of `text`, which is not empty.
inline std::size_t character_bytes(Bytes text) {
  if (text[0] < 0x80) return 1;
  const auto decoded = scan_detail::decode(text.data(), text.data() + text.size());
  return decoded.bytes == 0 ? 1 : decoded.bytes;
}

/// Linear in the bytes.
inline std::int64_t count_characters(Bytes text) {
  std::int64_t count = 0;
  while (!text.empty()) {
    text = text.subspan(character_bytes(text));
    ++count;
  }
  return count;
}

/// Returns `text` without its first `count` characters.
inline Bytes behind(Bytes text, std::int64_t count) {
  for (; count > 0 && !text.empty(); --count) text = text.subspan(character_bytes(text));
  return text;
}

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}
using string_text::view_of;

/// Removes the first character from `text`, which is not empty, and returns it.
inline std::string_view take_character(std::string_view& text) {
  const std::string_view first = text.substr(0, character_bytes(bytes_of(text)));
  text.remove_prefix(first.size());
  return first;
}

/// The parts of a text between separators; an empty one stands between any two characters.
inline std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  if (separator.empty()) {
    while (!text.empty()) parts.push_back(take_character(text));
    return parts;
  }
  for (std::size_t at = 0; (at = text.find(separator)) != text.npos;) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

}  // namespace presso::query

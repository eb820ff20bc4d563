// SPDX-License-Identifier: MIT
// Cheap checks of a value's text, for type inference: eight bytes at a time if there are eight.
// They never read outside of the text: four to seven bytes are read as two overlapping half words.
#pragma once

#include <string_view>

#include "format/columns/utf8_check.h"
#include "presso/bytes.h"

namespace presso {

/// Views the bytes as a text, and a text as bytes.
inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// Whether all bytes of the word are '0' to '9': the upper half of each is 3, and stays so when 6
/// is added.
inline bool all_digits(std::uint64_t word) {
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0u;
  constexpr std::uint64_t kThrees = 0x3030303030303030u;
  return ((word & kHigh) ^ kThrees) == 0 && (((word + 0x0606060606060606u) & kHigh) ^ kThrees) == 0;
}

/// Whether there is at least one byte and all are digits.
inline bool all_digits(const Byte* text, std::size_t size) {
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) {
      if (!all_digits(load<std::uint64_t>(text + i))) return false;
    }
    return all_digits(load<std::uint64_t>(text + size - 8));
  }
  if (size >= 4) {
    return all_digits(load<std::uint32_t>(text) |
                      std::uint64_t{load<std::uint32_t>(text + size - 4)} << 32);
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  return size != 0;
}

/// Whether the text is a number of digits without leading zeros.
inline bool is_plain_number(const Byte* text, std::size_t size) {
  return all_digits(text, size) && (text[0] != '0' || size == 1);
}

}  // namespace presso

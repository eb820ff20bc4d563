// SPDX-License-Identifier: MIT
// Strings inside of keys: a zero byte becomes 00 FF and the end 00 00, so that a string that is the
// beginning of another one comes first whatever follows.
#include "format/columns/key_rows.h"

namespace presso {
namespace {

constexpr Byte kEscape = 0xFF;  ///< follows a 00 that is part of a string

}  // namespace

Byte* write_string_key(Bytes text, Byte* to) {
  while (!text.empty()) {
    const auto zero = std::find(text.begin(), text.end(), Byte{0});
    to = std::copy(text.begin(), zero, to);
    if (zero == text.end()) break;
    *to++ = 0;
    *to++ = kEscape;
    text = text.subspan(static_cast<std::size_t>(zero - text.begin()) + 1);
  }
  *to++ = 0;
  *to++ = 0;
  return to;
}

}  // namespace presso

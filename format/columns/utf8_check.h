// SPDX-License-Identifier: MIT
// Tells whether bytes are UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing
// above U+10FFFF. ASCII is passed 16 bytes at a time, other characters one by one. Tested by
// tests/unit/format/columns/arrow_format_test.cpp and the tests of type inference.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/bytes.h"

namespace presso {

/// The number of bytes at the front of `text` that are valid UTF-8.
std::size_t utf8_prefix(Bytes text);
inline bool is_valid_utf8(Bytes text) {
  return utf8_prefix(text) == text.size();
}

/// Appends `text` with U+FFFD in place of each byte at which no valid character begins.
void append_as_utf8(std::vector<Byte>& to, Bytes text);

/// Whether each of the strings between two neighbouring offsets into `values` is valid UTF-8. They
/// are looked at as one text; then none of them may begin inside a character.
bool are_valid_utf8(const Byte* values, std::span<const std::int64_t> offsets);

}  // namespace presso

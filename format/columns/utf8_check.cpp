// SPDX-License-Identifier: MIT
// Checks UTF-8 by table 3-7 of the Unicode standard: the second byte of a character tells
// overlong forms and surrogates, and its permitted range depends on the first byte. ASCII is passed
// eight bytes at a time; the commonest characters of other scripts are told by one word.
#include "format/columns/utf8_check.h"

#include <bit>
#include <iterator>

namespace presso {
namespace {

/// What the first byte of a character tells about it.
struct Lead {
  unsigned length;  ///< in bytes; 0: no character begins so
  Byte second_least;
  Byte second_most;
};

Lead lead_of(Byte first) {
  if (first < 0xC2) return {0, 0, 0};
  if (first < 0xE0) return {2, 0x80, 0xBF};
  if (first < 0xF0) {
    const Byte least = first == 0xE0 ? 0xA0 : 0x80;
    const Byte most = first == 0xED ? 0x9F : 0xBF;
    return {3, least, most};
  }
  if (first > 0xF4) return {0, 0, 0};
  const Byte least = first == 0xF0 ? 0x90 : 0x80;
  const Byte most = first == 0xF4 ? 0x8F : 0xBF;
  return {4, least, most};
}

/// The length of the character at the front of `text`, which is not ASCII; 0 where there is
/// none.
std::size_t character(Bytes text) {
  const Lead lead = lead_of(text[0]);
  if (lead.length == 0 || text.size() < lead.length) return 0;
  if (text[1] < lead.second_least || text[1] > lead.second_most) return 0;
  for (unsigned i = 2; i < lead.length; ++i) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  return lead.length;
}

/// The length of a valid character of two or three bytes, told by the first bytes of `word`; 0 for
/// any other.
std::size_t common_character(std::uint32_t word) {
  if ((word & 0xC0E0) == 0x80C0) return (word & 0x1E) != 0 ? 2 : 0;
  if ((word & 0xC0C0F0) != 0x8080E0) return 0;
  const std::uint32_t top = word & 0x200F;  // of an overlong form all 0; of a surrogate 0x200D
  return top != 0 && top != 0x200D ? 3 : 0;
}

}  // namespace

std::size_t utf8_prefix(Bytes text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  const auto word = [&](std::size_t at) { return load<std::uint64_t>(text.data() + at); };
  for (std::size_t at = 0; at < text.size();) {
    if (text.size() - at >= 8) {
      const std::uint64_t high = word(at) & kHighBits;
      if (high == 0) {
        at += 8;
        continue;
      }
      at += static_cast<std::size_t>(std::countr_zero(high)) / 8;
    } else if (text[at] < 0x80) {
      ++at;
      continue;
    }
    const bool has_word = text.size() - at >= 4;
    std::size_t length = has_word ? common_character(load<std::uint32_t>(text.data() + at)) : 0;
    if (length == 0) length = character(text.subspan(at));
    if (length == 0) return at;
    at += length;
  }
  return text.size();
}

void append_as_utf8(std::vector<Byte>& to, Bytes text) {
  constexpr Byte kReplacement[] = {0xEF, 0xBF, 0xBD};
  for (;;) {
    const std::size_t valid = utf8_prefix(text);
    to.insert(to.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(valid));
    if (valid == text.size()) return;
    to.insert(to.end(), std::begin(kReplacement), std::end(kReplacement));
    text = text.subspan(valid + 1);
  }
}

bool are_valid_utf8(const Byte* values, std::span<const std::int64_t> offsets) {
  if (offsets.empty() || offsets.front() == offsets.back()) return true;
  const auto bytes = static_cast<std::size_t>(offsets.back() - offsets.front());
  if (!is_valid_utf8({values + offsets.front(), bytes})) return false;
  for (const std::int64_t offset : offsets) {
    if (offset < offsets.back() && (values[offset] & 0xC0) == 0x80) return false;
  }
  return true;
}

}  // namespace presso

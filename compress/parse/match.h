// SPDX-License-Identifier: MIT
// Comparing bytes and hashing, shared by the match finders. No function reads beyond the limits
// that it is given, as blocks lie at the end of their memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "presso/bytes.h"

namespace presso {

/// The number of equal bytes at the front of `a` and `b`, at most `limit`; nothing from a +
/// limit on is read.
inline std::uint32_t common_length(const Byte* a, const Byte* b, std::uint32_t limit) {
  std::uint32_t length = 0;
  while (length + 8 <= limit) {
    const std::uint64_t difference =
        load<std::uint64_t>(a + length) ^ load<std::uint64_t>(b + length);
    if (difference != 0)
      return length + static_cast<std::uint32_t>(std::countr_zero(difference)) / 8;
    length += 8;
  }
  while (length < limit && a[length] == b[length]) ++length;
  return length;
}

/// The number of equal bytes at `a` and `b`, at most `limit`, of which allowed(length) says how
/// many of `length` may be copied (DependencyTracker::legal_length()). More bytes are compared only
/// while all of them are allowed: in a run of one byte all of the rest is equal at every place,
/// while the strict rule may allow only a few bytes, and comparing everything would take the square
/// of the run.
template <class Allowed>
[[gnu::always_inline]] inline std::uint32_t allowed_length(const Byte* a, const Byte* b,
                                                           std::uint32_t limit, Allowed allowed) {
  constexpr std::uint32_t kComparedFirst = 256;
  for (std::uint32_t most = std::min(limit, kComparedFirst);; most = std::min(limit, 4 * most)) {
    const std::uint32_t length = allowed(common_length(a, b, most));
    if (length < most || most == limit) return length;
  }
}

/// The number of equal bytes before `a` and `b`, at most `limit`. `readable` bytes before each
/// may be read.
inline std::uint32_t common_length_back(const Byte* a, const Byte* b, std::uint32_t limit,
                                        std::uint32_t readable) {
  std::uint32_t length = 0;
  for (; length < limit && length + 8 <= readable; length += 8) {
    const std::uint64_t difference =
        load<std::uint64_t>(a - length - 8) ^ load<std::uint64_t>(b - length - 8);
    if (difference != 0) {
      return std::min(limit, length + static_cast<std::uint32_t>(std::countl_zero(difference)) / 8);
    }
  }
  if (length >= limit) return limit;
  while (length < limit && *(a - length - 1) == *(b - length - 1)) ++length;
  return length;
}

/// How many bits the index of a table has for a text of this size: with them there is an entry for
/// every 2^(bytes_log2 - 1) to 2^bytes_log2 bytes; at least `least` and at most `most`.
inline unsigned index_bits(std::size_t text_bytes, unsigned bytes_log2, unsigned least,
                           unsigned most) {
  const auto log2 = static_cast<unsigned>(std::bit_width(text_bytes));
  return std::clamp(log2 - std::min(log2, bytes_log2), least, most);
}

/// A multiplicative hash (Knuth) of all of `word`; to hash its first bytes only, shift them to
/// the upper end.
inline std::uint32_t hash_word(std::uint64_t word, unsigned bits) {
  return static_cast<std::uint32_t>((word * 0x9E3779B185EBCA87u) >> (64 - bits));
}
template <unsigned kBytes>
std::uint32_t hash_bytes(std::uint64_t word, unsigned bits) {
  return hash_word(word << (64 - 8 * kBytes), bits);
}

/// Multiplicative hashes of the first 4 or 6 bytes; the caller ensures that 4 or 8 can be read.
inline std::uint32_t hash4(const Byte* at, unsigned bits) {
  return (load<std::uint32_t>(at) * 2654435761u) >> (32 - bits);
}
inline std::uint32_t hash6(const Byte* at, unsigned bits) {
  return static_cast<std::uint32_t>(((load<std::uint64_t>(at) << 16) * 227718039650203u) >>
                                    (64 - bits));
}

}  // namespace presso

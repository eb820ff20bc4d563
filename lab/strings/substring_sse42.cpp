// SPDX-License-Identifier: MIT
// PCMPESTRI in its "equal ordered" mode finds where in 16 bytes of text a pattern of up to 16 bytes
// stands or, cut off by the register's end, begins. A match that is cut off is looked at again from
// where it begins. Lengths are explicit, so NUL bytes are bytes as any other. Compiled with
// -msse4.2.
#if defined(__x86_64__)
#include <nmmintrin.h>

#include <cstring>

#include "lab/strings/substring.h"
#include "lab/strings/substring_kernels.h"

namespace presso::strings {
namespace {

constexpr std::uint64_t kRegister = Needle::kRegister;

__m128i load_text(const Byte* from, std::uint64_t count, const Byte* readable_end) {
  if (from + kRegister <= readable_end) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  alignas(16) Byte copy[kRegister] = {};
  std::memcpy(copy, from, count);
  return _mm_load_si128(reinterpret_cast<const __m128i*>(copy));
}

std::uint64_t find_end(const Needle& needle, const Byte* text, std::uint64_t at,
                       std::uint64_t length, const Byte* readable_end) {
  if (needle.length == 0) return at;
  const __m128i pattern = _mm_load_si128(reinterpret_cast<const __m128i*>(needle.head));
  while (at + needle.length <= length) {
    const std::uint64_t count = length - at < kRegister ? length - at : kRegister;
    const __m128i bytes = load_text(text + at, count, readable_end);
    const auto place = static_cast<std::uint64_t>(
        _mm_cmpestri(pattern, static_cast<int>(needle.length), bytes, static_cast<int>(count),
                     _SIDD_UBYTE_OPS | _SIDD_CMP_EQUAL_ORDERED));
    if (place + needle.length <= count) return at + place + needle.length;
    at += place;  // the register's size where there is none
  }
  return kNotFound;
}

}  // namespace

bool contains_needles_sse42(const Needle* needles, std::size_t count, const Byte* text,
                            std::uint64_t length, const Byte* readable_end) {
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at = find_end(needles[i], text, at, length, readable_end);
    if (at == kNotFound) return false;
  }
  return true;
}

}  // namespace presso::strings
#endif

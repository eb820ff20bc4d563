// SPDX-License-Identifier: MIT
// 32 places at a time: where the pattern's first and last byte stand at the right distance, the
// bytes between are compared. Compiled with -mavx2 -mbmi.
#if defined(__x86_64__)
#include <immintrin.h>

#include <bit>
#include <cstring>

#include "lab/strings/substring.h"
#include "lab/strings/substring_kernels.h"

namespace presso::strings {
namespace {

constexpr std::uint64_t kPlaces = 32;

__m256i load_text(const Byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

bool stands_at(const Needle& needle, const Byte* text) {
  return std::memcmp(text, needle.pattern.data(), needle.length) == 0;
}

/// Those of the places [text, text + count), count <= kPlaces, that may begin the pattern.
std::uint32_t candidates(const Needle& needle, const Byte* text, std::uint64_t count,
                         const Byte* readable_end) {
  const Byte* const last = text + needle.length - 1;
  if (last + kPlaces > readable_end) return static_cast<std::uint32_t>((1ull << count) - 1);
  const auto byte = [&](std::size_t place) { return _mm256_set1_epi8(needle.pattern[place]); };
  const __m256i hits =
      _mm256_and_si256(_mm256_cmpeq_epi8(load_text(text), byte(0)),
                       _mm256_cmpeq_epi8(load_text(last), byte(needle.length - 1)));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(hits)) &
         static_cast<std::uint32_t>((1ull << count) - 1);
}

std::uint64_t find_end(const Needle& needle, const Byte* text, std::uint64_t at,
                       std::uint64_t length, const Byte* readable_end) {
  if (needle.length == 0) return at;
  for (; at + needle.length <= length; at += kPlaces) {
    const std::uint64_t places = length - needle.length + 1 - at;
    std::uint32_t hits =
        candidates(needle, text + at, places < kPlaces ? places : kPlaces, readable_end);
    for (; hits != 0; hits &= hits - 1) {
      const std::uint64_t place = at + static_cast<unsigned>(std::countr_zero(hits));
      if (stands_at(needle, text + place)) return place + needle.length;
    }
  }
  return kNotFound;
}

}  // namespace

bool contains_needles_avx2(const Needle* needles, std::size_t count, const Byte* text,
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

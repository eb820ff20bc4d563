// SPDX-License-Identifier: MIT
// The copies for both x86 levels, included inside the namespace of each (byte_decoder_loop.h
// says why).

/// All bytes are loaded before any is stored, so source and target may overlap.
struct X86Copies {
  static void copy16(std::uint8_t* to, const std::uint8_t* from) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static void copy32(std::uint8_t* to, const std::uint8_t* from) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
};

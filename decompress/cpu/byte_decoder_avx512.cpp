// SPDX-License-Identifier: MIT
// The Byte decoder for AVX-512 with VBMI2, whose byte-wise expand spreads a group's escape
// bytes over the sequences that own them in one instruction.
#include <immintrin.h>

#include "decompress/cpu/byte_decoder.h"

namespace presso {
namespace avx512 {

#include "decompress/cpu/byte_decoder_loop.h"

namespace {

/// The lengths of 32 sequences as 16-bit values, and the mask of the lengths that go on in a
/// long length. False if the escape bytes run out.
inline bool expand_lengths(__m256i codes, std::uint32_t limit, const std::uint8_t*& escapes,
                           const std::uint8_t* end, __m512i& lengths, std::uint32_t& longs) {
  const __mmask32 escaped =
      _mm256_cmpeq_epi8_mask(codes, _mm256_set1_epi8(static_cast<char>(limit)));
  const int count = __builtin_popcount(escaped);
  if (count > end - escapes) return false;
  // Each escape byte comes to the sequence that owns it; others get 0.
  const __m256i extra = _mm256_maskz_expandloadu_epi8(escaped, escapes);
  longs = _mm256_cmpeq_epi8_mask(extra, _mm256_set1_epi8(-1));
  escapes += count;
  lengths = _mm512_add_epi16(_mm512_cvtepu8_epi16(codes), _mm512_cvtepu8_epi16(extra));
  return true;
}

/// Pairs are added as signed 16 bits, of which lengths use at most half.
inline std::uint32_t sum(__m512i lengths) {
  const __m512i pairs = _mm512_madd_epi16(lengths, _mm512_set1_epi16(1));
  return static_cast<std::uint32_t>(_mm512_reduce_add_epi32(pairs));
}

/// 24-bit distances; false if the far bytes run out.
inline bool expand_distances(Cursor& cursor, __m256i tokens, __m512i offsets, Group& group) {
  const __mmask32 far = _mm256_movepi8_mask(tokens);
  const int count = __builtin_popcount(far);
  if (count > cursor.job.streams.literal_escapes - cursor.far) return false;
  // Upper 8 of 24 bits, for far distances only.
  const __m256i high = _mm256_maskz_expandloadu_epi8(far, cursor.far);
  cursor.far += count;
  const __m512i first =
      _mm512_or_si512(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(offsets)),
                      _mm512_slli_epi32(_mm512_cvtepu8_epi32(_mm256_castsi256_si128(high)), 16));
  const __m512i second = _mm512_or_si512(
      _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(offsets, 1)),
      _mm512_slli_epi32(_mm512_cvtepu8_epi32(_mm256_extracti128_si256(high, 1)), 16));
  _mm512_store_si512(group.distances, first);
  _mm512_store_si512(group.distances + 16, second);
  return true;
}

}  // namespace

bool expand(Cursor& cursor, Group& group) {
  const ByteBlockJob& job = cursor.job;
  const std::uint32_t literal_limit = (1u << job.literal_bits) - 1;
  const std::uint32_t match_limit = 0xFFu >> (job.literal_bits + (job.has_far ? 1 : 0));
  const __m512i offsets = _mm512_loadu_si512(cursor.offsets);
  if (_mm512_testn_epi16_mask(offsets, offsets) != 0) return false;  // a sequence without a match

  const __m256i tokens = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cursor.tokens));
  const __m256i literal_codes =
      _mm256_and_si256(tokens, _mm256_set1_epi8(static_cast<char>(literal_limit)));
  const __m256i match_codes = _mm256_and_si256(
      _mm256_srl_epi16(tokens, _mm_cvtsi32_si128(static_cast<int>(job.literal_bits))),
      _mm256_set1_epi8(static_cast<char>(match_limit)));
  // Copies, so that a group that is given up leaves the cursor alone.
  const std::uint8_t* literal_escapes = cursor.literal_escapes;
  const std::uint8_t* match_escapes = cursor.match_escapes;
  __m512i literals;
  __m512i matches;
  std::uint32_t long_literals;
  std::uint32_t long_matches;
  if (!expand_lengths(literal_codes, literal_limit, literal_escapes, job.streams.match_escapes,
                      literals, long_literals) ||
      !expand_lengths(match_codes, match_limit, match_escapes, job.streams.long_lengths, matches,
                      long_matches)) {
    return false;
  }
  matches = _mm512_add_epi16(matches, _mm512_set1_epi16(static_cast<short>(job.min_match)));
  _mm512_store_si512(group.literals, literals);
  _mm512_store_si512(group.matches, matches);
  group.literal_sum = sum(literals);
  group.match_sum = sum(matches);
  if ((long_literals | long_matches) != 0 &&
      !add_long_lengths(cursor, group, long_literals, long_matches)) {
    return false;
  }
  if (job.has_far && !expand_distances(cursor, tokens, offsets, group)) return false;
  cursor.literal_escapes = literal_escapes;
  cursor.match_escapes = match_escapes;
  return true;
}

}  // namespace avx512

const ByteBlockLoops ByteBlockLoops::avx512 = {avx512::decode_block_loop};

}  // namespace presso

// SPDX-License-Identifier: MIT
// The Byte decoder for AVX2: the lengths of 32 sequences by vector operations. Escape bytes are
// added one by one, guided by the mask of the sequences that have them.
#include <immintrin.h>

#include "decompress/cpu/byte_decoder.h"

namespace presso {
namespace avx2 {

#include "decompress/cpu/byte_decoder_loop.h"

namespace {

/// The lengths of 32 sequences as 16-bit values with `base` added, their sum, and the mask of
/// those that continue in a long length. False if the escape bytes run out.
inline bool expand_lengths(__m256i codes, std::uint32_t limit, std::uint32_t base,
                           const std::uint8_t*& escapes, const std::uint8_t* end,
                           std::uint16_t* lengths, std::uint32_t& sum, std::uint32_t& longs) {
  const __m256i bases = _mm256_set1_epi16(static_cast<short>(base));
  const __m256i low = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(codes));
  const __m256i high = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(codes, 1));
  _mm256_store_si256(reinterpret_cast<__m256i*>(lengths), _mm256_add_epi16(low, bases));
  _mm256_store_si256(reinterpret_cast<__m256i*>(lengths + 16), _mm256_add_epi16(high, bases));
  // Sums of bytes, eight at a time; four of these are then added.
  const __m256i sums = _mm256_sad_epu8(codes, _mm256_setzero_si256());
  const __m128i halves =
      _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  sum = static_cast<std::uint32_t>(_mm_cvtsi128_si64(halves) + _mm_extract_epi64(halves, 1)) +
        kGroup * base;

  // A length at its limit goes on in an escape byte.
  const __m256i limits = _mm256_set1_epi8(static_cast<char>(limit));
  const auto escaped =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(codes, limits)));
  return add_escapes(escaped, escapes, end, lengths, sum, longs);
}

/// 24-bit distances; false if the far bytes run out.
inline bool expand_distances(Cursor& cursor, __m256i tokens, __m256i first, __m256i second,
                             Group& group) {
  // Bit 7 of a token: its distance has a third byte.
  auto far = static_cast<std::uint32_t>(_mm256_movemask_epi8(tokens));
  if (__builtin_popcount(far) > cursor.job.streams.literal_escapes - cursor.far) return false;
  auto* to = reinterpret_cast<__m256i*>(group.distances);
  _mm256_store_si256(to, _mm256_cvtepu16_epi32(_mm256_castsi256_si128(first)));
  _mm256_store_si256(to + 1, _mm256_cvtepu16_epi32(_mm256_extracti128_si256(first, 1)));
  _mm256_store_si256(to + 2, _mm256_cvtepu16_epi32(_mm256_castsi256_si128(second)));
  _mm256_store_si256(to + 3, _mm256_cvtepu16_epi32(_mm256_extracti128_si256(second, 1)));
  for (; far != 0; far &= far - 1) {
    group.distances[__builtin_ctz(far)] |= std::uint32_t{*cursor.far++} << 16;
  }
  return true;
}

}  // namespace

/// Returns false if a sequence is rare, as byte_decoder_loop.h says: one without a match, for
/// example.
bool expand(Cursor& cursor, Group& group) {
  const ByteBlockJob& job = cursor.job;
  const std::uint32_t literal_limit = (1u << job.literal_bits) - 1;
  const std::uint32_t match_limit = 0xFFu >> (job.literal_bits + (job.has_far ? 1 : 0));
  const auto* offsets = reinterpret_cast<const __m256i*>(cursor.offsets);
  const __m256i first = _mm256_loadu_si256(offsets);
  const __m256i second = _mm256_loadu_si256(offsets + 1);
  // Offset 0 means that a sequence has no match.
  const __m256i zero = _mm256_setzero_si256();
  const __m256i without_match =
      _mm256_or_si256(_mm256_cmpeq_epi16(first, zero), _mm256_cmpeq_epi16(second, zero));
  if (!_mm256_testz_si256(without_match, without_match)) return false;

  const __m256i tokens = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cursor.tokens));
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(job.literal_bits));
  // Both lengths out of the tokens; the shift crosses bytes, which the mask undoes.
  const __m256i literal_codes =
      _mm256_and_si256(tokens, _mm256_set1_epi8(static_cast<char>(literal_limit)));
  const __m256i match_codes = _mm256_and_si256(_mm256_srl_epi16(tokens, shift),
                                               _mm256_set1_epi8(static_cast<char>(match_limit)));
  // Copies, so that a group that is given up leaves the cursor alone.
  const std::uint8_t* literal_escapes = cursor.literal_escapes;
  const std::uint8_t* match_escapes = cursor.match_escapes;
  std::uint32_t long_literals;
  std::uint32_t long_matches;
  if (!expand_lengths(literal_codes, literal_limit, 0, literal_escapes, job.streams.match_escapes,
                      group.literals, group.literal_sum, long_literals) ||
      !expand_lengths(match_codes, match_limit, job.min_match, match_escapes,
                      job.streams.long_lengths, group.matches, group.match_sum, long_matches)) {
    return false;
  }
  if ((long_literals | long_matches) != 0 &&
      !add_long_lengths(cursor, group, long_literals, long_matches)) {
    return false;
  }
  if (job.has_far && !expand_distances(cursor, tokens, first, second, group)) return false;
  cursor.literal_escapes = literal_escapes;
  cursor.match_escapes = match_escapes;
  return true;
}

}  // namespace avx2

const ByteBlockLoops ByteBlockLoops::avx2 = {avx2::decode_block_loop};

}  // namespace presso

// SPDX-License-Identifier: MIT
// The loop of the tokeniser (token_loop.h) for AVX2: one comparison of 32 bytes for each of the
// four bytes that matter, which are the delimiter, the quote, LF and CR.
#if defined(__AVX2__)
#include <immintrin.h>

#include "compress/table/text/token_loop.h"

namespace presso {
namespace avx2_tokens {

#include "compress/table/text/token_loop_body.h"

struct Isa {
  struct Half {
    __m256i any;
    __m256i quote;
  };

  static Half half(const Byte* from, Byte delimiter, Byte quote) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const auto equal = [bytes](Byte byte) {
      return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(static_cast<char>(byte)));
    };
    const __m256i quotes = equal(quote);
    const __m256i line_ends = _mm256_or_si256(equal('\n'), equal('\r'));
    return {_mm256_or_si256(_mm256_or_si256(quotes, line_ends), equal(delimiter)), quotes};
  }
  static std::uint64_t bits(__m256i low, __m256i high) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
           std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
  }

  static TokenMasks masks(const Byte* from, Byte delimiter, Byte quote) {
    const Half low = half(from, delimiter, quote);
    const Half high = half(from + 32, delimiter, quote);
    return {bits(low.any, high.any), bits(low.quote, high.quote)};
  }
};

}  // namespace avx2_tokens

TokenLoops token_loops_avx2() {
  return {avx2_tokens::run_token_loop<avx2_tokens::Isa, true>,
          avx2_tokens::run_token_loop<avx2_tokens::Isa, false>};
}

}  // namespace presso
#endif

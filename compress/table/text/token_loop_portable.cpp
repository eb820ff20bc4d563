// SPDX-License-Identifier: MIT
// The loop of the tokeniser (token_loop.h) for any CPU: eight bytes at a time in a 64-bit word.
// They are combined with the byte sought by exclusive-or; adding 0x7F to the low bits then carries
// into bit 7 unless all are 0. So a clear bit 7 marks an equal byte, and a multiplication gathers
// the eight marks.
#include "compress/table/text/token_loop.h"

namespace presso {
namespace portable_tokens {

#include "compress/table/text/token_loop_body.h"

struct Isa {
  static constexpr std::uint64_t kOnes = 0x0101010101010101u;
  static constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7Fu;

  /// 0x00 for bytes of `word` that equal the pattern's, 0x80 for others (with noise below bit
  /// 7).
  static std::uint64_t differs(std::uint64_t word, std::uint64_t pattern) {
    const std::uint64_t x = word ^ pattern;
    return ((x & kLow) + kLow) | x;
  }
  /// The top bits of the eight bytes of `equal`, which has no others: bit i comes from byte i.
  static std::uint64_t gather(std::uint64_t equal) {
    return ((equal >> 7) * 0x0102040810204080u) >> 56;
  }

  static TokenMasks masks(const Byte* from, Byte delimiter, Byte quote) {
    const std::uint64_t delimiters = kOnes * delimiter;
    const std::uint64_t quotes = kOnes * quote;
    TokenMasks masks{0, 0};
    for (unsigned i = 0; i < 8; ++i) {
      const auto word = load<std::uint64_t>(from + 8 * i);
      const std::uint64_t not_quote = differs(word, quotes);
      const std::uint64_t none = not_quote & differs(word, delimiters) &
                                 differs(word, kOnes * '\n') & differs(word, kOnes * '\r');
      masks.any |= gather(~none & ~kLow) << (8 * i);
      masks.quote |= gather(~not_quote & ~kLow) << (8 * i);
    }
    return masks;
  }
};

}  // namespace portable_tokens

TokenLoops token_loops_portable() {
  return {portable_tokens::run_token_loop<portable_tokens::Isa, true>,
          portable_tokens::run_token_loop<portable_tokens::Isa, false>};
}

}  // namespace presso

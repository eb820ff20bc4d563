// SPDX-License-Identifier: MIT
// The Bit decoder for AVX2: shifts by any count and bit extraction in one instruction each,
// wide copies. It also serves CPUs with AVX-512, which gains nothing here (NOTES.md).
#include <immintrin.h>

#include <cstddef>

#include "decompress/cpu/bit_decoder.h"

namespace presso {
/// A namespace of its own for the reason that byte_decoder_loop.h gives.
namespace avx2_bit {

#include "decompress/cpu/x86_copies.h"

struct Isa : X86Copies {
  /// BEXTR takes first bit and number of bits in just the form of ValueEntry::extra.
  static std::uint32_t extract(std::uint64_t bits, std::uint32_t where) {
    return static_cast<std::uint32_t>(__builtin_ia32_bextr_u64(bits, where));
  }
};

#include "decompress/cpu/bit_decoder_loop.h"

}  // namespace avx2_bit

bool decode_bit_block_avx2(const BitBlockJob& job) {
  return avx2_bit::decode_bit_block_loop(job);
}

}  // namespace presso

// SPDX-License-Identifier: MIT
// Bit decoder for AVX2: shifts by any count and masks in one instruction each, wide copies.
#include <immintrin.h>

#include <cstddef>

#include "decompress/cpu/bit_decoder.h"

namespace presso {
namespace avx2_bit {

#include "decompress/cpu/x86_bits.h"

}  // namespace avx2_bit

bool decode_bit_block_avx2(const BitBlockJob& job) {
  return avx2_bit::decode_bit_block_loop(job);
}

}  // namespace presso

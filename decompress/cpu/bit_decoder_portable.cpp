// SPDX-License-Identifier: MIT
#include <cstddef>

#include "decompress/cpu/bit_decoder.h"

namespace presso {
namespace portable_bit {

// The Bit decoder for any CPU: plain shifts, and copies as wide as the compiler makes them.
struct Isa {
  static std::uint32_t extract(std::uint64_t bits, std::uint32_t where) {
    return static_cast<std::uint32_t>(bits >> (where & 0xFF)) & ((1u << (where >> 8)) - 1);
  }
  /// Compilers load all 16 bytes before they store.
  static void copy16(std::uint8_t* to, const std::uint8_t* from) { __builtin_memcpy(to, from, 16); }
  static void copy32(std::uint8_t* to, const std::uint8_t* from) {
    std::uint8_t chunk[32];  // load all before storing: source and target may overlap
    __builtin_memcpy(chunk, from, 32);
    __builtin_memcpy(to, chunk, 32);
  }
};

#include "decompress/cpu/bit_decoder_loop.h"

}  // namespace portable_bit

bool decode_bit_block_portable(const BitBlockJob& job) {
  return portable_bit::decode_bit_block_loop(job);
}

}  // namespace presso

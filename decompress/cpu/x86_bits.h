// SPDX-License-Identifier: MIT
// The Bit decoder of both x86 levels, which differ in compiler flags alone: included inside the
// namespace of each for the reason that byte_decoder_loop.h gives.

#include "decompress/cpu/x86_copies.h"

struct Isa : X86Copies {
  static std::uint32_t extract(std::uint64_t bits, std::uint32_t where) {
    return static_cast<std::uint32_t>(__builtin_ia32_bextr_u64(bits, where));
  }
};

#include "decompress/cpu/bit_decoder_loop.h"

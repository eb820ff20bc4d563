// SPDX-License-Identifier: MIT
// Hashes of keys on GPUs. They are bijections, so a hash stands for its key: tables and parts hold
// hashes and never look at keys again. They differ from the CPU's hash (query/values/hash.h), which
// need not be computed here: two multiplications less matter where memory is so fast. Nothing may
// depend on their values beyond one join. Tested by tests/simt/joins_in_emulator_test.cpp.
#pragma once

#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

using simt::kWordBits;
using simt::u32;
using simt::u64;

/// Two rounds of exclusive-or and multiplication by odd constants.
PRESSO_DEVICE u64 hash_key(u64 key) {
  key ^= key >> 32;
  key *= 0x9E3779B97F4A7C15u;
  key ^= key >> 32;
  return key * 0xD6E8FEB86659FD93u;
}
PRESSO_DEVICE u32 hash_key(u32 key) {
  key ^= key >> 16;
  key *= 0x9E3779B1u;
  key ^= key >> 15;
  return key * 0x85EBCA6Bu;
}

/// The bits that slots and parts are taken from, which depend on all bits of the key.
PRESSO_DEVICE u32 upper_word(u64 hash) {
  return static_cast<u32>(hash >> 32);
}
PRESSO_DEVICE u32 upper_word(u32 hash) {
  return hash;
}

/// Returns the 32 bits after the first `bits` ones, filled up with zeros: bits that are independent
/// of a part's number.
PRESSO_DEVICE u32 word_behind(u64 hash, u32 bits) {
  return simt::funnel_shift_left(static_cast<u32>(hash), upper_word(hash), bits);
}
PRESSO_DEVICE u32 word_behind(u32 hash, u32 bits) {
  return hash << bits;
}

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// Hashes of keys. They are bijections, so that a hash stands for its key: tables and parts hold
// hashes and never look at keys again.
#pragma once

#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

using simt::kWordBits;
using simt::u32;
using simt::u64;

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

PRESSO_DEVICE u32 upper_word(u64 hash) {
  return static_cast<u32>(hash >> 32);
}
PRESSO_DEVICE u32 upper_word(u32 hash) {
  return hash;
}

/// The 32 bits behind the first `bits` ones; zeros follow the end.
PRESSO_DEVICE u32 word_behind(u64 hash, u32 bits) {
  return simt::funnel_shift_left(static_cast<u32>(hash), upper_word(hash), bits);
}
PRESSO_DEVICE u32 word_behind(u32 hash, u32 bits) {
  return hash << bits;
}

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// How the kernels that decode tokens share work: the vectors of codes of all blocks of a batch, in
// order, are cut into as many shares as there are thread blocks. A dictionary is brought into
// shared memory when a share comes to a block that has another one, most often once. Tests:
// lab/tests/token_column_suite.cpp.
#pragma once

#include "decompress/columns/gpu/token_codes.cuh"
#include "lab/gpu/token_batch.h"

namespace presso::gpu {

/// Whether the payload has the size that its number of codes asks for. A payload of another size is
/// not read at all.
PRESSO_DEVICE bool has_right_size(const TokenBlock& block) {
  return block.codes <= kMaxBlockBytes && block.plain_bytes <= kMaxBlockBytes &&
         block.payload.size == 4 * token_words(block.codes);
}

/// Codes are unpacked by tiles of four steps: 48 bits of each lane, in two words.
inline constexpr u32 kTileSteps = 4;
inline constexpr u32 kTileCodes = kTileSteps * kWarpSize;
inline constexpr u32 kTileBits = kTileSteps * kTokenBits;

struct TileCodes {
  u32 low = 0;
  u32 high = 0;

  /// The codes of tile `tile` of a vector, whose lanes have `words` words each.
  PRESSO_DEVICE static TileCodes load(const u32* lane, u32 words, u32 tile) {
    const u32 bit = tile * kTileBits;
    const u32 word = bit / kWordBits;
    if (word >= words) return {};
    const u32 first = simt::load_readonly(lane + word * kLanes);
    const u32 second = word + 1 < words ? simt::load_readonly(lane + (word + 1) * kLanes) : 0;
    const u32 shift = bit % kWordBits;
    return {simt::funnel_shift_right(first, second, shift), second >> shift};
  }
  /// `step` should be a constant.
  PRESSO_DEVICE u32 at(u32 step) const {
    const u32 bit = step * kTokenBits;
    const u32 bits =
        bit < kWordBits ? simt::funnel_shift_right(low, high, bit) : high >> (bit - kWordBits);
    return bits % kMaxTokens;
  }
};

/// Words of each lane of a vector of `codes` codes.
PRESSO_DEVICE u32 lane_words_of(u32 codes) {
  return lane_words(codes, kTokenBits) / kLanes;
}

PRESSO_DEVICE u32 codes_of_vector(const TokenBlock& block, u32 vector) {
  const u32 left = block.codes - vector * kVectorRows;
  return left < kVectorRows ? left : kVectorRows;
}
/// The lane's words of a vector.
PRESSO_DEVICE const u32* lane_of_vector(const TokenBlock& block, u32 vector) {
  const u32* const words = reinterpret_cast<const u32*>(block.payload.bytes);
  return words + vector * kTokenVectorWords + simt::lane();
}

/// The block that has vector `vector` of the batch.
PRESSO_DEVICE u32 block_of_vector(const TokenBatch& batch, u32 vector) {
  u32 begin = 0;
  u32 end = batch.count;
  while (end - begin > 1) {
    const u32 middle = begin + (end - begin) / 2;
    (batch.blocks[middle].first_vector <= vector ? begin : end) = middle;
  }
  return begin;
}

/// Calls `work(block, first, end)` for each block of this thread block's share with the range of
/// its vectors; by all threads together.
template <class Work>
PRESSO_DEVICE void for_each_in_share(const TokenBatch& batch, const Work& work) {
  const u64 vectors = batch.vectors;
  const u32 begin = static_cast<u32>(vectors * simt::block_index() / simt::grid_blocks());
  const u32 end = static_cast<u32>(vectors * (simt::block_index() + 1) / simt::grid_blocks());
  if (begin == end) return;
  u32 number = block_of_vector(batch, begin);
  for (u32 at = begin; at < end; ++number) {
    const u32 first = batch.blocks[number].first_vector;
    const u32 block_end = first + token_vectors(batch.blocks[number].codes);
    const u32 until = block_end < end ? block_end : end;
    if (until > at) work(number, at - first, until - first);
    at = until > at ? until : at;
  }
}

}  // namespace presso::gpu

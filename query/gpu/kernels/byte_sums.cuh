// SPDX-License-Identifier: MIT
// Sums by few groups as products of matrices. Values are cut into bytes. The sums of the bytes at
// one position, by group, are the product of two matrices: that of the bytes, with a row (a
// *plane*) for each position, and that which tells which row of the table is in which group, with a
// column for each group. Tensor cores multiply both for 32 rows of the table with one instruction,
// so nothing is added to a cell until the warp has no more rows. The first plane is all ones and
// counts rows. Values that may be negative are made positive by adding half of the range of their
// bytes, which the count allows to subtract again.
//
// A lane holds eight rows of the table in a chunk, and the bytes of four of them in a word: one
// word for each half of the chunk and each plane. The lanes that multiply need words of one plane
// from many lanes, so words are exchanged through shared memory, in an arrangement without bank
// conflicts.
// Tests: tests/queries/random_sums.txt.
#pragma once

#include "query/gpu/kernels/groups.cuh"

namespace presso::gpu {

struct ByteSums {
  static constexpr u32 kGroupLanes = 4;  ///< lanes that share a row of a matrix
  static constexpr u32 kSwaps = 4;       ///< of lanes' places, by planes
  static constexpr u32 kHighPlanes = kMostPlanes / 2;
  static constexpr u32 kOnes = 0x01010101u;
  static constexpr u32 kMostRows = 1u << 24;

  const Pipeline& of;
  Byte* base;                 ///< the warp's shared memory
  u32 sum[4] = {};            ///< as multiply_bytes() has them
  u32 rows_left = kMostRows;  ///< for which 32 bits hold the sums

  PRESSO_DEVICE ByteSums(const Pipeline& pipeline, const WarpSpace& space)
      : of(pipeline), base(space.base + space.shape.cells_at) {
    for (u32 plane = 1; plane < plane_room(of); ++plane) store(plane, 0, 0);
    store(0, kOnes, kOnes);
    if (simt::lane() < kMostByteGroups) first_rows()[simt::lane()] = kNoRowYet;
    simt::warp_sync();
  }

  PRESSO_DEVICE u64* first_rows() const {
    return reinterpret_cast<u64*>(base + (plane_room(of) + 1) * kChunkRows);
  }

  /// What the lane's rows have for the cell of this step; of rows that are in no group anything.
  PRESSO_DEVICE void put(const ChainStep& step, const u64 (&value)[kChunkSteps]) const {
    if (step.planes == 0) return;
    u64 plus = step.is_signed ? u64{1} << (8 * step.planes - 1) : 0;
    if (step.is_upper) plus <<= kWordBits;
    u32 word[kChunkSteps];
    if (!step.is_upper) {
      PRESSO_UNROLL
      for (u32 k = 0; k < kChunkSteps; ++k) word[k] = static_cast<u32>(value[k] + plus);
      put_word(step.planes_at, step.planes, word);
      if (step.planes <= sizeof(u32)) return;
    }
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      word[k] = static_cast<u32>((value[k] + plus) >> kWordBits);
    }
    const u32 below = step.is_upper ? 0 : static_cast<u32>(sizeof(u32));
    put_word(step.planes_at + below, step.planes - below, word);
  }

  /// Of each of the lane's rows the bit of its group, or none, in a byte: of the first four rows,
  /// and of the others.
  PRESSO_DEVICE void put_groups(u32 low, u32 high) const {
    groups()[simt::lane()] = simt::Vec2{low, high};
  }

  /// Adds the chunk whose groups and values have been put.
  PRESSO_DEVICE void multiply() {
    simt::warp_sync();
    const u32 plane = simt::lane() / kGroupLanes;
    const simt::Vec2* const group = groups() + simt::lane() % kGroupLanes;
    PRESSO_UNROLL
    for (u32 i = 0; i < kSwaps; ++i) {
      const simt::Vec2* const low = at(plane, i * kGroupLanes + simt::lane() % kGroupLanes);
      PRESSO_UNROLL
      for (u32 first = 0; first < kWarpSize; first += kSwaps * kGroupLanes) {
        const simt::Vec2 bits = group[first + i * kGroupLanes];
        const u32 b[2] = {bits.x >> plane & kOnes, bits.y >> plane & kOnes};
        const simt::Vec2 of_low = low[first];
        u32 a[4] = {of_low.x, 0, of_low.y, 0};
        if (of.planes > kHighPlanes) {
          const simt::Vec2 of_high = low[first + kHighPlanes * kWarpSize];
          a[1] = of_high.x;
          a[3] = of_high.y;
        }
        simt::multiply_bytes(sum, a, b);
      }
    }
    simt::warp_sync();
  }

  /// After each vector: sums that might not hold another one go to the device.
  PRESSO_DEVICE void count_vector() {
    rows_left -= kVectorRows;
    if (rows_left != 0) return;
    flush();
    rows_left = kMostRows;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) sum[i] = 0;
  }

  /// Adds the sums to those of the device.
  PRESSO_DEVICE void flush() const {
    simt::warp_sync();
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 plane = simt::lane() / kGroupLanes + i / 2 * kHighPlanes;
      const u32 group = simt::lane() % kGroupLanes * 2 + i % 2;
      if (group >= of.groups || sum[i] == 0) continue;
      u64* const cells = of.cells_out + group * of.group_words;
      if (plane == 0) simt::atomic_min(cells, first_rows()[group]);
      for (u32 j = 0; j < of.chain_steps; ++j) add_to_cell(of.chain[j], plane, sum[i], cells);
    }
  }

 private:
  /// Of a plane and a lane: words of both halves of the chunk.
  PRESSO_DEVICE simt::Vec2* at(u32 plane, u32 lane) const {
    const u32 place = lane ^ plane % kSwaps * kGroupLanes;
    return reinterpret_cast<simt::Vec2*>(base) + plane * kWarpSize + place;
  }
  PRESSO_DEVICE void store(u32 plane, u32 low, u32 high) const {
    *at(plane, simt::lane()) = simt::Vec2{low, high};
  }
  PRESSO_DEVICE simt::Vec2* groups() const {
    return reinterpret_cast<simt::Vec2*>(base + plane_room(of) * kChunkRows);
  }

  /// The lowest `count` bytes of each word, or all of them.
  PRESSO_DEVICE void put_word(u32 plane, u32 count, const u32 (&word)[kChunkSteps]) const {
    put_bytes<0x5140>(plane, count, word);
    if (count > 2) put_bytes<0x7362>(plane + 2, count - 2, word);
  }
  /// `kPair`: two neighbouring bytes of two words, those of the first place in front.
  template <u32 kPair>
  PRESSO_DEVICE void put_bytes(u32 plane, u32 count, const u32 (&word)[kChunkSteps]) const {
    u32 pair[kChunkSteps / 2];
    PRESSO_UNROLL
    for (u32 i = 0; i < kChunkSteps / 2; ++i) {
      pair[i] = simt::byte_permute(word[2 * i], word[2 * i + 1], kPair);
    }
    store(plane, simt::byte_permute(pair[0], pair[1], 0x5410),
          simt::byte_permute(pair[2], pair[3], 0x5410));
    if (count == 1) return;
    store(plane + 1, simt::byte_permute(pair[0], pair[1], 0x7632),
          simt::byte_permute(pair[2], pair[3], 0x7632));
  }

  /// What `bytes`, the sum of a plane, are for the cell of a step.
  PRESSO_DEVICE static void add_to_cell(const ChainStep& step, u32 plane, u64 bytes, u64* cells) {
    if (step.to == ChainStep::kNone || step.to == ChainStep::kGroup) return;
    u64* const cell = cells + kGroupCells + step.to;
    if (plane == 0) {
      if (step.planes == 0) simt::atomic_add(cell, bytes);
      if (step.is_signed) simt::atomic_add(cell, 0 - (bytes << (8 * step.planes - 1)));
    } else if (plane >= step.planes_at && plane < u32{step.planes_at} + step.planes) {
      simt::atomic_add(cell, bytes << (8 * (plane - step.planes_at)));
    }
  }
};

}  // namespace presso::gpu

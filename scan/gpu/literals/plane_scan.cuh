// SPDX-License-Identifier: MIT
// Counts the lines of a text that hold one of a few short literals, by planes of bits (sources:
// S5.15): a lane turns 32 bytes into eight words, of which word k holds bit k of each byte. Then a
// word says at which of 32 places a byte of a literal stands, by a logical instruction for each
// plane; words of a literal's bytes are shifted to its last byte, with bits from the lane before,
// and joined.
//
// Instructions for 32 bytes: 64 to turn them, 4 for '\n', about 15 for each byte of the literals,
// 15 for lines, 20 for loads and loops; nearly all are logic and shifts, which run at half rate.
// Three bytes: 4.6 a byte of text by count, whatever the text. Eight bytes: 6.9, where a table is
// as fast; so there are no kernels for more.
//
// Threads to data: a warp takes every n-th tile of 32 KiB, a row of 1,024 bytes at once, of which
// the next one is on its way. No shared memory, no barriers. Test: tests/simt/plane_scan_test.cpp.
#pragma once

#include "scan/gpu/literals/hit_lines.cuh"
#include "scan/gpu/literals/plane_table.h"

namespace presso::gpu {

constexpr u32 kPlaneTileBytes = 32 << 10;  // allow(bare-32): KiB
constexpr u32 kLaneBytes = 32;             // allow(bare-32): a bit of a word each
constexpr u32 kPlaneRowBytes = kWarpSize * kLaneBytes;

// The kernel's argument, with masks for turning bits.
struct PlaneScanArguments : HitScan<PlaneTableView, kPlaneTileBytes> {
  /// Constants that are hidden from the compiler: from those that it knows, it makes two
  /// instructions where choosing bits takes one.
  u32 turn_masks[3] = {0x0F0F0F0F, 0x33333333, 0x55555555};
};

/// 32 bytes as eight words: bit k of byte i is bit i of word k. The bits are turned as a matrix in
/// three rounds of exchanges.
class BitPlanes {
 public:
  PRESSO_DEVICE BitPlanes(const u32 (&masks)[3], const Quad& low, const Quad& high) {
    gather(low.words[0], low.words[2], high.words[0], high.words[2], 0);
    gather(low.words[1], low.words[3], high.words[1], high.words[3], 4);
    exchange<4>(masks[0]);
    exchange<2>(masks[1]);
    exchange<1>(masks[2]);
  }

  PRESSO_DEVICE u32 operator[](u32 plane) const { return planes_[plane]; }

  /// A bit for each byte that is '\n' (0x0A).
  PRESSO_DEVICE u32 newlines() const {  // 0x0A
    return ~planes_[0] & planes_[1] & ~planes_[2] & planes_[3] & ~planes_[4] & ~planes_[5] &
           ~planes_[6] & ~planes_[7];
  }
  /// A bit for each byte that is the literal's byte `place`.
  PRESSO_DEVICE u32 places_of(const PlanePlace& place) const {
    u32 found = (planes_[5] | place.any_case) ^ place.flips[5];
    PRESSO_UNROLL
    for (u32 plane = 0; plane < 8; ++plane) {
      if (plane != 5) found &= planes_[plane] ^ place.flips[plane];
    }
    return found;
  }

 private:
  /// Word at + j gets bytes j of a, b, c and d, which are those that lie eight places apart.
  PRESSO_DEVICE void gather(u32 a, u32 b, u32 c, u32 d, u32 at) {
    const u32 ab_low = simt::byte_permute(a, b, 0x5140), ab_high = simt::byte_permute(a, b, 0x7362);
    const u32 cd_low = simt::byte_permute(c, d, 0x5140), cd_high = simt::byte_permute(c, d, 0x7362);
    planes_[at] = simt::byte_permute(ab_low, cd_low, 0x5410);
    planes_[at + 1] = simt::byte_permute(ab_low, cd_low, 0x7632);
    planes_[at + 2] = simt::byte_permute(ab_high, cd_high, 0x5410);
    planes_[at + 3] = simt::byte_permute(ab_high, cd_high, 0x7632);
  }
  /// One round of turning four 8 x 8 bit matrices: the blocks of kSize bits off the diagonal change
  /// places.
  template <u32 kSize>
  PRESSO_DEVICE void exchange(u32 mask) {
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      if ((i & kSize) != 0) continue;
      const u32 low = planes_[i], high = planes_[i + kSize];
      planes_[i] = chosen(mask, low, high << kSize);
      planes_[i + kSize] = chosen(mask, low >> kSize, high);
    }
  }
  /// Takes the bits of `first` where the mask has ones and those of `second` elsewhere.
  static PRESSO_DEVICE u32 chosen(u32 mask, u32 first, u32 second) {
    return second ^ ((first ^ second) & mask);
  }

  u32 planes_[8];
};

// A warp at work. kPlaces: how many bytes of literals it looks for, at least the table's.
template <u32 kPlaces>
class PlaneTiles {
 public:
  PRESSO_DEVICE explicit PlaneTiles(const PlaneScanArguments& scan)
      : scan_(scan), text_(scan), lines_(scan) {}

  /// Searches all tiles of this warp. Returns the lane's share of matching lines, heads excepted.
  PRESSO_DEVICE u64 run() {
    const u32 warps = simt::block_threads() / kWarpSize;
    const u64 step = u64{simt::grid_blocks()} * warps;
    u64 tile = u64{simt::block_index()} * warps + simt::shuffle(simt::warp_in_block(), 0);
    for (; tile < scan_.tiles(); tile += step) {
      lines_.begin_tile();
      take_tile(tile * kPlaneTileBytes);
      const Byte summary = lines_.end_tile();
      if (simt::lane() == 0) scan_.d_tiles[tile] = summary;
    }
    return lines_.lines();
  }

 private:
  /// Searches a tile, row by row; the next row's bytes are loaded while one is worked on.
  PRESSO_DEVICE void take_tile(u64 begin) {
    const u64 left = scan_.bytes - begin;
    const u64 end = begin + (left < kPlaneTileBytes ? left : kPlaneTileBytes);
    look_before(begin);
    Quad low, high;
    text_.load_pair(begin, low, high);
    PRESSO_NO_UNROLL
    for (u64 at = begin; at < end; at += kPlaneRowBytes) {
      const BitPlanes planes(scan_.turn_masks, low, high);
      if (at + kPlaneRowBytes < end) text_.load_pair(at + kPlaneRowBytes, low, high);
      lines_.template take_row<kLaneBytes>(at + simt::lane() * kLaneBytes, hits_of(planes),
                                           planes.newlines());
    }
  }

  /// Finds where the literals' bytes stand in the 32 places before the tile, so that a literal that
  /// begins there is found.
  PRESSO_DEVICE void look_before(u64 begin) {
    PRESSO_UNROLL
    for (u32 i = 0; i < kPlaces; ++i) before_[i] = 0;
    if (begin == 0) return;
    const BitPlanes planes(scan_.turn_masks, text_.quad_at(begin - 2 * kQuadBytes),
                           text_.quad_at(begin - kQuadBytes));
    PRESSO_UNROLL
    for (u32 i = 0; i < kPlaces; ++i) before_[i] = planes.places_of(scan_.table.places[i]);
  }

  /// A bit where the last byte of a literal stands with the rest of it before. The bytes' places
  /// are shifted to the literal's end and joined by `and`, literal after literal.
  PRESSO_DEVICE u32 hits_of(const BitPlanes& planes) {
    u32 hits = 0, whole = ~0u;
    PRESSO_UNROLL
    for (u32 i = 0; i < kPlaces; ++i) {
      const PlanePlace& place = scan_.table.places[i];
      const u32 here = planes.places_of(place);
      // From the lane before; the first one has the last one's of the row before.
      const u32 turned = simt::shuffle(here, simt::lane() + kWarpSize - 1);
      const u32 left = simt::lane() == 0 ? before_[i] : turned;
      before_[i] = turned;
      whole &= simt::funnel_shift_left(left, here, place.to_end);
      hits |= whole & place.ends;
      whole |= place.ends;
    }
    return hits;
  }

  const PlaneScanArguments& scan_;
  TextRows text_;
  HitLines lines_;
  u32 before_[kPlaces];  ///< in lane 0: of the row before, its last lane's
};

template <u32 kPlaces>
PRESSO_DEVICE void plane_tiles_body(const PlaneScanArguments& scan) {
  PlaneTiles<kPlaces> tiles(scan);
  add_lines(scan.d_lines, tiles.run());
}

}  // namespace presso::gpu

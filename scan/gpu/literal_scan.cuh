// SPDX-License-Identifier: MIT
// Counts the lines of a text that hold one of up to eight literals.
//
// Four bytes from each place are compared with each literal's gram; lanes hold 16 neighbouring
// bytes and get the next four from the lane behind. That costs 1 instruction a byte and gram, and
// half of one for shifting, so one rare literal is bound by memory. A step of 2,048 bytes in which
// nothing agrees is done with then. Else its places are verified and become bits, one for a byte;
// adding the bits of hits to those of no '\n' carries each hit to the end of its line, a ballot
// carries it on from lane to lane (catalogue L3, L6).
//
// Threads to data: a warp takes every n-th tile of 32 KiB. No shared memory, no barriers. A tile
// says whether it has a '\n', whether its head, up to there, has a hit, and whether what is behind
// its last '\n' has; join_tiles counts the heads. Cost of hits: a step with one takes about 2.5
// times as long. Test: tests/simt/scan_literals_test.cpp.
#pragma once

#include "decompress/gpu/simt.h"
#include "scan/gpu/gate.h"
#include "scan/gpu/line_engines.cuh"
#include "scan/gpu/literal_table.h"

namespace presso::gpu {

constexpr u32 kLiteralTileBytes = 32 << 10;  // allow(bare-32): KiB
constexpr u32 kRowBytes = kWarpSize * kQuadBytes;
constexpr u32 kRowsAStep = 4;
constexpr u32 kStepBytes = kRowsAStep * kRowBytes;

/// Bits of a tile's summary.
enum TileBits : u32 {
  kHasNewline = 1,
  kHeadHit = 2,  ///< in front of the first '\n'
  kTailHit = 4,  ///< behind the last one, or anywhere where there is none
};

struct LiteralScanArguments {
  const Byte* d_text = nullptr;  ///< 16-byte aligned
  u64 bytes = 0;                 ///< at least 1
  LiteralTableView table;
  u64* d_lines = nullptr;  ///< matching lines are added
  Gate gate;
  Byte* d_tiles = nullptr;

  PRESSO_HD constexpr u64 tiles() const { return (bytes - 1) / kLiteralTileBytes + 1; }
};

/// A bit for each byte of a quad that is '\n'.
PRESSO_DEVICE u32 newlines_of(const Quad& quad) {
  u32 bits = 0;
  PRESSO_UNROLL
  for (u32 i = 0; i < 4; ++i) {
    const u32 differs = quad.words[i] ^ 0x0A0A0A0Au;
    const u32 low = (differs & 0x7F7F7F7Fu) + 0x7F7F7F7Fu;
    const u32 equal = ~(low | differs | 0x7F7F7F7Fu);       // exact, in bit 7 of each byte
    bits |= ((equal >> 7) * 0x01020408u >> 24) << (4 * i);  // their four bits side by side
  }
  return bits;
}

template <u32 kGrams, bool kMasked>
class LiteralTiles {
 public:
  PRESSO_DEVICE explicit LiteralTiles(const LiteralScanArguments& scan) : scan_(scan) {}

  /// All tiles of this warp; its lanes' matching lines but heads.
  PRESSO_DEVICE u64 run() {
    const u32 warps = simt::block_threads() / kWarpSize;
    const u64 step = u64{simt::grid_blocks()} * warps;
    u64 tile = u64{simt::block_index()} * warps + simt::shuffle(simt::warp_in_block(), 0);
    for (; tile < scan_.tiles(); tile += step) {
      tail_ = has_newline_ = head_ = 0;
      const u64 begin = tile * kLiteralTileBytes;
      const u64 most = scan_.bytes - begin;
      const u32 bytes = most < kLiteralTileBytes ? static_cast<u32>(most) : kLiteralTileBytes;
      PRESSO_NO_UNROLL
      for (u32 at = 0; at < bytes; at += kStepBytes) take_step(begin + at);
      if (has_newline_ == 0) head_ = tail_;
      if (simt::lane() == 0) {
        scan_.d_tiles[tile] =
            static_cast<Byte>(has_newline_ * kHasNewline | head_ * kHeadHit | tail_ * kTailHit);
      }
    }
    return lines_;
  }

  /// Whether the step at `at` would take the slow path.
  PRESSO_DEVICE bool has_candidates(u64 at) const {
    Quad quads[kRowsAStep];
    u32 behind = 0;
    load(at, quads, behind);
    return some_agree(quads, behind);
  }

 private:
  PRESSO_DEVICE void take_step(u64 at) {
    Quad quads[kRowsAStep];
    u32 behind = 0;
    load(at, quads, behind);
    if (some_agree(quads, behind) || tail_ != 0) {
      PRESSO_UNROLL
      for (u32 row = 0; row < kRowsAStep; ++row) {
        take_row(at + row * kRowBytes, quads[row], word_behind(quads, row, behind));
      }
    } else if (has_newline_ == 0) {
      const bool mine = has_newline(quads[0]) || has_newline(quads[1]) || has_newline(quads[2]) ||
                        has_newline(quads[3]);
      has_newline_ = simt::ballot(mine) != 0 ? 1 : 0;
    }
  }

  /// Whether at some place of the step some gram stands.
  PRESSO_DEVICE bool some_agree(const Quad (&quads)[kRowsAStep], u32 behind) const {
    bool is_candidate = false;
    PRESSO_UNROLL
    for (u32 row = 0; row < kRowsAStep; ++row) {
      const u32 next = word_behind(quads, row, behind);
      PRESSO_UNROLL
      for (u32 i = 0; i < kQuadBytes; ++i) is_candidate |= agrees(gram_at(quads[row], next, i));
    }
    return simt::ballot(is_candidate) != 0;
  }

  /// Behind the text there is '\n'.
  PRESSO_DEVICE void load(u64 at, Quad (&quads)[kRowsAStep], u32& behind) const {
    const u64 mine = at + simt::lane() * kQuadBytes;
    if (at + kStepBytes + kQuadBytes <= scan_.bytes) {
      PRESSO_UNROLL
      for (u32 row = 0; row < kRowsAStep; ++row) {
        quads[row] = simt::load_readonly(reinterpret_cast<const Quad*>(scan_.d_text + mine) +
                                         row * kWarpSize);
      }
      if (simt::lane() == kWarpSize - 1) {
        behind = simt::load_readonly(reinterpret_cast<const u32*>(scan_.d_text + at + kStepBytes));
      }
      return;
    }
    PRESSO_UNROLL
    for (u32 row = 0; row < kRowsAStep; ++row) {
      PRESSO_UNROLL
      for (u32 i = 0; i < 4; ++i) quads[row].words[i] = word_at(mine + row * kRowBytes + i * 4);
    }
    behind = word_at(at + kStepBytes);
  }
  PRESSO_DEVICE u32 word_at(u64 at) const {
    u32 word = 0x0A0A0A0Au;
    for (u32 i = 0; i < 4 && at + i < scan_.bytes; ++i) {
      word = (word & ~(0xFFu << 8 * i)) | u32{scan_.d_text[at + i]} << 8 * i;
    }
    return word;
  }

  /// The four bytes behind the lane's quad.
  PRESSO_DEVICE static u32 word_behind(const Quad (&quads)[kRowsAStep], u32 row, u32 behind) {
    const u32 neighbour = simt::shuffle_down(quads[row].words[0], 1);
    const u32 next_row =
        row + 1 < kRowsAStep ? simt::shuffle(quads[(row + 1) % kRowsAStep].words[0], 0) : behind;
    return simt::lane() == kWarpSize - 1 ? next_row : neighbour;
  }
  PRESSO_DEVICE static u32 gram_at(const Quad& quad, u32 next, u32 i) {
    const u32 high = i / 4 + 1 < 4 ? quad.words[(i / 4 + 1) % 4] : next;
    return simt::funnel_shift_right(quad.words[i / 4], high, i % 4 * 8);
  }
  PRESSO_DEVICE bool agrees_with(u32 text, u32 gram) const {
    const LiteralGram& literal = scan_.table.grams[gram];
    return (kMasked ? text & literal.mask : text) == literal.gram;
  }
  PRESSO_DEVICE bool agrees(u32 text) const {
    bool some = false;
    PRESSO_UNROLL
    for (u32 gram = 0; gram < kGrams; ++gram) some |= agrees_with(text, gram);
    return some;
  }

  PRESSO_DEVICE u32 hits_of(u64 at, const Quad& quad, u32 next) const {
    u32 candidates = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuadBytes; ++i) {
      candidates |= agrees(gram_at(quad, next, i)) ? 1u << i : 0u;
    }
    u32 hits = 0;
    PRESSO_NO_UNROLL
    for (; candidates != 0; candidates &= candidates - 1) {
      const u32 i = simt::find_first_set(candidates) - 1;
      if (is_literal(at + i)) hits |= 1u << i;
    }
    return hits;
  }
  /// Whether some literal's gram stands here with the rest of it around.
  PRESSO_DEVICE bool is_literal(u64 at) const {
    const u32 text = word_at(at);
    PRESSO_NO_UNROLL
    for (u32 gram = 0; gram < scan_.table.count; ++gram) {
      if (!agrees_with(text, gram)) continue;
      const LiteralGram& literal = scan_.table.grams[gram];
      if (at < literal.gram_offset) continue;
      const u64 begin = at - literal.gram_offset;
      if (begin + literal.length > scan_.bytes) continue;
      const Byte* const want = scan_.table.d_image + literal.at;
      bool equal = true;
      for (u32 i = 0; i < literal.length && equal; ++i) {
        equal = (scan_.d_text[begin + i] & want[literal.length + i]) == want[i];
      }
      if (equal) return true;
    }
    return false;
  }

  /// 512 bytes, 16 a lane, in the text's order from lane to lane.
  PRESSO_DEVICE void take_row(u64 at, const Quad& quad, u32 next) {
    constexpr u32 kAll = (1u << kQuadBytes) - 1;
    const u32 hits = hits_of(at + simt::lane() * kQuadBytes, quad, next);
    const u32 newlines = newlines_of(quad);
    u32 sum = hits + (~newlines & kAll);
    // Lanes whose sum overflows give a carry, those that are full hand one on: an addition again.
    const u64 gives = u64{simt::ballot(sum > kAll)} << 1 | tail_;
    const u32 hands_on = simt::ballot(sum == kAll);
    const u64 carries = (gives + hands_on) ^ hands_on;
    tail_ = static_cast<u32>(carries >> kWarpSize) & 1;
    sum += static_cast<u32>(carries >> simt::lane()) & 1;
    u32 ends = sum & newlines;  // of matching lines
    const u32 closed = simt::ballot(newlines != 0);
    if (has_newline_ == 0 && closed != 0) {
      const u32 first = simt::find_first_set(closed) - 1;
      const u32 lowest = newlines & (0u - newlines);
      head_ = simt::shuffle((ends & lowest) != 0 ? 1u : 0u, first);
      if (simt::lane() == first) ends &= ~lowest;
      has_newline_ = 1;
    }
    lines_ += simt::popcount(ends);
  }

  const LiteralScanArguments& scan_;
  u64 lines_ = 0;
  // The same in all lanes, 0 or 1: of the tile so far.
  u32 tail_ = 0, has_newline_ = 0, head_ = 0;
};

PRESSO_DEVICE void add_lines(u64* d_lines, u64 lines) {
  for (u32 distance = kWarpSize / 2; distance > 0; distance /= 2) {
    lines += simt::shuffle_xor(lines, distance);
  }
  if (simt::lane() == 0 && lines != 0) simt::atomic_add(d_lines, lines);
}

template <u32 kGrams, bool kMasked>
PRESSO_DEVICE void literal_tiles_body(const LiteralScanArguments& scan) {
  if (!is_open(scan.gate)) return;
  LiteralTiles<kGrams, kMasked> tiles(scan);
  add_lines(scan.d_lines, tiles.run());
}

/// Of kSampledSteps steps, evenly spread over the text: how many would take the slow path.
constexpr u32 kSampledSteps = 512;
template <u32 kGrams, bool kMasked>
PRESSO_DEVICE void sample_literals_body(const LiteralScanArguments& scan, u32* d_slow_steps) {
  const u32 warps = simt::block_threads() / kWarpSize;
  const u32 step = simt::grid_blocks() * warps;
  const LiteralTiles<kGrams, kMasked> tiles(scan);
  u32 sample = simt::block_index() * warps + simt::shuffle(simt::warp_in_block(), 0);
  for (; sample < kSampledSteps; sample += step) {
    const u64 at = scan.bytes / kSampledSteps * sample / kStepBytes * kStepBytes;
    if (tiles.has_candidates(at) && simt::lane() == 0) simt::atomic_add(d_slow_steps, 1);
  }
}

/// Whether the line that `tile` begins within has a hit to its left. For a warp; walks back to the
/// line's begin, and no two tiles walk over the same ones.
PRESSO_DEVICE bool has_hit_to_the_left(const LiteralScanArguments& scan, u64 tile) {
  while (tile > 0) {
    const bool exists = simt::lane() < tile;
    const u32 bits = exists ? scan.d_tiles[tile - 1 - simt::lane()] : u32{kHasNewline};
    const u32 ends = simt::ballot((bits & kHasNewline) != 0);
    const u32 hits = simt::ballot((bits & kTailHit) != 0);
    // Lanes up to the first '\n' count: its tile's tail is part of the line.
    const u32 within = ends == 0 ? ~0u : ends ^ (ends - 1);
    if ((hits & within) != 0) return true;
    if (ends != 0) return false;
    tile -= kWarpSize;
  }
  return false;
}

/// Counts each tile's head, and the last line if it is unfinished: as if a tile with '\n' followed.
PRESSO_DEVICE void join_tiles_body(const LiteralScanArguments& scan) {
  if (!is_open(scan.gate)) return;
  const u32 warps = simt::block_threads() / kWarpSize;
  const u64 step = u64{simt::grid_blocks()} * warps * kWarpSize;
  u64 base =
      (u64{simt::block_index()} * warps + simt::shuffle(simt::warp_in_block(), 0)) * kWarpSize;
  u64 lines = 0;
  for (; base <= scan.tiles(); base += step) {
    const u64 mine = base + simt::lane();
    u32 bits = mine == scan.tiles() ? u32{kHasNewline} : 0u;
    if (mine < scan.tiles()) bits = scan.d_tiles[mine];
    const bool ends = (bits & kHasNewline) != 0;
    const u32 left = mine > 0 && ends ? scan.d_tiles[mine - 1] : u32{kHasNewline};
    bool hit = ends && ((bits & kHeadHit) != 0 || (left & kTailHit) != 0);
    u32 unknown = simt::ballot(ends && !hit && (left & kHasNewline) == 0);
    for (; unknown != 0; unknown &= unknown - 1) {
      const u32 which = simt::find_first_set(unknown) - 1;
      const bool found = has_hit_to_the_left(scan, base + which);
      if (simt::lane() == which) hit = found;
    }
    lines += hit ? 1 : 0;
  }
  add_lines(scan.d_lines, lines);
}

}  // namespace presso::gpu

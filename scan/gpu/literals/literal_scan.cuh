// SPDX-License-Identifier: MIT
// Counts the lines of a text that hold one of up to eight literals.
//
// Four bytes from each place are compared with each literal's gram; lanes hold 16 neighbouring
// bytes and get the next four from the next lane. That costs 1 instruction a byte and gram, and
// half of one for shifting, so one rare literal is bound by memory. A step of 2,048 bytes in which
// nothing agrees is done with then. Else its places are verified and become bits, one for a byte,
// of which hit_lines.cuh makes lines.
//
// Threads to data: a warp takes every n-th tile of 32 KiB. No shared memory, no barriers. Cost of
// hits: a step with one takes about 2.5 times as long. Test: tests/simt/scan_literals_test.cpp.
#pragma once

#include "scan/gpu/literals/hit_lines.cuh"
#include "scan/gpu/literals/literal_table.h"

namespace presso::gpu {

constexpr u32 kLiteralTileBytes = 32 << 10;  // allow(bare-32): KiB
constexpr u32 kRowsAStep = 4;
constexpr u32 kStepBytes = kRowsAStep * kRowBytes;

using LiteralScanArguments = HitScan<LiteralTableView, kLiteralTileBytes>;

// A warp at work. kGrams: how many grams are compared at each place, at least the table's. kMasked:
// whether any of them ignores case or is shorter than four bytes.
template <u32 kGrams, bool kMasked>
class LiteralTiles {
 public:
  PRESSO_DEVICE explicit LiteralTiles(const LiteralScanArguments& scan)
      : scan_(scan), text_(scan), lines_(scan) {}

  /// Searches all tiles of this warp. Returns the lane's share of matching lines, heads excepted.
  PRESSO_DEVICE u64 run() {
    const u32 warps = simt::block_threads() / kWarpSize;
    const u64 step = u64{simt::grid_blocks()} * warps;
    u64 tile = u64{simt::block_index()} * warps + simt::shuffle(simt::warp_in_block(), 0);
    for (; tile < scan_.tiles(); tile += step) {
      lines_.begin_tile();
      const u64 begin = tile * kLiteralTileBytes;
      const u64 most = scan_.bytes - begin;
      const u32 bytes = most < kLiteralTileBytes ? static_cast<u32>(most) : kLiteralTileBytes;
      PRESSO_NO_UNROLL
      for (u32 at = 0; at < bytes; at += kStepBytes) take_step(begin + at);
      const Byte summary = lines_.end_tile();
      if (simt::lane() == 0) scan_.d_tiles[tile] = summary;
    }
    return lines_.lines();
  }

 private:
  /// Searches 2,048 bytes. Steps without a candidate only look for '\n' while the tile's first is
  /// unknown.
  PRESSO_DEVICE void take_step(u64 at) {
    Quad quads[kRowsAStep];
    u32 after[1];
    text_.load(at, quads, after);
    if (some_agree(quads, after[0]) || lines_.is_hit()) {
      PRESSO_UNROLL
      for (u32 row = 0; row < kRowsAStep; ++row) {
        const u64 mine = at + row * kRowBytes + simt::lane() * kQuadBytes;
        const u32 hits = hits_of(mine, quads[row], word_after(quads, row, 0, after[0]));
        lines_.take_row(mine, hits, newlines_of(quads[row]));
      }
    } else if (!lines_.has_newline()) {
      lines_.note_newline(has_newline(quads[0]) || has_newline(quads[1]) || has_newline(quads[2]) ||
                          has_newline(quads[3]));
    }
  }

  /// Whether a gram stands at some place of the step. No branch within: a warp decides once.
  PRESSO_DEVICE bool some_agree(const Quad (&quads)[kRowsAStep], u32 after) const {
    bool is_candidate = false;
    PRESSO_UNROLL
    for (u32 row = 0; row < kRowsAStep; ++row) {
      const u32 next = word_after(quads, row, 0, after);
      PRESSO_UNROLL
      for (u32 i = 0; i < kQuadBytes; ++i) is_candidate |= agrees(gram_at(quads[row], next, i));
    }
    return simt::ballot(is_candidate) != 0;
  }

  /// The four bytes from byte i of the quad on; `next` is the word after it.
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

  /// A bit for each byte of the quad at which a literal's gram stands and the rest of the literal
  /// around it.
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
  /// Whether a literal stands around `at`, with its gram there. Compares byte by byte.
  PRESSO_DEVICE bool is_literal(u64 at) const {
    const u32 text = text_.word_at(at);
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

  const LiteralScanArguments& scan_;
  TextRows text_;
  HitLines lines_;
};

template <u32 kGrams, bool kMasked>
PRESSO_DEVICE void literal_tiles_body(const LiteralScanArguments& scan) {
  LiteralTiles<kGrams, kMasked> tiles(scan);
  add_lines(scan.d_lines, tiles.run());
}

}  // namespace presso::gpu

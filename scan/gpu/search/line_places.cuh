// SPDX-License-Identifier: MIT
// From marks at the ends of matching lines (LineScan::d_marks) to where these lines are, in the
// text's order (presso/text_gpu.h). Kernels in their order:
//
//   count_marks          counts the marks of each tile of 8 KiB
//   sum_marks            finds how many are before each tile; one thread block
//   place_lines_of_text  finds each line's end by its mark, its beginning by a search backwards
//
// Threads to data: a warp takes every n-th tile, a lane every 32nd word of its marks. Shared
// memory: a word for each warp where a thread block sums up. Cost: the marks, an eighth of the
// text, are read twice, and matching lines once.
// Test: tests/simt/line_places_test.cpp.
#pragma once

#include "presso/text_gpu.h"
#include "scan/gpu/search/batch_lines.cuh"

namespace presso::gpu {

// The argument of these kernels. Trivially copyable; all pointers are the caller's.
struct LinePlaces {
  const Byte* d_text = nullptr;
  u64 bytes = 0;                 ///< at least 1
  const u32* d_marks = nullptr;  ///< the marks that scan_lines() has set
  u64* d_before = nullptr;       ///< one for each tile: its marks, then those before it
  LinePlace* d_places = nullptr;
  u64 most_places = 0;

  /// One tile more than the text may need: the end of the text has a mark, too.
  PRESSO_HD constexpr u64 tiles() const { return bytes / kBatchTileBytes + 1; }
  PRESSO_HD constexpr u64 words() const { return bytes / kMarkWordBytes + 1; }
};

/// The word of marks of this lane, in the row of 32 words that begins at word `row` of the tile; 0
/// after the last one.
PRESSO_DEVICE u32 marks_at(const LinePlaces& lines, u64 tile, u32 row) {
  const u64 word = tile * kMarkWords + row + simt::lane();
  return word < lines.words() ? simt::load_readonly(lines.d_marks + word) : 0;
}

/// The first tile of this warp, and how far its next one is.
struct TileTurns {
  u64 first, step;

  PRESSO_DEVICE TileTurns() {
    const u64 warps = simt::block_threads() / kWarpSize;
    first = simt::block_index() * warps + simt::shuffle(simt::warp_in_block(), 0);
    step = simt::grid_blocks() * warps;
  }
};

/// Counts the marks of each tile.
PRESSO_DEVICE void count_marks_body(const LinePlaces& lines) {
  const TileTurns turns;
  for (u64 tile = turns.first; tile < lines.tiles(); tile += turns.step) {
    u32 marks = 0;
    for (u32 row = 0; row < kMarkWords; row += kWarpSize) {
      marks += simt::popcount(marks_at(lines, tile, row));
    }
    marks = simt::reduce_add(marks);
    if (simt::lane() == 0) lines.d_before[tile] = marks;
  }
}

/// Replaces each tile's marks by the marks before it; one thread block, a thread to a tile.
PRESSO_DEVICE void sum_marks_body(const LinePlaces& lines) {
  u32* const sums = reinterpret_cast<u32*>(simt::shared_memory());
  const u32 warps = simt::block_threads() / kWarpSize;
  u64 before = 0;
  for (u64 done = 0; done < lines.tiles(); done += simt::block_threads()) {
    const u64 tile = done + simt::thread_in_block();
    // A tile has 8,192 marks at most, so the sum of a thread block's tiles fits into 32 bits.
    const u32 own = tile < lines.tiles() ? static_cast<u32>(lines.d_before[tile]) : 0;
    const u32 inclusive = simt::inclusive_sum(own);
    if (simt::lane() == kWarpSize - 1) sums[simt::warp_in_block()] = inclusive;
    simt::block_sync();
    u64 at = before + inclusive - own;
    for (u32 warp = 0; warp < warps; ++warp) {
      if (warp < simt::warp_in_block()) at += sums[warp];
      before += sums[warp];
    }
    if (tile < lines.tiles()) lines.d_before[tile] = at;
    simt::block_sync();
  }
}

/// Writes each line's beginning and end to its place in the answer, as far as there is room. A warp
/// takes a tile; it looks for each line's beginning with all its lanes.
PRESSO_DEVICE void place_lines_of_text_body(const LinePlaces& lines) {
  const TextReader text(lines.d_text, lines.bytes);
  const TileTurns turns;
  for (u64 tile = turns.first; tile < lines.tiles(); tile += turns.step) {
    u64 number = lines.d_before[tile];
    for (u32 row = 0; row < kMarkWords && number < lines.most_places; row += kWarpSize) {
      const u32 mine = marks_at(lines, tile, row);
      for (u32 found = simt::ballot(mine != 0); found != 0; found &= found - 1) {
        const u32 lane = simt::find_first_set(found) - 1;
        u32 marks = simt::shuffle(mine, lane);
        for (; marks != 0 && number < lines.most_places; marks &= marks - 1, ++number) {
          const u64 word = tile * kMarkWords + row + lane;
          const u64 end = word * kMarkWordBytes + simt::find_first_set(marks) - 1;
          const u64 begin = begin_of_line(text, end);
          if (simt::lane() == 0) lines.d_places[number] = {begin == kNoLineBegin ? 0 : begin, end};
        }
      }
    }
  }
}

}  // namespace presso::gpu

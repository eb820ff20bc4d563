// SPDX-License-Identifier: MIT
// After the engine, which has left a mark at the '\n' of each matching line: what a batch scan
// tells besides the count (batch_scan.h). Kernels in their order, each a pass over tiles of 8 KiB
// or over listed lines, or one thread block that sums up:
//
//   find_ends      the first and the last '\n', one thread block from each end
//   count_tiles    marks and '\n' of each tile
//   sum_tiles      how many are before each tile
//   list_lines     where each marked line ends, in order
//   measure_lines  where it begins, how many lines are before it
//   place_lines    where each goes: the sum of those before it
//   gather_lines   copies them
//
// Threads to data: a warp takes every n-th tile or line. Shared memory: a word for each warp where
// a thread block sums up. Sources: L16 (what a match does).
// Test: tests/simt/scan_batch_test.cpp.
#pragma once

#include "scan/gpu/lines/line_engines.cuh"
#include "scan/gpu/search/batch_lines_args.h"

namespace presso::gpu {

constexpr u32 kMarkWords = kBatchTileBytes / kMarkWordBytes;

/// Which tiles or lines this warp takes: `first`, and every `step`-th from there.
struct WarpTurns {
  u32 first;
  u32 step;

  PRESSO_DEVICE WarpTurns() {
    const u32 warps = simt::block_threads() / kWarpSize;
    first = simt::block_index() * warps + simt::shuffle(simt::warp_in_block(), 0);
    step = simt::grid_blocks() * warps;
  }
};

/// Bit 7 of each byte is set where the byte is `value`; exact, unlike newline_bits().
PRESSO_DEVICE u32 bytes_equal(u32 word, u32 value) {
  const u32 differs = word ^ (value * 0x01010101u);
  return ~(((differs & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | differs | 0x7F7F7F7Fu);
}

/// Finds the batch's first '\n' (thread block 0) and last '\n' (thread block 1), each from its end
/// of the text, 16 bytes a thread and step, and stops where it has found one.
PRESSO_DEVICE void find_ends_body(const BatchLines& batch) {
  const bool from_front = simt::block_index() == 0;
  if (simt::block_index() > 1) return;
  const TextReader text(batch.d_text, batch.bytes);
  const u32 quads = (batch.bytes - 1) / kQuadBytes + 1;
  for (u32 done = 0; done < quads; done += simt::block_threads()) {
    const u32 turn = done + simt::thread_in_block();
    const u32 quad = from_front ? turn : quads - 1 - turn;
    u32 found = BatchFindings::kNowhere;
    if (turn < quads) {
      const u32 begin = quad * kQuadBytes;
      const u32 end = begin + kQuadBytes < batch.bytes ? begin + kQuadBytes : batch.bytes;
      for (u32 at = begin; at < end; ++at) {
        if (text.byte(at) == '\n' && (!from_front || found == BatchFindings::kNowhere)) found = at;
      }
    }
    const bool has = found != BatchFindings::kNowhere;
    if (has && from_front) simt::atomic_min(&batch.d_findings->first_newline, found);
    if (has && !from_front) simt::atomic_max(&batch.d_findings->behind_last_newline, found + 1);
    if (simt::block_sync_or(has)) return;
  }
}

/// Counts marks and, if numbers are wanted, '\n' in each tile. It reads the whole text only for
/// numbers.
PRESSO_DEVICE void count_tiles_body(const BatchLines& batch) {
  const TextReader text(batch.d_text, batch.bytes);
  const WarpTurns turns;
  for (u32 tile = turns.first; tile < batch.tiles(); tile += turns.step) {
    const u32 begin = tile * kBatchTileBytes;
    const u32 most = batch.bytes - begin;
    const u32 bytes = most < kBatchTileBytes ? most : kBatchTileBytes;
    if (batch.wants.lines) {
      const u32 words = (bytes - 1) / kMarkWordBytes + 1;
      u32 marks = 0;
      for (u32 word = simt::lane(); word < words; word += kWarpSize) {
        marks += simt::popcount(simt::load_readonly(batch.d_marks + begin / kMarkWordBytes + word));
      }
      marks = simt::reduce_add(marks);
      if (simt::lane() == 0) batch.d_tile_marks[tile] = marks;
    }
    if (!batch.wants.numbers) continue;
    u32 newlines = 0;
    PRESSO_UNROLL
    for (u32 row = 0; row < kBatchTileBytes; row += kWarpSize * kQuadBytes) {
      const u32 at = row + simt::lane() * kQuadBytes;
      if (at + kQuadBytes <= bytes) {
        const Quad quad = text.quad(begin + at);
        PRESSO_UNROLL
        for (u32 i = 0; i < 4; ++i) {
          newlines += simt::popcount(bytes_equal(quad.words[i], '\n'));
        }
      } else {
        for (u32 i = at; i < bytes; ++i) newlines += text.byte(begin + i) == '\n' ? 1 : 0;
      }
    }
    newlines = simt::reduce_add(newlines);
    if (simt::lane() == 0) batch.d_tile_newlines[tile] = newlines;
  }
}

/// Replaces each of `count` numbers, read and written by `load` and `store`, by the sum of those
/// before it; by one thread block. Returns the sum of all, to every thread.
template <class Load, class Store>
PRESSO_DEVICE u32 sum_up(u32 count, const Load& load, const Store& store) {
  constexpr u32 kEach = 8;
  u32* const sums = reinterpret_cast<u32*>(simt::shared_memory());
  const u32 threads = simt::block_threads();
  const u32 warps = threads / kWarpSize;
  u32 before = 0;
  for (u32 done = 0; done < count; done += threads * kEach) {
    const u32 first = done + simt::thread_in_block() * kEach;
    u32 own[kEach];
    u32 sum = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < kEach; ++i) {
      own[i] = first + i < count ? load(first + i) : 0;
      sum += own[i];
    }
    const u32 inclusive = simt::inclusive_sum(sum);
    if (simt::lane() == kWarpSize - 1) sums[simt::warp_in_block()] = inclusive;
    simt::block_sync();
    u32 at = before + inclusive - sum;
    u32 all = 0;
    for (u32 warp = 0; warp < warps; ++warp) {
      if (warp < simt::warp_in_block()) at += sums[warp];
      all += sums[warp];
    }
    PRESSO_UNROLL
    for (u32 i = 0; i < kEach; ++i) {
      if (first + i < count) store(first + i, at);
      at += own[i];
    }
    before += all;
    simt::block_sync();
  }
  return before;
}

/// Turns the tiles' counts into how many there are before each tile, and writes down the totals.
PRESSO_DEVICE void sum_tiles_body(const BatchLines& batch) {
  const auto sum = [&](u32* numbers) {
    return sum_up(
        batch.tiles(), [=](u32 i) { return numbers[i]; },
        [=](u32 i, u32 before) { numbers[i] = before; });
  };
  const u32 newlines = batch.wants.numbers ? sum(batch.d_tile_newlines) : 0;
  const u32 marks = batch.wants.lines ? sum(batch.d_tile_marks) : 0;
  if (simt::thread_in_block() != 0) return;
  batch.d_findings->newlines = newlines;
  batch.d_findings->listed = marks;
}

/// Writes down, in order, where each marked line ends, as far as there is room.
PRESSO_DEVICE void list_lines_body(const BatchLines& batch) {
  const WarpTurns turns;
  for (u32 tile = turns.first; tile < batch.tiles(); tile += turns.step) {
    const u32 end =
        tile + 1 < batch.tiles() ? batch.d_tile_marks[tile + 1] : batch.d_findings->listed;
    u32 listed = batch.d_tile_marks[tile];
    if (listed == end) continue;
    const u32 begin = tile * kBatchTileBytes;
    const u32 most = batch.bytes - begin;
    const u32 words = ((most < kBatchTileBytes ? most : kBatchTileBytes) - 1) / kMarkWordBytes + 1;
    for (u32 row = 0; row < kMarkWords; row += kWarpSize) {
      const u32 word = row + simt::lane();
      u32 marks = 0;
      if (word < words) marks = simt::load_readonly(batch.d_marks + begin / kMarkWordBytes + word);
      const u32 inclusive = simt::inclusive_sum(simt::popcount(marks));
      u32 at = listed + inclusive - simt::popcount(marks);
      for (; marks != 0; marks &= marks - 1, ++at) {
        const u32 bit = simt::find_first_set(marks) - 1;
        if (at < batch.most_listed) {
          // The end for now; measure_lines makes of it what it is to be.
          batch.d_listed[at].begin = begin + word * kMarkWordBytes + bit;
        }
      }
      listed += simt::shuffle(inclusive, kWarpSize - 1);
    }
  }
}

/// Where the line that ends at `end` begins, that is after the last '\n' before; kNoLineBegin where
/// the text has none before. By a warp, 128 bytes a step backwards.
constexpr u64 kNoLineBegin = ~u64{0};
PRESSO_DEVICE u64 begin_of_line(const TextReader& text, u64 end) {
  while (end > 0) {
    const u32 span = end < kWarpSize * 4 ? static_cast<u32>(end) : kWarpSize * 4;
    const u64 from = end - span;
    u32 found = 0;  // one higher
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 offset = i * kWarpSize + simt::lane();
      if (offset < span && text.byte(from + offset) == '\n') found = offset + 1;
    }
    found = simt::reduce_max(found);
    if (found != 0) return from + found;
    end = from;
  }
  return kNoLineBegin;
}

/// Counts '\n' in [from, to), by a warp; `from` is a multiple of 16.
PRESSO_DEVICE u32 count_newlines(const TextReader& text, u32 from, u32 to) {
  u32 count = 0;
  for (u32 at = from + simt::lane() * kQuadBytes; at < to; at += kWarpSize * kQuadBytes) {
    if (at + kQuadBytes <= to) {
      const Quad quad = text.quad(at);
      PRESSO_UNROLL
      for (u32 i = 0; i < 4; ++i) count += simt::popcount(bytes_equal(quad.words[i], '\n'));
    } else {
      for (u32 i = at; i < to; ++i) count += text.byte(i) == '\n' ? 1 : 0;
    }
  }
  return simt::reduce_add(count);
}

/// How many lines were written to the list: all, or as many as it has room for.
PRESSO_DEVICE u32 listed_lines(const BatchLines& batch) {
  const u32 listed = batch.d_findings->listed;
  return listed < batch.most_listed ? listed : batch.most_listed;
}

/// Finds where each listed line begins, how long it is and, if wanted, its number; a warp to a
/// line.
PRESSO_DEVICE void measure_lines_body(const BatchLines& batch) {
  const TextReader text(batch.d_text, batch.bytes);
  const WarpTurns turns;
  const u32 lines = listed_lines(batch);
  for (u32 i = turns.first; i < lines; i += turns.step) {
    const u32 end = batch.d_listed[i].begin;
    simt::warp_sync();  // all lanes have read it
    // That there is nothing before the head is known.
    const bool is_head = end == batch.d_findings->first_newline;
    const u64 found = is_head ? kNoLineBegin : begin_of_line(text, end);
    ListedLine line;
    if (found != kNoLineBegin) {
      const u32 begin = static_cast<u32>(found);
      line.begin = begin;
      line.bytes = end + 1 - begin;
      if (batch.wants.numbers) {
        const u32 tile = begin / kBatchTileBytes;
        // A line that begins where the text ends has no tile; none is listed.
        line.number =
            batch.d_tile_newlines[tile] + count_newlines(text, tile * kBatchTileBytes, begin);
      }
    }
    if (simt::lane() == 0) batch.d_listed[i] = line;
  }
}

/// Gives each listed line its place in the gathered text.
PRESSO_DEVICE void place_lines_body(const BatchLines& batch) {
  ListedLine* const lines = batch.d_listed;
  const u32 bytes = sum_up(
      listed_lines(batch), [=](u32 i) { return lines[i].bytes; },
      [=](u32 i, u32 before) { lines[i].at = before; });
  if (simt::thread_in_block() == 0) batch.d_findings->gathered_bytes = bytes;
}

/// Copies the listed lines to their places, a warp to a line. Copies nothing where the room for
/// lines or bytes is too small: the host takes the whole text then.
PRESSO_DEVICE void gather_lines_body(const BatchLines& batch) {
  if (batch.d_findings->listed > batch.most_listed) return;
  if (batch.d_findings->gathered_bytes > batch.most_gathered) return;
  const WarpTurns turns;
  const u32 lines = listed_lines(batch);
  for (u32 i = turns.first; i < lines; i += turns.step) {
    const ListedLine line = batch.d_listed[i];
    for (u32 at = simt::lane(); at < line.bytes; at += kWarpSize) {
      batch.d_gathered[line.at + at] = simt::load_readonly(batch.d_text + line.begin + at);
    }
  }
}

}  // namespace presso::gpu

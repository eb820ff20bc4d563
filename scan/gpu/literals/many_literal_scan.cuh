// SPDX-License-Identifier: MIT
// Counts the lines of a text that hold one of many literals (sources: S5.15).
//
// A lane holds 16 neighbouring bytes and gets the next eight from the next lane. For each place,
// or every second or fourth, the hash of the gram there is a bit of a filter in shared memory: two
// shifts, two multiplications, a look-up and two shifts that append the bit to the lane's word of
// candidates. That is 8 instructions a place, no branch, and a look-up takes 3.5 cycles of shared
// memory in random banks: 2.3 TB/s by count at every place.
//
// Candidates stay where they are, in a word of shared memory for each 32 places of a lane, until a
// tile is through. Then each lane verifies its own, one after another: the gram in an open hash
// table, and where it is one, its literals. Over a whole tile each lane has about as many
// candidates as the next, which is not so in a row of 512 bytes. What is left are hits, and
// hit_lines.cuh counts lines; rows without any are not read again.
//
// Threads to data: a warp takes every n-th tile of 8 KiB. Shared memory: the filters, then for each
// warp 1,024 bytes, or 512 where not every place is looked up; each lane uses its own words alone.
// Synchronisation: once, for the filters. Worst text: each place holds a gram of many long literals
// that differ at their ends only: the literals' length times their number for each place. Test:
// tests/simt/many_literals_test.cpp.
#pragma once

#include "scan/gpu/literals/hit_lines.cuh"
#include "scan/gpu/literals/many_literal_table.h"

namespace presso::gpu {

constexpr u32 kManyTileBytes = 8 << 10;
constexpr u32 kManyRows = 4;  ///< rows of 512 bytes in a step
constexpr u32 kManyStepBytes = kManyRows * kRowBytes;
constexpr u32 kManySteps = kManyTileBytes / kManyStepBytes;

using ManyLiteralScanArguments = HitScan<ManyLiteralTableView, kManyTileBytes>;

/// Which bit of which word stands for which place of a step: a row's places of a lane are
/// neighbouring bits, and a word holds as many rows as fit.
template <u32 kStride>
struct CandidateBits {
  static constexpr u32 kOfRow = kQuadBytes / kStride;
  static constexpr u32 kRowsAWord = kWarpSize / kOfRow < kManyRows ? kWarpSize / kOfRow : kManyRows;
  static constexpr u32 kWordsAStep = kManyRows / kRowsAWord;
  static constexpr u32 kWords = kManySteps * kWordsAStep;  ///< words of candidates of a lane
  static constexpr u32 kBytesAWarp = kWords * kWarpSize * 4;

  /// The place, counted from the tile's beginning, that a bit of the lane's word stands for.
  static PRESSO_DEVICE u32 place(u32 word, u32 bit) {
    const u32 row = word * kRowsAWord + bit / kOfRow;
    return row * kRowBytes + simt::lane() * kQuadBytes + bit % kOfRow * kStride;
  }
  /// The bits of one row, spread so that bit i stands for byte i of the quad.
  static PRESSO_DEVICE u32 of_row(u32 word, u32 row) {
    u32 bits = word >> row % kRowsAWord * kOfRow & ((1u << kOfRow) - 1);
    if constexpr (kStride == 2) {
      bits = (bits | bits << 4) & 0x0F0F;
      bits = (bits | bits << 2) & 0x3333;
      bits = (bits | bits << 1) & 0x5555;
    } else if constexpr (kStride == 4) {
      bits = (bits | bits << 6) & 0x0303;
      bits = (bits | bits << 3) & 0x1111;
    }
    return bits;
  }
};

// A warp at work on its tiles. kStride: the first group is looked up at every kStride-th place.
// kTwoGroups: whether there is a second group, of short literals, which is looked up at every place
// (many_literal_table.h).
template <u32 kStride, bool kTwoGroups>
class ManyLiteralTiles {
 public:
  // The distance of places that have a bit: with two groups every place, as the second needs.
  static constexpr u32 kStep = kTwoGroups ? 1 : kStride;
  using Candidates = CandidateBits<kStep>;

  PRESSO_DEVICE explicit ManyLiteralTiles(const ManyLiteralScanArguments& scan)
      : scan_(scan),
        text_(scan),
        lines_(scan),
        slots_(reinterpret_cast<u32*>(simt::shared_memory() +
                                      scan.table.group_count * scan.table.filter_bytes) +
               simt::warp_in_block() * Candidates::kWords * kWarpSize + simt::lane()) {}
  ManyLiteralTiles(const ManyLiteralTiles&) = delete;
  ManyLiteralTiles& operator=(const ManyLiteralTiles&) = delete;

  /// Searches all tiles of this warp. Returns the lane's share of matching lines, heads excepted.
  PRESSO_DEVICE u64 run() {
    const u32 warps = simt::block_threads() / kWarpSize;
    const u64 step = u64{simt::grid_blocks()} * warps;
    u64 tile = u64{simt::block_index()} * warps + simt::shuffle(simt::warp_in_block(), 0);
    for (; tile < scan_.tiles(); tile += step) {
      lines_.begin_tile();
      take_tile(tile * kManyTileBytes);
      const Byte summary = lines_.end_tile();
      if (simt::lane() == 0) scan_.d_tiles[tile] = summary;
    }
    return lines_.lines();
  }

 private:
  /// Filters the whole tile first, then verifies, then counts: lanes take their candidates in loops
  /// of their own, which run best over many at once.
  PRESSO_DEVICE void take_tile(u64 begin) {
    const u64 left = scan_.bytes - begin;
    const u32 bytes = left < kManyTileBytes ? static_cast<u32>(left) : kManyTileBytes;
    const u32 steps = (bytes + kManyStepBytes - 1) / kManyStepBytes;
    u32 used = 0;              // the lane's words that are not zero
    u32 newline_step = steps;  // the first one with '\n'
    PRESSO_NO_UNROLL
    for (u32 step = 0; step < steps; ++step) {
      Quad quads[kManyRows];
      u32 after[2];
      text_.load(begin + step * kManyStepBytes, quads, after);
      used |= filter_step(step, quads, after);
      if (newline_step == steps && has_newline_in(quads)) newline_step = step;
    }
    const u32 hits = simt::ballot(used != 0) == 0 ? 0u : verify(begin, used);
    if (simt::ballot(hits != 0) == 0) {
      lines_.note_newline(newline_step < steps);
    } else {
      count_rows(begin, steps, newline_step);
    }
  }

  static PRESSO_DEVICE bool has_newline_in(const Quad (&quads)[kManyRows]) {
    bool mine = false;
    PRESSO_UNROLL
    for (u32 row = 0; row < kManyRows; ++row) mine |= has_newline(quads[row]);
    return simt::ballot(mine) != 0;
  }

  // --- candidates

  /// Looks up the step's places and leaves the candidates in shared memory. Returns a bit for each
  /// of the lane's words that has some.
  PRESSO_DEVICE u32 filter_step(u32 step, const Quad (&quads)[kManyRows], const u32 (&after)[2]) {
    u32 used = 0, bits = 0;
    PRESSO_UNROLL
    for (u32 row = 0; row < kManyRows; ++row) {
      const u32 fold = scan_.table.fold;
      const u32 words[6] = {quads[row].words[0] | fold,
                            quads[row].words[1] | fold,
                            quads[row].words[2] | fold,
                            quads[row].words[3] | fold,
                            word_after(quads, row, 0, after[0]) | fold,
                            word_after(quads, row, 1, after[1]) | fold};
      take_places(words, bits);
      if ((row + 1) % Candidates::kRowsAWord != 0) continue;
      constexpr u32 kUnused = kWarpSize - Candidates::kRowsAWord * Candidates::kOfRow;
      bits >>= kUnused;
      const u32 word = step * Candidates::kWordsAStep + row / Candidates::kRowsAWord;
      slots_[word * kWarpSize] = bits;
      used |= bits != 0 ? 1u << word : 0u;
      bits = 0;
    }
    return used;
  }
  /// Looks up a quad's places and shifts a bit for each into `bits`, from the top.
  PRESSO_DEVICE void take_places(const u32 (&words)[6], u32& bits) const {
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuadBytes; i += kStep) {
      const u32 low = simt::funnel_shift_right(words[i / 4], words[i / 4 + 1], i % 4 * 8);
      const u32 high =
          simt::funnel_shift_right(words[i / 4 + 1], words[(i / 4 + 2) % 6], i % 4 * 8);
      u32 passed = 0;
      if (i % kStride == 0) passed = look_up(0, low, high);
      if constexpr (kTwoGroups) passed |= look_up(1, low, high);
      bits = simt::funnel_shift_right(bits, passed, 1);
    }
  }
  /// Looks the eight bytes up in the group's filter. Only bit 0 of the result has a meaning.
  PRESSO_DEVICE u32 look_up(u32 number, u32 low, u32 high) const {
    const LiteralGroup& group = scan_.table.groups[number];
    const u32 hash = low * group.multipliers[0] + high * group.multipliers[1];
    const Byte* const filter = simt::shared_memory() + number * scan_.table.filter_bytes;
    const u32 at = hash >> group.filter_shift & ~3u;
    const u32 word = *reinterpret_cast<const u32*>(filter + at);
    return simt::funnel_shift_right(word, word, hash);
  }

  // --- verification: lanes for themselves

  /// Clears the bits of candidates at which no literal stands. Returns 1 if the lane has some left,
  /// else 0.
  PRESSO_DEVICE u32 verify(u64 begin, u32 used) {
    u32 word = 0, bits = 0, hits = 0;
    PRESSO_NO_UNROLL
    while ((bits | used) != 0) {
      if (bits == 0) {
        word = simt::find_first_set(used) - 1;
        used &= used - 1;
        bits = slots_[word * kWarpSize];
      }
      const u32 lowest = bits & (0u - bits);
      bits ^= lowest;
      const u32 bit = simt::find_first_set(lowest) - 1;
      if (is_literal(begin + Candidates::place(word, bit))) {
        hits = 1;
      } else {
        slots_[word * kWarpSize] ^= lowest;
      }
    }
    return hits;
  }

  /// Whether a literal of either group has its gram at `at`.
  PRESSO_DEVICE bool is_literal(u64 at) const {
    if (at >= scan_.bytes) return false;
    const TextRows::Window window = text_.window_at(at);
    if (holds(scan_.table.groups[0], window, at)) return true;
    return kTwoGroups && holds(scan_.table.groups[1], window, at);
  }
  /// Looks the gram up in the group's hash table, by linear probing; ends at an empty slot.
  PRESSO_DEVICE bool holds(const LiteralGroup& group, const TextRows::Window& window,
                           u64 at) const {
    const u32 low = (window.words[0] | scan_.table.fold) & group.masks[0];
    const u32 high = (window.words[1] | scan_.table.fold) & group.masks[1];
    u32 number = (low * group.multipliers[0] + high * group.multipliers[1]) >> group.slot_shift;
    const Byte* const slots = scan_.table.d_image + group.slots_at;
    PRESSO_NO_UNROLL
    for (;; number = (number + 1) & group.slot_mask) {
      const auto slot = from_image<GramSlot>(slots + u64{number} * sizeof(GramSlot));
      if (slot.entries == 0) return false;
      if (slot.words[0] != low || slot.words[1] != high) continue;
      if ((slot.entries & GramSlot::kWholeGram) != 0) return true;
      return holds_entry(slot, at);
    }
  }
  /// Compares the literals that have this gram, the short ones first.
  PRESSO_DEVICE bool holds_entry(const GramSlot& slot, u64 at) const {
    const Byte* const entries =
        scan_.table.d_image + scan_.table.entries_at + u64{slot.first_entry} * sizeof(GramEntry);
    PRESSO_NO_UNROLL
    for (u32 i = 0; i < slot.entries; ++i) {
      const auto entry = from_image<GramEntry>(entries + u64{i} * sizeof(GramEntry));
      if (at < entry.begin_before) continue;
      const u64 begin = at - entry.begin_before;
      if (begin + entry.length <= scan_.bytes && is_equal(begin, entry)) return true;
    }
    return false;
  }
  /// Compares eight bytes at a time; the bytes' masks leave out the case and what lies after the
  /// end.
  PRESSO_DEVICE bool is_equal(u64 begin, const GramEntry& entry) const {
    const Byte* wanted = scan_.table.d_image + entry.at;
    PRESSO_NO_UNROLL
    for (u32 i = 0; i < entry.length; i += 8, wanted += kQuadBytes) {
      const TextRows::Window window = text_.window_at(begin + i);
      const auto want = from_image<Quad>(wanted);
      const u32 differs = ((window.words[0] & want.words[1]) ^ want.words[0]) |
                          ((window.words[1] & want.words[3]) ^ want.words[2]);
      if (differs != 0) return false;
    }
    return true;
  }

  template <class T>
  static PRESSO_DEVICE T from_image(const Byte* at) {
    static_assert(sizeof(T) == 16);
    return simt::load_readonly(reinterpret_cast<const T*>(at));
  }

  // --- lines

  /// Counts a tile that has hits. Of rows without hits only those are read that the head or an open
  /// hit needs.
  PRESSO_DEVICE void count_rows(u64 begin, u32 steps, u32 newline_step) {
    PRESSO_NO_UNROLL
    for (u32 row = 0; row < steps * kManyRows; ++row) {
      const u32 word = slots_[row / Candidates::kRowsAWord * kWarpSize];
      const u32 hits = Candidates::of_row(word, row);
      const bool is_near_head = !lines_.has_newline() && row / kManyRows == newline_step;
      if (simt::ballot(hits != 0) == 0 && !lines_.is_hit() && !is_near_head) continue;
      const u64 mine = begin + row * kRowBytes + simt::lane() * kQuadBytes;
      lines_.take_row(mine, hits, newlines_of(text_.quad_at(mine)));
    }
  }

  const ManyLiteralScanArguments& scan_;
  TextRows text_;
  HitLines lines_;
  u32* const slots_;  ///< the lane's words, kWarpSize apart
};

/// The shared memory for a thread block of `warps` warps: the filters, and each warp's candidates.
template <u32 kStride, bool kTwoGroups>
u32 many_literal_shared_bytes(const ManyLiteralTableView& table, u32 warps) {
  return table.shared_bytes() +
         warps * ManyLiteralTiles<kStride, kTwoGroups>::Candidates::kBytesAWarp;
}

template <u32 kStride, bool kTwoGroups>
PRESSO_DEVICE void many_literal_tiles_body(const ManyLiteralScanArguments& scan) {
  Quad* const to = reinterpret_cast<Quad*>(simt::shared_memory());
  const Quad* const from = reinterpret_cast<const Quad*>(scan.table.d_image);
  const u32 quads = scan.table.group_count * scan.table.filter_bytes / kQuadBytes;
  for (u32 i = simt::thread_in_block(); i < quads; i += simt::block_threads()) {
    to[i] = simt::load_readonly(from + i);
  }
  simt::block_sync();
  ManyLiteralTiles<kStride, kTwoGroups> tiles(scan);
  add_lines(scan.d_lines, tiles.run());
}

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// What all engines for literals end with: from *hits*, a bit for each place where a literal was
// found, to the number of lines that have one. Adding the bits of hits to those of no '\n' carries
// each hit to the end of its line, a ballot carries it on from lane to lane. A tile says whether it
// has a '\n', whether its head, up to there, has a hit, and whether what follows its last '\n' has;
// count_heads_body counts the heads.
//
// Threads to data: a row is 16 neighbouring bytes a lane, 512 a warp. No shared memory, no
// barriers. Tests: tests/simt/scan_literals_test.cpp, many_literals_test.cpp, plane_scan_test.cpp.
#pragma once

#include "decompress/gpu/simt/simt.h"
#include "scan/gpu/lines/line_engines.cuh"

namespace presso::gpu {

constexpr u32 kRowBytes = kWarpSize * kQuadBytes;

/// The summary of a tile when its warp is through; one byte in device memory.
enum TileBits : u32 {
  kHasNewline = 1,
  kHeadHit = 2,  ///< in front of the first '\n'
  kTailHit = 4,  ///< after the last one, or anywhere where there is none
};

/// The summaries of a text's tiles, whatever engine has made them; all that count_heads_body needs.
struct HitTiles : LineScan {
  Byte* d_tiles = nullptr;  ///< the summary of each tile: TileBits
  u64 tiles = 0;
  u32 tile_bytes = 0;  ///< bytes of text in a tile
};

/// The argument of an engine's kernels: the text, its table and its tiles of kTile bytes.
template <class View, u32 kTile>
struct HitScan : LineScan {  // at least one byte
  View table;
  Byte* d_tiles = nullptr;

  PRESSO_HD constexpr u64 tiles() const { return (bytes - 1) / kTile + 1; }
  PRESSO_HD constexpr HitTiles hit_tiles() const { return {*this, d_tiles, tiles(), kTile}; }
};

/// A bit for each byte of a quad that is '\n', bit i for byte i.
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

/// The text in rows of 512 bytes, safe to read beyond its end: there it reads as '\n' where the end
/// of the text ends a line, else as zeroes. Literals hold no '\n', so nothing is found there.
class TextRows {
 public:
  PRESSO_DEVICE explicit TextRows(const LineScan& scan)
      : text_(scan.d_text), bytes_(scan.bytes), filling_(scan.ends_line ? 0x0A0A0A0Au : 0) {}

  /// Loads the lane's quads of kRows rows from `at` on, a multiple of 16. Lane 31 gets the kNext
  /// words that follow the rows too, for the grams that begin in its last bytes.
  template <u32 kRows, u32 kNext>
  PRESSO_DEVICE void load(u64 at, Quad (&quads)[kRows], u32 (&next)[kNext]) const {
    const u64 mine = at + simt::lane() * kQuadBytes;
    constexpr u32 kBytes = kRows * kRowBytes;
    if (at + kBytes + kQuadBytes <= bytes_) {
      PRESSO_UNROLL
      for (u32 row = 0; row < kRows; ++row) {
        quads[row] =
            simt::load_readonly(reinterpret_cast<const Quad*>(text_ + mine) + row * kWarpSize);
      }
      PRESSO_UNROLL
      for (u32 i = 0; i < kNext; ++i) {
        next[i] = simt::lane() == kWarpSize - 1
                      ? simt::load_readonly(reinterpret_cast<const u32*>(text_ + at + kBytes) + i)
                      : 0;
      }
      return;
    }
    PRESSO_UNROLL
    for (u32 row = 0; row < kRows; ++row) quads[row] = careful_quad(mine + row * kRowBytes);
    PRESSO_UNROLL
    for (u32 i = 0; i < kNext; ++i) next[i] = word_at(at + kBytes + 4 * i);
  }
  /// Loads 32 neighbouring bytes for each lane, a row of 1,024 bytes.
  PRESSO_DEVICE void load_pair(u64 at, Quad& low, Quad& high) const {
    const u64 mine = at + simt::lane() * 2 * kQuadBytes;
    if (at + 2 * kRowBytes <= bytes_) {
      low = simt::load_readonly(reinterpret_cast<const Quad*>(text_ + mine));
      high = simt::load_readonly(reinterpret_cast<const Quad*>(text_ + mine) + 1);
    } else {
      low = careful_quad(mine);
      high = careful_quad(mine + kQuadBytes);
    }
  }
  PRESSO_DEVICE Quad quad_at(u64 at) const {
    if (at + kQuadBytes > bytes_) return careful_quad(at);
    return simt::load_readonly(reinterpret_cast<const Quad*>(text_ + at));
  }
  /// Four bytes from any place, the first in the lowest bits. Byte by byte: for the text's end.
  PRESSO_DEVICE u32 word_at(u64 at) const {
    u32 word = filling_;
    for (u32 i = 0; i < 4 && at + i < bytes_; ++i) {
      word = (word & ~(0xFFu << 8 * i)) | u32{text_[at + i]} << 8 * i;
    }
    return word;
  }
  /// Eight bytes from any place, in the text's order from the lowest bits of words[0] on.
  struct Window {
    u32 words[2];
  };
  PRESSO_DEVICE Window window_at(u64 at) const {
    const u64 base = at / 4 * 4;
    const u32 low = aligned_word(base), middle = aligned_word(base + 4);
    const u32 high = aligned_word(base + 8);
    const u32 shift = static_cast<u32>(at - base) * 8;
    return {simt::funnel_shift_right(low, middle, shift),
            simt::funnel_shift_right(middle, high, shift)};
  }

 private:
  PRESSO_DEVICE u32 aligned_word(u64 at) const {
    if (at + 4 > bytes_) return word_at(at);
    return simt::load_readonly(reinterpret_cast<const u32*>(text_ + at));
  }
  PRESSO_DEVICE Quad careful_quad(u64 at) const {
    return {{word_at(at), word_at(at + 4), word_at(at + 8), word_at(at + 12)}};
  }

  const Byte* text_;
  u64 bytes_;
  u32 filling_;
};

/// The word that the next lane holds for the same row; the last lane gets the first lane's of the
/// next row, or `next` after the last row.
template <u32 kRows>
PRESSO_DEVICE u32 word_after(const Quad (&quads)[kRows], u32 row, u32 word, u32 next) {
  const u32 neighbour = simt::shuffle_down(quads[row].words[word], 1);
  const u32 next_row =
      row + 1 < kRows ? simt::shuffle(quads[(row + 1) % kRows].words[word], 0) : next;
  return simt::lane() == kWarpSize - 1 ? next_row : neighbour;
}

/// Counts and marks a tile's matching lines, row after row, except for its head, which depends on
/// the tile before. State that all lanes share is kept in each of them as 0 or 1.
class HitLines {
 public:
  PRESSO_DEVICE explicit HitLines(const LineScan& scan)
      : marks_(reinterpret_cast<std::uint16_t*>(scan.d_marks)) {}

  PRESSO_DEVICE void begin_tile() { tail_ = has_newline_ = head_ = 0; }

  /// Whether the line that the next row begins within has a hit so far. Then no row may be passed
  /// over: its end is still to be counted.
  PRESSO_DEVICE bool is_hit() const { return tail_ != 0; }
  PRESSO_DEVICE bool has_newline() const { return has_newline_ != 0; }
  /// Notes a '\n' in rows that are passed over because they have no hits.
  PRESSO_DEVICE void note_newline(bool mine) { has_newline_ |= simt::ballot(mine) != 0 ? 1 : 0; }

  /// Takes a row of which each lane has kBits bits, in the text's order from lane to lane; the
  /// first lane's first bit is that of byte `at`. A hit and the non-newline bits after it are added
  /// like numbers, so the carry comes out at the line's '\n'.
  template <u32 kBits = kQuadBytes>
  PRESSO_DEVICE void take_row(u64 at, u32 hits, u32 newlines) {
    constexpr u32 kAll = kBits < kWarpSize ? (1u << kBits % kWarpSize) - 1 : ~0u;
    u32 sum = hits + (~newlines & kAll);
    // Lanes whose sum overflows give a carry, those that are full hand one on: an addition again.
    const bool overflows = kBits < kWarpSize ? sum > kAll : sum < hits;
    const u64 gives = u64{simt::ballot(overflows)} << 1 | tail_;
    const u32 hands_on = simt::ballot(sum == kAll);
    const u64 carries = (gives + hands_on) ^ hands_on;
    tail_ = static_cast<u32>(carries >> kWarpSize) & 1;
    sum += static_cast<u32>(carries >> simt::lane()) & 1;
    u32 ends = sum & newlines;  // of matching lines
    if (has_newline_ == 0) ends = without_head(ends, newlines);
    lines_ += simt::popcount(ends);
    if (marks_ != nullptr && ends != 0) mark<kBits>(at, ends);
  }

  /// Ends the tile and returns its summary, TileBits.
  PRESSO_DEVICE Byte end_tile() {
    if (has_newline_ == 0) head_ = tail_;
    return static_cast<Byte>(has_newline_ * kHasNewline | head_ * kHeadHit | tail_ * kTailHit);
  }

  /// The lane's share of matching lines, of all tiles so far.
  PRESSO_DEVICE u64 lines() const { return lines_; }

 private:
  /// Takes the head's end out of `ends`, and keeps in head_ whether it had a hit.
  PRESSO_DEVICE u32 without_head(u32 ends, u32 newlines) {
    const u32 closed = simt::ballot(newlines != 0);
    if (closed == 0) return ends;
    const u32 first = simt::find_first_set(closed) - 1;
    const u32 lowest = newlines & (0u - newlines);
    head_ = simt::shuffle((ends & lowest) != 0 ? 1u : 0u, first);
    has_newline_ = 1;
    return simt::lane() == first ? ends & ~lowest : ends;
  }

  template <u32 kBits>
  PRESSO_DEVICE void mark(u64 at, u32 ends) {
    PRESSO_UNROLL
    for (u32 done = 0; done < kBits; done += kQuadBytes, ends >>= kQuadBytes) {
      const auto bits = static_cast<std::uint16_t>(ends);
      // What lies after the text's end has no entry, and no bits.
      if (bits != 0) marks_[(at + done) / kQuadBytes] = bits;
    }
  }

  std::uint16_t* marks_;  ///< an entry for 16 bytes; nullptr: lines are counted only
  u64 lines_ = 0;
  u32 tail_ = 0, has_newline_ = 0, head_ = 0;
};

/// Whether the line that `tile` begins within has a hit in a tile before. By a warp; it walks back
/// to the line's beginning, 32 tiles a step. Only the tile where the line ends asks, so no tile is
/// walked over twice.
PRESSO_DEVICE bool has_hit_to_the_left(const HitTiles& scan, u64 tile) {
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

/// Where the first '\n' at or after `at` is, or the text's end. By a warp.
PRESSO_DEVICE u64 first_newline(const HitTiles& scan, u64 at) {
  const TextRows text(scan);
  for (; at < scan.bytes; at += kRowBytes) {
    const u64 mine = at + simt::lane() * kQuadBytes;
    const u32 newlines = mine < scan.bytes ? newlines_of(text.quad_at(mine)) : 0;
    const u32 found = simt::ballot(newlines != 0);
    if (found == 0) continue;
    const u32 first = simt::find_first_set(found) - 1;
    const u32 place = first * kQuadBytes + simt::find_first_set(simt::shuffle(newlines, first)) - 1;
    return at + place < scan.bytes ? at + place : scan.bytes;
  }
  return scan.bytes;
}

/// Marks where the heads end, of those among this warp's 32 tiles that have a hit; `hit` is the
/// lane's.
PRESSO_DEVICE void mark_heads(const HitTiles& scan, u64 first_tile, bool hit) {
  for (u32 found = simt::ballot(hit); found != 0; found &= found - 1) {
    const u64 tile = first_tile + simt::find_first_set(found) - 1;
    const u64 end = first_newline(scan, tile * scan.tile_bytes);
    if (simt::lane() == 0) simt::atomic_or(&scan.d_marks[end / kWarpSize], 1u << end % kWarpSize);
  }
}

/// Counts and marks each tile's head, with a lane to a tile. An unfinished last line that counts is
/// treated as if a tile with '\n' followed.
PRESSO_DEVICE void count_heads_body(const HitTiles& scan) {
  const u32 warps = simt::block_threads() / kWarpSize;
  const u64 step = u64{simt::grid_blocks()} * warps * kWarpSize;
  u64 base =
      (u64{simt::block_index()} * warps + simt::shuffle(simt::warp_in_block(), 0)) * kWarpSize;
  u64 lines = 0;
  for (; base <= scan.tiles; base += step) {
    const u64 mine = base + simt::lane();
    u32 bits = mine == scan.tiles && scan.ends_line ? u32{kHasNewline} : 0u;
    if (mine < scan.tiles) bits = scan.d_tiles[mine];
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
    if (scan.d_marks != nullptr) mark_heads(scan, base, hit);
  }
  add_lines(scan.d_lines, lines);
}

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// text_walk.cuh with lanes that are refilled (L3): a lane whose row has ended takes the next row of
// the tile that no lane has, as soon as fewer than `threshold` lanes (1 to 32) have one, so that
// one long row, or one whose state is decided late, does not hold up 31 lanes. A lane looks whether
// it is done after each piece of 16 bytes. Rows lie in memory, and where each of the tile's rows
// ends in shared memory, so nothing is buffered, and nothing is left over at the end of a tile.
//
// A refill takes some 30 instructions, as many as six bytes of all rows, so it pays where rows of a
// warp differ by several pieces. On l_comment of TPC-H it gains 4 % (query/gpu/NOTES.md). Tests:
// tests/simt/text_suite.cpp, by lab/tests.
#pragma once

#include "query/gpu/strings/text_walk.cuh"

namespace presso::gpu {

/// A warp's part of shared memory.
struct TextRefillShared {
  /// Of the tile's rows; [kQuad - 1] is where the first row begins.
  alignas(16) u32 ends[kQuad + kRowTile];
  u32 bits[kRowTile / kWarpSize];
};

template <class Table>
class RefilledText {
 public:
  PRESSO_DEVICE RefilledText(const TextTest& test, const StringBlock& block,
                             TextRefillShared& shared, u32 threshold)
      : test_(test),
        view_(block.table),
        table_(block.table),
        text_(block.payload.bytes),
        shared_(shared),
        threshold_(threshold) {}

  /// Sets the bits of the tile's rows that match; they are 0 before.
  PRESSO_DEVICE void run(RowFeed& feed) {
    for (u32 first = 0; !feed.is_done(); first += kQuadRows) {
      store_ends(shared_.ends + first, feed.take());
    }
    const u32 rows = feed.rows();
    u32 row = simt::lane();
    bool is_walking = row < rows;
    if (is_walking) begin_row(row);
    u32 next = kWarpSize;
    while (true) {
      const TextPiece piece = feed_.take(left_);
      state_ = walk_piece(table_, view_, piece, state_, left_);
      if (is_walking && left_ == 0) {
        deliver(row);
        is_walking = false;
      }
      const u32 walking = simt::ballot(is_walking);
      if (simt::popcount(walking) >= threshold_) continue;
      if (next < rows) {
        if (!is_walking) {
          row = next + simt::popcount(~walking & lanes_below());
          is_walking = row < rows;
          if (is_walking) begin_row(row);
        }
        next += kWarpSize - simt::popcount(walking);
      } else if (walking == 0) {
        return;
      }
    }
  }

 private:
  PRESSO_DEVICE void begin_row(u32 row) {
    const u32* const end = shared_.ends + kQuad + row;
    const u32 begin = end[-1];
    const u32 bytes = end[0] - begin;
    may_match_ = has_right_length(test_, bytes);
    left_ = may_match_ && view_.start < view_.first_decided ? bytes : 0;
    state_ = view_.start;
    feed_ = TextFeed(text_ + begin, left_);
  }
  PRESSO_DEVICE void deliver(u32 row) {
    if (!may_match_ || !is_match(view_, state_)) return;
    simt::atomic_or(shared_.bits + row / kWarpSize, 1u << row % kWarpSize);
  }

  const TextTest& test_;
  const StringTableView& view_;
  Table table_;
  const Byte* text_;
  TextRefillShared& shared_;
  u32 threshold_;
  // Of the lane's row.
  TextFeed feed_;
  u32 state_ = 0;
  u32 left_ = 0;
  bool may_match_ = false;
};

template <class Table>
PRESSO_DEVICE void refill_text_tile(const TextTest& test, u32 threshold, u32 number, u32 tile) {
  const StringBlock& block = test.rows.blocks[number];
  auto* const warps =
      reinterpret_cast<TextRefillShared*>(simt::shared_memory() + test.rows.table_bytes);
  TextRefillShared& shared = warps[uniform_warp()];
  shared.bits[simt::lane()] = 0;
  simt::warp_sync();
  RowFeed feed(block, tile);
  RefilledText<Table>(test, block, shared, threshold).run(feed);
  simt::warp_sync();
  store_bits(test.rows, number, tile, feed.rows(), shared.bits[simt::lane()]);
  simt::warp_sync();
}

constexpr u32 refilled_text_shared_bytes(u32 table_bytes, u32 warps) {
  return table_bytes + warps * static_cast<u32>(sizeof(TextRefillShared));
}

/// Shared memory: refilled_text_shared_bytes(). Any grid.
template <class Table>
PRESSO_DEVICE void refill_text_body(const TextTest& test, u32 threshold) {
  for_each_tile(test.rows, [&](u32 number, u32 tile) {
    refill_text_tile<Table>(test, threshold, number, tile);
  });
}

}  // namespace presso::gpu

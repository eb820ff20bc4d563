// SPDX-License-Identifier: MIT
// row_walk.cuh with lanes that are refilled (L3): a lane whose row is done takes the next row that
// no lane has, as soon as fewer than `threshold` lanes (1 to 32) have one, so that one long row
// does not hold up 31 lanes. Rows lie in memory, and those in the window wait there, so nothing is
// buffered. A *pass* is as many rows as the window holds together; groups of 128 that it does not
// hold are walked without refilling.
//
// Reasoned: a refill takes as many instructions as half a word of four codes, so it pays where the
// longest of 32 rows has some three times as many codes as the mean. Measured: scan/gpu/NOTES.md,
// it never did. Tests: tests/simt/string_suite.cpp, by lab/tests.
#pragma once

#include "query/gpu/strings/row_walk.cuh"

namespace presso::gpu {

inline constexpr u32 kPassRows = 4 * kQuadRows;

/// A warp's part of shared memory.
template <class Table>
struct RefillShared {
  u32 window[ColumnWindow<Table>::kWords];
  /// Of the rows of a pass; [kQuad - 1] is where the first row begins.
  alignas(16) u32 ends[kQuad + kPassRows];
  u32 bits[kRowTile / kWarpSize];  ///< the tile's rows
};

template <class Table>
class RefilledWalk {
 public:
  using Window = ColumnWindow<Table>;
  using Word = typename Window::Word;

  PRESSO_DEVICE RefilledWalk(const Table& table, const StringBlock& block,
                             RefillShared<Table>& shared, u32 tile, u32 threshold)
      : table_(table),
        view_(block.table),
        shared_(shared),
        threshold_(threshold),
        feed_(block, tile),
        window_(table, block, shared.window, feed_.end()) {}

  /// Sets the bits of the tile's rows that match; they are 0 before.
  PRESSO_DEVICE void run() {
    u32 first = 0;  // of the pass
    u32 rows = 0;
    u32 begin = feed_.end();
    while (!feed_.is_done()) {
      const u32 group_begin = feed_.end();
      const LaneQuad quad = feed_.take();
      if (rows == kPassRows || !fits(begin)) {
        run_pass(first, rows, begin, group_begin);
        first += rows;
        rows = 0;
        begin = group_begin;
      }
      store_ends(shared_.ends + rows, quad);
      if (fits(begin)) {
        rows += kQuadRows;
      } else {
        walk_group(first);
        first += kQuadRows;
        begin = feed_.end();
      }
    }
    run_pass(first, rows, begin, feed_.end());
  }

  PRESSO_DEVICE u32 rows() const { return feed_.rows(); }
  PRESSO_DEVICE bool is_bad() const { return window_.is_bad(); }

 private:
  /// Whether the window holds the codes from `begin` up to those of the last group.
  PRESSO_DEVICE bool fits(u32 begin) const {
    return feed_.end() <= begin / kOctetCodes * kOctetCodes + Window::kCodes;
  }

  PRESSO_DEVICE void deliver(bool is_found, u32 row) {
    if (is_found) simt::atomic_or(shared_.bits + row / kWarpSize, 1u << row % kWarpSize);
  }

  PRESSO_DEVICE void walk_group(u32 first) {
    PRESSO_NO_UNROLL
    for (u32 part = 0; part < kQuad; ++part) {
      const u32* const ends = shared_.ends + kQuad + part * kWarpSize;
      const u32* const own = ends + simt::lane();
      const u32 row = first + part * kWarpSize + simt::lane();
      const u32 state =
          walk_rows(table_, view_, window_, {own[-1], own[0]}, ends[-1], ends[kWarpSize - 1]);
      deliver(row < feed_.rows() && is_match(view_, state), row);
    }
  }

  PRESSO_DEVICE void run_pass(u32 first, u32 rows, u32 begin, u32 end) {
    if (rows == 0) return;
    window_.fill(begin, end);
    const u32 left = feed_.rows() - first;
    refill(simt::lane(), rows < left ? rows : left, first);
  }

  /// The lane begins with row `row` of the pass, or with none where there are not so many.
  PRESSO_DEVICE void refill(u32 row, u32 rows, u32 first) {
    const u32 none = Word::of(view_.none);
    LaneWalk lane;
    bool is_walking = row < rows;
    if (is_walking) lane = begin_row(row);
    u32 next = kWarpSize;
    while (true) {
      const u32 high = window_.word(++lane.index);
      const u32 columns =
          Word::front(simt::funnel_shift_right(lane.low, high, lane.shift), lane.left, none);
      lane.low = high;
      PRESSO_UNROLL
      for (u32 i = 0; i < Word::kColumns; ++i) {
        lane.state = table_.next(lane.state, Word::at(columns, i));
      }
      const bool goes_on = lane.left > Word::kColumns && lane.state < view_.first_decided;
      lane.left = goes_on ? lane.left - Word::kColumns : 0;
      deliver(is_walking && !goes_on && is_match(view_, lane.state), first + row);
      is_walking = is_walking && goes_on;
      const u32 walking = simt::ballot(is_walking);
      if (simt::popcount(walking) >= threshold_) continue;
      if (next < rows) {
        if (!is_walking) {
          row = next + simt::popcount(~walking & lanes_below());
          is_walking = row < rows;
          if (is_walking) lane = begin_row(row);
        }
        next += kWarpSize - simt::popcount(walking);
      } else if (walking == 0) {
        return;
      }
    }
  }

  /// A row that is being walked.
  struct LaneWalk {
    u32 index = 0;
    u32 shift = 0;
    u32 low = 0;
    u32 left = 0;
    u32 state = 0;
  };
  PRESSO_DEVICE LaneWalk begin_row(u32 row) const {
    const u32* const end = shared_.ends + kQuad + row;
    LaneWalk lane;
    const u32 begin = end[-1];
    lane.index = begin / Word::kColumns;
    lane.shift = begin % Word::kColumns * Word::kBits;
    lane.low = window_.word(lane.index);
    lane.left = end[0] - begin;
    lane.state = view_.start;
    return lane;
  }

  const Table& table_;
  const StringTableView& view_;
  RefillShared<Table>& shared_;
  u32 threshold_;
  RowFeed feed_;
  Window window_;
};

template <class Table>
PRESSO_DEVICE void refill_tile(const StringBatch& batch, u32 threshold, u32 number, u32 tile) {
  const StringBlock& block = batch.blocks[number];
  const Table table(block.table);
  auto* const warps =
      reinterpret_cast<RefillShared<Table>*>(simt::shared_memory() + batch.table_bytes);
  RefillShared<Table>& shared = warps[uniform_warp()];
  shared.bits[simt::lane()] = 0;
  simt::warp_sync();
  RefilledWalk<Table> walk(table, block, shared, tile, threshold);
  walk.run();
  simt::warp_sync();
  report_bad_code(walk.is_bad(), batch.status + number);
  store_bits(batch, number, tile, walk.rows(), shared.bits[simt::lane()]);
  simt::warp_sync();
}

template <class Table>
constexpr u32 refill_shared_bytes(u32 table_bytes, u32 warps) {
  return table_bytes + warps * static_cast<u32>(sizeof(RefillShared<Table>));
}

/// Shared memory: refill_shared_bytes(). Any grid.
template <class Table>
PRESSO_DEVICE void refill_rows_body(const StringBatch& batch, u32 threshold) {
  for_each_tile(batch,
                [&](u32 number, u32 tile) { refill_tile<Table>(batch, threshold, number, tile); });
}

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// Tests rows of codes (the strings of a column that is stored as tokens, FORMAT.md 17) by an
// automaton: one lane for each row, with the row's state in a register. Codes are packed so that
// those of one row lie in different lanes. So a warp unpacks octets of 256 codes, one code for each
// lane and step, turns the codes into columns of the table (classes, if the layout has these), and
// puts them into its *window*, a ring in shared memory in which they are in order. Each lane then
// walks its row there, a word at a time. Columns of the last word that belong to the next row are
// replaced by `none`, which changes no state, so lanes do not diverge; the warp goes on until no
// lane has codes left. A lane whose state is decided has none left.
//
// Rows that do not fit into the window together are walked as far as it goes, then it moves on:
// rows may have any number of codes.
//
// Estimated from instructions, for 4 codes in a row and classes: a warp needs 9 instructions to
// stage 32 codes, 22 to walk them (half of the lanes wait for longer rows), 9 for the places and
// bits of rows, and 10 cycles of shared memory. Tested by tests/simt/string_suite.cpp.
#pragma once

#include "query/gpu/strings/string_tiles.cuh"

namespace presso::gpu {

/// Columns of 1 or 2 bytes packed into words of 32 bits, the first column lowest.
template <class Entry>
struct ColumnWord {
  static constexpr u32 kColumns = 4 / sizeof(Entry);
  static constexpr u32 kBits = 8 * sizeof(Entry);
  static constexpr u32 kMask = (1u << kBits) - 1;

  /// Returns a word with `column` in every place.
  PRESSO_DEVICE static u32 of(u32 column) { return column * (simt::kFullMask / kMask); }
  /// Returns column `index` of a word by one byte permutation; `index` should be a constant.
  PRESSO_DEVICE static u32 at(u32 word, u32 index) {
    constexpr u32 kZero = 4;  // the first byte of the other word
    const u32 first = index * sizeof(Entry);
    const u32 second = sizeof(Entry) == 2 ? first + 1 : kZero;
    return simt::byte_permute(word, 0, kZero << 12 | kZero << 8 | second << 4 | first);
  }
  /// Returns the first `count` columns of `word`, followed by columns of `rest`.
  PRESSO_DEVICE static u32 front(u32 word, u32 count, u32 rest) {
    const u32 behind = count < kColumns ? simt::kFullMask << (count * kBits) : 0;
    return (word & ~behind) | (rest & behind);
  }
};

/// The table of StringLayout::kClasses, all of it in shared memory: one access for the class of a
/// code and one for the next state.
struct ClassWalk {
  using Column = Byte;
  static constexpr u32 kWindowCodes = 2048;
  const Byte* classes;
  const Byte* rows;
  u32 pitch;

  PRESSO_DEVICE explicit ClassWalk(const StringTableView& view)
      : classes(simt::shared_memory()), rows(classes + kClassRowsAt), pitch(view.pitch) {}
  PRESSO_DEVICE u32 column_of(u32 code) const { return classes[code]; }
  PRESSO_DEVICE u32 next(u32 state, u32 column) const { return rows[state * pitch + column]; }
};

/// The table of StringLayout::kWide: classes in shared memory, rows in device memory and its
/// caches.
struct WideWalk {
  using Column = std::uint16_t;
  static constexpr u32 kWindowCodes = 1024;
  const std::uint16_t* classes;
  const std::uint16_t* rows;  ///< in device memory
  u32 pitch;

  PRESSO_DEVICE explicit WideWalk(const StringTableView& view)
      : classes(reinterpret_cast<const std::uint16_t*>(simt::shared_memory())),
        rows(reinterpret_cast<const std::uint16_t*>(view.d_image + view.rows_at)),
        pitch(view.pitch) {}
  PRESSO_DEVICE u32 column_of(u32 code) const { return classes[code]; }
  PRESSO_DEVICE u32 next(u32 state, u32 column) const {
    return simt::load_readonly(rows + state * pitch + column);
  }
};

/// A warp's ring of columns. All members are the same in all lanes, except for the codes that the
/// feed holds and the greatest code that was seen.
template <class Table>
class ColumnWindow {
 public:
  using Column = typename Table::Column;
  using Word = ColumnWord<Column>;
  static constexpr u32 kCodes = Table::kWindowCodes;
  static constexpr u32 kWords = kCodes / Word::kColumns;

  PRESSO_DEVICE ColumnWindow(const Table& table, const StringBlock& block, u32* ring, u32 code)
      : table_(table),
        ring_(ring),
        feed_(block, code),
        codes_(block.codes),
        tokens_(block.table.tokens) {}

  PRESSO_DEVICE u32 end() const { return feed_.end(); }
  /// Takes codes up to `end`, as far as there is room besides those from `kept` on.
  PRESSO_DEVICE void fill(u32 kept, u32 end) {
    if (feed_.end() >= end) return;
    const u32 limit = kept / kOctetCodes * kOctetCodes + kCodes;
    simt::warp_sync();  // all lanes have read what the next octets overwrite
    while (feed_.end() < end && feed_.end() < limit) stage();
    simt::warp_sync();
  }
  /// Word `index` of all columns of the block, which must be in the window.
  PRESSO_DEVICE u32 word(u32 index) const { return ring_[index % kWords]; }
  /// Whether the lane has taken a code that names no token.
  PRESSO_DEVICE bool is_bad() const { return most_ >= tokens_; }

 private:
  /// Moves one octet of codes into the ring.
  PRESSO_DEVICE void stage() {
    const u32 begin = feed_.end();
    Column* const to = reinterpret_cast<Column*>(ring_) + begin % kCodes + simt::lane();
    const OctetCodes codes = feed_.take();
    if (tokens_ < kMaxTokens) check(codes, begin);
    u32 columns[kOctetSteps];  // look-ups are issued before the first store
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) {
      columns[step] = table_.column_of(codes.steps[step]);
    }
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) {
      to[step * kWarpSize] = static_cast<Column>(columns[step]);
    }
  }

  /// Remembers the greatest code. Only called if the dictionary has fewer tokens than there are
  /// codes; in the last octet it leaves out what follows the block's last code.
  PRESSO_DEVICE void check(const OctetCodes& codes, u32 begin) {
    if (codes_ - begin >= kOctetCodes) {
      PRESSO_UNROLL
      for (const u32 code : codes.steps) most_ = code > most_ ? code : most_;
      return;
    }
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) {
      const bool is_code = begin + step * kWarpSize + simt::lane() < codes_;
      most_ = is_code && codes.steps[step] > most_ ? codes.steps[step] : most_;
    }
  }

  const Table& table_;
  u32* ring_;
  CodeFeed feed_;
  u32 codes_;
  u32 tokens_;
  u32 most_ = 0;
};

/// Runs the automaton over the lane's codes [begin, end), which are in the window, and returns the
/// state after them; without codes that is `state`. Called by all lanes.
template <class Table>
PRESSO_DEVICE u32 walk(const Table& table, const StringTableView& view,
                       const ColumnWindow<Table>& window, u32 begin, u32 end, u32 state) {
  using Word = typename ColumnWindow<Table>::Word;
  const u32 none = Word::of(view.none);
  const u32 shift = begin % Word::kColumns * Word::kBits;
  u32 index = begin / Word::kColumns;
  u32 left = begin < end ? end - begin : 0;
  u32 low = window.word(index);
  while (simt::any(left > 0)) {
    const u32 high = window.word(++index);
    const u32 columns = Word::front(simt::funnel_shift_right(low, high, shift), left, none);
    low = high;
    PRESSO_UNROLL
    for (u32 i = 0; i < Word::kColumns; ++i) state = table.next(state, Word::at(columns, i));
    left = left > Word::kColumns && state < view.first_decided ? left - Word::kColumns : 0;
  }
  return state;
}

/// A lane's row: it has the codes [begin, end).
struct LaneRow {
  u32 begin;
  u32 end;
};

/// Returns the state of each lane after its row. The rows of all lanes together have the codes
/// [begin, end), which may be more than the window holds.
template <class Table>
PRESSO_DEVICE u32 walk_rows(const Table& table, const StringTableView& view,
                            ColumnWindow<Table>& window, const LaneRow& row, u32 begin, u32 end) {
  u32 state = view.start;
  u32 at = row.begin;
  u32 kept = begin;
  while (true) {
    window.fill(kept, end);
    const u32 until = row.end < window.end() ? row.end : window.end();
    state = walk(table, view, window, at, until, state);
    at = until > at ? until : at;
    if (window.end() >= end) return state;
    kept = window.end();
  }
}

/// Whether the row matches if it ends in this state: one comparison, thanks to state_order.h.
PRESSO_DEVICE bool is_match(const StringTableView& view, u32 state) {
  return state - view.first_matching < view.end_matching - view.first_matching;
}

/// The part of shared memory that belongs to one warp; the table is before all of them.
template <class Table>
struct WalkShared {
  u32 window[ColumnWindow<Table>::kWords];
  /// Where the rows of a group end, four for each lane; [kQuad - 1] is where the first row begins.
  alignas(16) u32 ends[kQuad + kQuadRows];
};

/// Puts the ends of a group's rows into shared memory. RowFeed gives four rows to each lane;
/// walking takes 32 neighbouring rows at a time, so that lanes need neighbouring codes.
PRESSO_DEVICE void store_ends(u32* ends, const LaneQuad& quad) {
  simt::warp_sync();  // all lanes have read the ends of the group before
  const simt::Vec4 own = {quad.ends[0], quad.ends[1], quad.ends[2], quad.ends[3]};
  *reinterpret_cast<simt::Vec4*>(ends + kQuad + kQuad * simt::lane()) = own;
  if (simt::lane() == 0) ends[kQuad - 1] = quad.begin;
  simt::warp_sync();
}

/// One warp's work on a tile of kRowTile rows: 32 rows at a time; lane i keeps word i of the bits.
template <class Table>
PRESSO_DEVICE void walk_tile(const StringBatch& batch, u32 number, u32 tile) {
  const StringBlock& block = batch.blocks[number];
  if (!simt::any(wanted_rows(batch, block, tile) != 0)) return;
  const StringTableView view = block.table;
  const Table table(view);
  auto* const warps =
      reinterpret_cast<WalkShared<Table>*>(simt::shared_memory() + batch.table_bytes);
  WalkShared<Table>& shared = warps[uniform_warp()];
  RowFeed feed(block, tile);
  ColumnWindow<Table> window(table, block, shared.window, feed.end());
  u32 bits = 0;
  for (u32 word = 0; word * kWarpSize < feed.rows(); ++word) {
    const u32 part = word % kQuad;
    if (part == 0) store_ends(shared.ends, feed.take());
    const u32* const ends = shared.ends + kQuad + part * kWarpSize;
    const u32* const own = ends + simt::lane();
    const u32 state =
        walk_rows(table, view, window, {own[-1], own[0]}, ends[-1], ends[kWarpSize - 1]);
    const bool is_row = word * kWarpSize + simt::lane() < feed.rows();
    const u32 found = simt::ballot(is_row && is_match(view, state));
    if (simt::lane() == word) bits = found;
  }
  report_bad_code(window.is_bad(), batch.status + number);
  store_bits(batch, number, tile, feed.rows(), bits & wanted_rows(batch, block, tile));
}

template <class Table>
constexpr u32 walk_shared_bytes(u32 table_bytes, u32 warps) {
  return table_bytes + warps * static_cast<u32>(sizeof(WalkShared<Table>));
}

/// The kernel: any grid. Dynamic shared memory: walk_shared_bytes().
template <class Table>
PRESSO_DEVICE void walk_rows_body(const StringBatch& batch) {
  for_each_tile(batch, [&](u32 number, u32 tile) { walk_tile<Table>(batch, number, tile); });
}

}  // namespace presso::gpu

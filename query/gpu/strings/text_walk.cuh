// SPDX-License-Identifier: MIT
// Tests rows of text by an automaton over bytes: one lane for each row, with the row's state in a
// register. Rows lie one after another, so 32 lanes read neighbouring lines of memory. A lane takes
// 16 bytes of its row at a time from aligned pieces of memory, goes through them four bytes at a
// step, and is done as soon as the state is decided. Rows with a length that no matching string has
// are not read at all. The warp goes on until no lane has bytes left, so rows of very different
// lengths leave lanes idle.
//
// Estimated from instructions, for a row of 16 bytes: 15 instructions to shift pieces into place;
// for each byte five (its class, the next state, whether it belongs to the row) and two accesses to
// shared memory; 8 for the places and bits of rows. Measured on an H200 with 36 million comments of
// 27 bytes (lab/results/gpu-text.csv): 0.91 TB/s of text, half of what those numbers promise; 0.15
// of the 1.05 ms are spent on finding where rows begin. Tested by tests/simt/text_suite.cpp.
#pragma once

#include "query/gpu/strings/row_walk.cuh"
#include "query/gpu/strings/text_batch.h"

namespace presso::gpu {

/// The table of TextLayout::kClasses, all of it in shared memory.
struct ByteClassTable {
  const Byte* classes;
  const Byte* rows;
  u32 pitch;

  PRESSO_DEVICE explicit ByteClassTable(const StringTableView& view)
      : classes(simt::shared_memory()), rows(classes + kByteClassesBytes), pitch(view.pitch) {}
  PRESSO_DEVICE u32 next(u32 state, u32 byte) const { return rows[state * pitch + classes[byte]]; }
};

/// The table of TextLayout::kWide: classes in shared memory, rows in device memory and its caches.
struct WideByteTable {
  const Byte* classes;
  const std::uint16_t* rows;  ///< in device memory
  u32 pitch;

  PRESSO_DEVICE explicit WideByteTable(const StringTableView& view)
      : classes(simt::shared_memory()),
        rows(reinterpret_cast<const std::uint16_t*>(view.d_image + view.rows_at)),
        pitch(view.pitch) {}
  PRESSO_DEVICE u32 next(u32 state, u32 byte) const {
    return simt::load_readonly(rows + state * pitch + classes[byte]);
  }
};

inline constexpr u32 kTextWords = 4;
inline constexpr u32 kTextBytes = 4 * kTextWords;

/// 16 bytes of a row, the first byte lowest.
struct TextPiece {
  u32 words[kTextWords];
};

/// A row on its way from memory into a lane's registers. Only aligned pieces of kTextBytes bytes
/// that hold bytes of the row are read, and each only once.
class TextFeed {
 public:
  TextFeed() = default;
  PRESSO_DEVICE TextFeed(const Byte* row, u32 bytes)
      : before_(static_cast<u32>(address_of(row) % kTextBytes)),
        at_(reinterpret_cast<const simt::Vec4*>(row - before_)) {
    if (bytes != 0) low_ = simt::load_readonly(at_);
  }

  /// Returns the next kTextBytes bytes of the row, of which `left` are left; bytes after its end
  /// are arbitrary. Shifts two pieces into place by two words, by one word, then by bytes.
  PRESSO_DEVICE TextPiece take(u32 left) {
    simt::Vec4 high = {0, 0, 0, 0};
    if (left > kTextBytes - before_) high = simt::load_readonly(++at_);
    const bool skips_two = before_ >= kTextBytes / 2;
    const u32 six[6] = {skips_two ? low_.z : low_.x, skips_two ? low_.w : low_.y,
                        skips_two ? high.x : low_.z, skips_two ? high.y : low_.w,
                        skips_two ? high.z : high.x, skips_two ? high.w : high.y};
    const bool skips_one = before_ / kWordTextBytes % 2 != 0;
    u32 five[kTextWords + 1];
    PRESSO_UNROLL
    for (u32 i = 0; i <= kTextWords; ++i) five[i] = skips_one ? six[i + 1] : six[i];
    TextPiece piece;
    const u32 shift = 8 * (before_ % kWordTextBytes);
    PRESSO_UNROLL
    for (u32 i = 0; i < kTextWords; ++i) {
      piece.words[i] = simt::funnel_shift_right(five[i], five[i + 1], shift);
    }
    low_ = high;
    return piece;
  }

 private:
  static constexpr u32 kWordTextBytes = kTextBytes / kTextWords;

  u32 before_ = 0;  ///< bytes of the first piece before the row
  const simt::Vec4* at_ = nullptr;
  simt::Vec4 low_ = {0, 0, 0, 0};
};

/// Runs the automaton over a piece of each lane's row and returns the state after it. `left` is the
/// number of bytes left in the row, 0 if the lane has no row; it becomes the number after this
/// piece, 0 if the state is decided. Called by all lanes.
template <class Table>
PRESSO_DEVICE u32 walk_piece(const Table& table, const StringTableView& view,
                             const TextPiece& piece, u32 state, u32& left) {
  constexpr u32 kBytes = kTextBytes / kTextWords;
  PRESSO_UNROLL
  for (u32 word = 0; word < kTextWords; ++word) {
    PRESSO_UNROLL
    for (u32 i = 0; i < kBytes; ++i) {
      if (i < left) state = table.next(state, ColumnWord<Byte>::at(piece.words[word], i));
    }
    left = left > kBytes && state < view.first_decided ? left - kBytes : 0;
    if (!simt::any(left > 0)) break;
  }
  return state;
}

/// Whether strings of this length may match.
PRESSO_DEVICE bool has_right_length(const TextTest& test, u32 bytes) {
  return test.least_bytes <= bytes && bytes <= test.most_bytes;
}

/// Whether each lane's row of `bytes` bytes is wanted and matches. Called by all lanes.
template <class Table>
PRESSO_DEVICE bool matches_text(const Table& table, const TextTest& test,
                                const StringTableView& view, const Byte* row, u32 bytes,
                                bool is_wanted) {
  const bool may_match = is_wanted && has_right_length(test, bytes);
  u32 left = may_match && view.start < view.first_decided ? bytes : 0;
  u32 state = view.start;
  TextFeed feed(row, left);
  while (simt::any(left > 0)) {
    const TextPiece piece = feed.take(left);
    state = walk_piece(table, view, piece, state, left);
  }
  return may_match && is_match(view, state);
}

/// The part of shared memory that belongs to one warp: as WalkShared::ends.
struct TextWalkShared {
  alignas(16) u32 ends[kQuad + kQuadRows];
};

/// One warp's work on a tile of kRowTile rows: as walk_tile() in row_walk.cuh, with bytes for
/// codes.
template <class Table>
PRESSO_DEVICE void walk_text_tile(const TextTest& test, u32 number, u32 tile) {
  const StringBlock& block = test.rows.blocks[number];
  const u32 wanted = wanted_rows(test.rows, block, tile);
  if (!simt::any(wanted != 0)) return;
  const StringTableView view = block.table;
  const Table table(view);
  auto* const warps =
      reinterpret_cast<TextWalkShared*>(simt::shared_memory() + test.rows.table_bytes);
  TextWalkShared& shared = warps[uniform_warp()];
  RowFeed feed(block, tile);
  u32 bits = 0;
  for (u32 word = 0; word * kWarpSize < feed.rows(); ++word) {
    const u32 part = word % kQuad;
    if (part == 0) store_ends(shared.ends, feed.take());
    const u32 rows = simt::shuffle(wanted, word);
    if (rows == 0) continue;
    const u32* const own = shared.ends + kQuad + part * kWarpSize + simt::lane();
    const u32 begin = own[-1];
    const bool is_row = word * kWarpSize + simt::lane() < feed.rows();
    const bool matches = matches_text(table, test, view, block.payload.bytes + begin,
                                      own[0] - begin, is_row && (rows >> simt::lane() & 1) != 0);
    const u32 found = simt::ballot(matches);
    if (simt::lane() == word) bits = found;
  }
  store_bits(test.rows, number, tile, feed.rows(), bits);
}

constexpr u32 text_shared_bytes(u32 table_bytes, u32 warps) {
  return table_bytes + warps * static_cast<u32>(sizeof(TextWalkShared));
}

/// The kernel: any grid. Dynamic shared memory: text_shared_bytes().
template <class Table>
PRESSO_DEVICE void walk_text_body(const TextTest& test) {
  for_each_tile(test.rows,
                [&](u32 number, u32 tile) { walk_text_tile<Table>(test, number, tile); });
}

}  // namespace presso::gpu

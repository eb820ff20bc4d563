// SPDX-License-Identifier: MIT
// Kernels that turn several key columns into one.
//
//   PackKeys     packs columns by the ranges of their build keys
//   NumberKeys   replaces keys of 64 bits by numbers, by a table of the build side's keys
//                (key_table.cuh)
//
// PackKeys says in a bitmap which rows can have a match, a warp's 32 rows in a word; NumberKeys by
// numbers that are no row. Threads to data: thread blocks take tiles of rows in turn. No shared
// memory. Tested by tests/simt/device_joiner_keys_test.cpp.
//
// Example: columns with the ranges 10 to 19 and 0 to 99 have the factors 100 and 1
// (choose_factors()). The row (12, 7) becomes 2 * 100 + 7 = 207; a row (25, 7) of the probe side
// can have no match.
#pragma once

#include "query/gpu/join/key_packing.h"
#include "query/gpu/join/key_source.cuh"
#include "query/gpu/join/key_table.cuh"
#include "query/gpu/join/match_tile.cuh"

namespace presso::gpu {

/// Writes the keys of those rows of a lane's tile whose bit is set in `there`, and the bits.
template <class Key>
PRESSO_DEVICE void put_keys(u64 tile, u64 rows, u32 there, const Key (&keys)[kTileItems], Key* to,
                            u32* valid) {
  PRESSO_UNROLL
  for (u32 item = 0; item < kTileItems; ++item) {
    const u64 row = tile_row(tile, item);
    const bool is_there = (there >> item & 1) != 0;
    const u32 bits = simt::ballot(is_there);
    if (is_there) simt::store_streaming(to + row, keys[item]);
    if (simt::lane() == 0 && row < rows) valid[row / kWordBits] = bits;
  }
}

/// Key is u32 or u64, the type that is packed into.
template <class Key>
struct PackKeys {
  using Arguments = PackedKeys;
  static constexpr const char* kName = "packing keys";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kSharedBytes = 0;

  PRESSO_DEVICE static void run(const Arguments& to) {
    const u64 tiles = tiles_of(to.rows);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      u64 sums[kTileItems] = {};
      u32 there = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        const bool is_asked = row < to.rows && has_bit(to.d_selected, row);
        there |= static_cast<u32>(is_asked) << item;
      }
      for (u32 part = 0; part < to.part_count; ++part) {
        there &= to.parts[part].key_bytes == sizeof(u32)
                     ? add<u32>(to.parts[part], tile, there, sums)
                     : add<u64>(to.parts[part], tile, there, sums);
      }
      Key keys[kTileItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) keys[item] = static_cast<Key>(sums[item]);
      put_keys(tile, to.rows, there, keys, static_cast<Key*>(to.d_keys), to.d_valid);
    }
  }

 private:
  /// Adds a column's part to the sums of the rows in `there`; returns which of them lie in its
  /// range.
  /// The difference is taken in the type of the column: a key below the least wraps to a great
  /// number, which the one comparison with `last` finds, too.
  template <class Stored>
  PRESSO_DEVICE static u32 add(const KeyPart& part, u64 tile, u32 there, u64 (&sums)[kTileItems]) {
    const auto* const all = static_cast<const Stored*>(part.d_keys);
    u32 fit = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      const u64 row = tile_row(tile, item);
      const bool is_wanted = (there >> item & 1) != 0 && has_bit(part.d_valid, row);
      const Stored key = is_wanted ? simt::load_streaming(all + row) : Stored{0};
      const auto place = static_cast<Stored>(key - static_cast<Stored>(part.least));
      fit |= static_cast<u32>(is_wanted && place <= part.last) << item;
      sums[item] += place * part.factor;
    }
    return fit;
  }
};

/// Arguments of NumberKeys.
struct NumberArguments {
  KeyTable<u64> table;
  NumberedSide side;
};

/// Looks each row's key up in the table.
/// A row with a null, or whose key is not among the build keys, gets kNoRow.
struct NumberKeys {
  using Arguments = NumberArguments;
  static constexpr const char* kName = "numbering keys";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = 0;

  PRESSO_DEVICE static void run(const Arguments& to) {
    const JoinRows& rows = to.side.rows;
    const u64 tiles = tiles_of(rows.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      u64 keys[kTileItems];
      u32 found[kTileItems];
      u32 joins = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        const bool joins_here =
            load_key(PlainKeys<u64>{}, rows, row, takes_part(rows, row), keys[item]);
        joins |= static_cast<u32>(joins_here) << item;
      }
      to.table.find(tile, keys, joins, found, nullptr);
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        if (row < rows.count) simt::store_streaming(to.side.d_numbers + row, found[item]);
      }
    }
  }
};

}  // namespace presso::gpu

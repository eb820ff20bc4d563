// SPDX-License-Identifier: MIT
// Columns of keys become one.
//
//   PackKeys     several columns, by the ranges of their build keys
//   NumberKeys   keys of 64 bits, by a table of the build side's (key_table.cuh)
//
// The first one says in a bitmap which rows can have a match, a warp's 32 rows in a word; the
// second one by numbers that are none of a row. Threads to data: thread blocks take tiles of rows
// in turns. No shared memory.
#pragma once

#include "query/gpu/join/key_packing.h"
#include "query/gpu/join/key_table.cuh"

namespace presso::gpu {

/// What is written of a lane's rows of a tile, those whose bit is set in `there`.
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

/// Key: u32 or u64, what is packed into.
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
  /// Adds a column's keys of the rows in `there`; returns which of them are in its range.
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

struct NumberArguments {
  KeyTable<u64> table;
  NumberedSide side;
};

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

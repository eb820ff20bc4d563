// SPDX-License-Identifier: MIT
// Hash tables with chains in shared memory (G6 of docs/sources.md). The build side is cut into
// slices of consecutive rows, such that the chains of a slice, with its keys, fit into the shared
// memory of a thread block. One kernel builds the table of a slice and looks probe rows up in it:
//
//   one slice      each thread block has the whole build side and a share of the probe side
//                  (kChainedShared)
//   several        each thread block has slices of its own and goes through the whole probe side
//                  (kChainedSplit)
//
// The order of a chain differs from thread block to thread block. Where the rows of a key form a
// group (row_groups.cuh), which must have one number everywhere, chains are followed to their ends
// and the number is the least row.
//
//   ProbeSlices    looks up; given the build rows, finds the first row of each one's key
//   CountFurther   makes groups of what it found
//
// Never chosen by kAuto: several slices read the probe side once for each, and NOTES.md of
// query/join has figures. Tested by tests/simt/joins_in_emulator_test.cpp.
#pragma once

#include "query/gpu/join/match_list.cuh"
#include "query/gpu/join/row_groups.cuh"

namespace presso::gpu {

/// Threads of a block, probe rows of a thread, and probe rows of a tile.
inline constexpr u32 kSliceThreads = 1024;
inline constexpr u32 kSliceItems = 4;
inline constexpr u32 kSliceTile = kSliceThreads * kSliceItems;  ///< probe rows

/// The number of tiles for `rows` probe rows.
PRESSO_HD constexpr u64 slice_tiles_of(u64 rows) {
  return (rows + kSliceTile - 1) / kSliceTile;
}

/// The table of one slice in shared memory: keys, links and slots. Rows are numbered within the
/// slice.
template <class Key>
class ChainedSlice {
 public:
  PRESSO_DEVICE ChainedSlice(Byte* memory, u32 most_rows, u32 slots)
      : keys_(reinterpret_cast<Key*>(memory)),
        links_(reinterpret_cast<u32*>(keys_ + most_rows)),
        slots_(links_ + most_rows),
        slot_count_(slots) {}

  /// Builds the table of the build rows [first, end). Called by all threads of the block; three
  /// barriers.
  PRESSO_DEVICE void build(const JoinRows& rows, u32 first, u32 end) {
    simt::block_sync();
    for (u32 i = simt::thread_in_block(); i < slot_count_; i += kSliceThreads) slots_[i] = kNoRow;
    simt::block_sync();
    const auto* const all = static_cast<const Key*>(rows.d_keys);
    for (u32 row = first + simt::thread_in_block(); row < end; row += kSliceThreads) {
      if (!takes_part(rows, row)) continue;
      const Key key = simt::load_readonly(all + row);
      const u32 i = row - first;
      keys_[i] = key;
      links_[i] = simt::atomic_exchange(slots_ + slot_of(key), i);
    }
    simt::block_sync();
  }

  /// Returns a row with this key (with `least`, the least one), or kNoRow.
  PRESSO_DEVICE u32 find(Key key, bool least) const {
    u32 found = kNoRow;
    for (u32 at = slots_[slot_of(key)]; at != kNoRow; at = links_[at]) {
      if (keys_[at] != key || at > found) continue;
      found = at;
      if (!least) break;
    }
    return found;
  }

 private:
  /// The slot comes from the upper word of the hash by a multiplication, for any number of slots.
  PRESSO_DEVICE u32 slot_of(Key key) const {
    return simt::multiply_high(upper_word(hash_key(key)), slot_count_);
  }

  Key* keys_;
  u32* links_;
  u32* slots_;
  u32 slot_count_;
};

/// Arguments of ProbeSlices.
template <class Key>
struct SliceArguments {
  JoinRows build;
  JoinRows probe;
  u32 slice_rows = 1;  ///< rows of each slice, except the last
  u32 slots = 1;       ///< slots of a slice's table
  bool least = false;  ///< whether the least row of a key is wanted; otherwise any will do
  JoinChoice choice;
  MatchOutput out;
  /// kKeep: a word for each probe row; with several slices it must hold kNoRow before
  u32* found = nullptr;
};

/// Shared memory besides the table.
struct SliceShared {
  TilePlaces<kSliceThreads / kWarpSize> places;
};

/// kKeep writes found[row] for every probe row. kCount and kWrite, with several slices, require
/// that at most one slice has a match for a row, and leave out rows without a match.
enum class SliceMode { kCount, kWrite, kKeep };

/// Threads to data: a thread block takes tiles of kSliceTile probe rows (one slice), or slices
/// (several). Shared memory: SliceShared, then the table.
template <class Key, SliceMode kMode>
struct ProbeSlices {
  using Arguments = SliceArguments<Key>;
  static constexpr const char* kName = "looking up in chains of slices";
  static constexpr u32 kThreads = kSliceThreads;
  static constexpr u32 kBlocks = 1;
  static constexpr bool kWholeGrid = false;

  PRESSO_HD static constexpr u32 shared_bytes(u32 rows, u32 slots) {
    return kTableBegin + static_cast<u32>(slice_bytes(rows, slots, sizeof(Key)));
  }

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto& shared = *reinterpret_cast<SliceShared*>(simt::shared_memory());
    ChainedSlice<Key> table(simt::shared_memory() + kTableBegin, to.slice_rows, to.slots);
    const u64 tiles = slice_tiles_of(to.probe.count);
    u32 count = 0;
    if (to.build.count <= to.slice_rows) {
      table.build(to.build, 0, to.build.count);
      for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
        count += look_up<true>(to, tile, 0, table, shared);
      }
    } else {
      for (u64 first = u64{simt::block_index()} * to.slice_rows; first < to.build.count;
           first += u64{simt::grid_blocks()} * to.slice_rows) {
        const u64 rows = to.build.count - first;
        const u64 end = first + (rows < to.slice_rows ? rows : to.slice_rows);
        table.build(to.build, static_cast<u32>(first), static_cast<u32>(end));
        for (u64 tile = 0; tile < tiles; ++tile) {
          count += look_up<false>(to, tile, static_cast<u32>(first), table, shared);
        }
      }
    }
    if constexpr (kMode == SliceMode::kCount) {
      const WarpPlaces sums = places_of_warps(shared.places, simt::reduce_add(count));
      if (simt::thread_in_block() == 0 && sums.all > 0) {
        simt::atomic_add(&to.out.totals->pairs, u64{sums.all});
      }
    }
  }

 private:
  static constexpr u32 kTableBegin = (sizeof(SliceShared) + 15) / 16 * 16;

  /// A warp has consecutive rows, so that loads are coalesced.
  PRESSO_DEVICE static u64 row_of(u64 tile, u32 item) {
    const u32 within = (simt::warp_in_block() * kSliceItems + item) * kWarpSize + simt::lane();
    return tile * kSliceTile + within;
  }

  /// Looks up one tile and returns how many rows come out. kWhole: the table has all of the build
  /// side.
  template <bool kWhole>
  PRESSO_DEVICE static u32 look_up(const Arguments& to, u64 tile, u32 first,
                                   const ChainedSlice<Key>& table, SliceShared& shared) {
    const auto* const all = static_cast<const Key*>(to.probe.d_keys);
    Key keys[kSliceItems];
    u32 rows[kSliceItems], found[kSliceItems];
    u32 selected = 0, joins = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kSliceItems; ++item) {
      const u64 row = row_of(tile, item);
      const bool is_asked = is_selected(to.probe, row);
      const bool joins_here = is_asked && has_bit(to.probe.d_valid, row);
      selected |= static_cast<u32>(is_asked) << item;
      joins |= static_cast<u32>(joins_here) << item;
      keys[item] = joins_here ? simt::load_streaming(all + row) : Key{0};
      rows[item] = static_cast<u32>(row);
    }
    u32 emits = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kSliceItems; ++item) {
      found[item] = (joins >> item & 1) != 0 ? table.find(keys[item], to.least) : kNoRow;
      const bool is_found = found[item] != kNoRow;
      if (is_found) found[item] += first;
      if constexpr (kMode == SliceMode::kKeep) {
        keep<kWhole>(to, row_of(tile, item), found[item]);
      } else {
        const bool emit = is_found ? to.choice.found : kWhole && to.choice.missing;
        emits |= static_cast<u32>(emit) << item;
        if (is_found && to.out.matched != nullptr) mark_row(to.out.matched, found[item]);
      }
    }
    emits &= selected;
    if constexpr (kMode == SliceMode::kWrite) {
      write_anywhere(to.out, shared.places, emits, rows, found, to.choice.pairs);
    }
    return simt::popcount(emits);
  }

  /// With several slices the least row of all wins, by an atomic minimum.
  template <bool kWhole>
  PRESSO_DEVICE static void keep(const Arguments& to, u64 row, u32 found) {
    if constexpr (kWhole) {
      if (row < to.probe.count) simt::store_streaming(to.found + row, found);
    } else {
      if (found != kNoRow) simt::atomic_min(to.found + row, found);
    }
  }
};

/// Turns the least row of each build row's key, in `leader`, into groups: a row that is its own
/// leader gets none, and all others are counted.
struct CountFurther : GroupBody {
  static constexpr const char* kName = "counting further rows";

  PRESSO_DEVICE static void run(const GroupArguments& to) {
    for_all_tiles(to.rows, [&](u64 tile) {
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        const u32 leader = row < to.rows ? to.leader[row] : kNoRow;
        const bool is_further = leader != kNoRow && leader != row;
        if (leader == row) to.leader[row] = kNoRow;
        if (is_further) to.totals->has_duplicates = 1;
        add_ones(to.further, leader, is_further);
      }
    });
  }
};

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// Looks up probe rows, in their order, in any structure of build keys. What is found is counted, or
// written at once (if a row has at most one row of output, in any order), or kept as one number for
// each row, for match_list.cuh. Threads to data: a thread block takes a tile of kTileRows rows.
// Shared memory: LookUpShared. Tested by tests/simt/joins_in_emulator_test.cpp.
//
// A Finder, which knows one structure (key_array.cuh, key_table.cuh, key_merge.cuh,
// chained_table.cuh), is a trivially copyable struct with the type Key and
//
//   find(tile, keys, joins, found, shared)
//
// which writes, for each of a lane's kTileItems keys whose bit is set in `joins`, the number of its
// group of build rows (row_groups.cuh), and kNoRow otherwise. It is called by all threads of the
// block; `shared` has Finder::kSharedBytes bytes of shared memory.
#pragma once

#include "query/gpu/join/key_source.cuh"
#include "query/gpu/join/match_list.cuh"
#include "query/gpu/join/tile_order.cuh"

namespace presso::gpu {

/// kCount adds up. kWrite writes in any order. kWriteInOrder: tiles wait for those before them to
/// know where theirs begin (tile_order.cuh). kKeep writes found[row] for every row, and the number
/// of pairs of each tile.
enum class LookUpMode { kCount, kWrite, kWriteInOrder, kKeep };

/// Arguments of LookUp.
template <class Finder, class Source>
struct LookUpArguments {
  Finder finder;
  JoinRows probe;
  JoinChoice choice;
  MatchOutput out;
  u32* found = nullptr;
  MatchList list;   ///< used by kKeep
  TileOrder order;  ///< used by kWriteInOrder
  Source source;
};

/// Shared memory of LookUp, before that of the finder.
struct LookUpShared {
  union {
    TilePlaces<kTileThreads / kWarpSize> places;
    SumShared sums;
  };
  u64 ticket;
};

/// `Source` (key_source.cuh) gives keys of the finder's type.
template <class Finder, LookUpMode kMode, class Source = PlainKeys<typename Finder::Key>>
struct LookUp {
  using Arguments = LookUpArguments<Finder, Source>;
  using Key = typename Finder::Key;
  static constexpr const char* kName = "looking up keys";
  static constexpr u32 kThreads = kTileThreads;
  // As many thread blocks on a multiprocessor as registers allow without spilling.
  static constexpr u32 kBlocks = kMode == LookUpMode::kKeep ? 4 : 5;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = sizeof(LookUpShared) + Finder::kSharedBytes;
  static_assert(sizeof(LookUpShared) % 8 == 0);

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto* const shared = reinterpret_cast<LookUpShared*>(simt::shared_memory());
    const u64 tiles = tiles_of(to.probe.count);
    u32 count = 0;
    for (u64 turn = simt::block_index(); turn < tiles; turn += simt::grid_blocks()) {
      u64 tile = turn;
      if constexpr (kMode == LookUpMode::kWriteInOrder) {
        tile = next_tile(to.order, shared->ticket);
      }
      Key keys[kTileItems];
      u32 found[kTileItems];
      u32 selected = 0, joins = 0;
      load(to, tile, keys, selected, joins);
      to.finder.find(tile, keys, joins, found, simt::shared_memory() + sizeof(LookUpShared));
      const u32 emits = emitted(to, selected, found);
      if constexpr (kMode == LookUpMode::kCount) {
        count += simt::popcount(emits);
      } else if constexpr (kMode == LookUpMode::kKeep) {
        keep(to, tile, found);
        put_tile_sum(to.list, tile, emits, found, shared->sums);
      } else {
        u32 rows[kTileItems];
        PRESSO_UNROLL
        for (u32 item = 0; item < kTileItems; ++item) {
          rows[item] = static_cast<u32>(tile_row(tile, item));
        }
        if constexpr (kMode == LookUpMode::kWrite) {
          write_anywhere(to.out, shared->places, emits, rows, found, to.choice.pairs);
        } else {
          write_in_order(to.out, to.order, tile, tiles, shared->places, emits, rows, found,
                         to.choice.pairs);
        }
      }
    }
    if constexpr (kMode == LookUpMode::kCount) add_to_total(to, shared->places, count);
  }

 private:
  /// Loads the keys of a lane's rows; sets which rows are selected and which have a key to look up.
  PRESSO_DEVICE static void load(const Arguments& to, u64 tile, Key (&keys)[kTileItems],
                                 u32& selected, u32& joins) {
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      const u64 row = tile_row(tile, item);
      const bool is_asked = is_selected(to.probe, row);
      const bool is_wanted = is_asked && has_bit(to.probe.d_valid, row);
      const bool joins_here = load_key(to.source, to.probe, row, is_wanted, keys[item]);
      selected |= static_cast<u32>(is_asked) << item;
      joins |= static_cast<u32>(joins_here) << item;
    }
  }

  /// Returns which rows come out, and marks the build rows that they have found.
  PRESSO_DEVICE static u32 emitted(const Arguments& to, u32 selected,
                                   const u32 (&found)[kTileItems]) {
    u32 emits = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      const bool is_found = found[item] != kNoRow;
      const bool emit = (is_found ? to.choice.found : to.choice.missing);
      emits |= static_cast<u32>(emit) << item;
      if (is_found && to.out.matched != nullptr) mark_row(to.out.matched, found[item]);
    }
    return emits & selected;
  }

  /// Writes what was found, in the order of rows.
  PRESSO_DEVICE static void keep(const Arguments& to, u64 tile, const u32 (&found)[kTileItems]) {
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      const u64 row = tile_row(tile, item);
      if (row < to.probe.count) simt::store_streaming(to.found + row, found[item]);
    }
  }

  /// One atomic for each thread block.
  PRESSO_DEVICE static void add_to_total(const Arguments& to,
                                         TilePlaces<kTileThreads / kWarpSize>& places, u32 count) {
    const WarpPlaces sums = places_of_warps(places, simt::reduce_add(count));
    if (simt::thread_in_block() == 0 && sums.all > 0) {
      simt::atomic_add(&to.out.totals->pairs, u64{sums.all});
    }
  }
};

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// kMerge: the keys of both sides ascend, and no table is built. The build keys that a tile of probe
// rows (match_tile.cuh) can match lie between the places where the tile's first key and the next
// tile's first key would be inserted.
//
//   CountTaking, ScanSums, WriteTaking   copy build rows that take part, if bitmaps leave some out
//   SplitTiles                           where each tile's first key would be inserted; rows that
//                                        take no part may have any key
//   FlagRuns, GroupRuns                  runs of equal build keys become groups
//
// The finder searches a tile's window of build keys in shared memory or, if probe rows are few and
// far between so that the window is too large, in device memory. Tested by
// tests/simt/joins_in_emulator_test.cpp.
//
// Example, with tiles of four rows: build keys 1 3 5 7 9, probe keys 2 3 3 6 and 7 8 9 9. The
// splits are 1, 3 and 4; the first tile searches places 1 to 3, the second one 3 and 4. One place
// more than the next split belongs to a window, as equal keys may be in two tiles.
#pragma once

#include "query/gpu/join/look_up.cuh"
#include "query/gpu/join/row_groups.cuh"

namespace presso::gpu {

/// The build side: ascending keys, and the row of each. Keys are compared exclusive-or `sign`, as
/// unsigned numbers.
template <class Key>
struct AscendingKeys {
  const Key* keys = nullptr;
  Key sign = 0;                  ///< the highest bit for signed keys, else 0
  const u32* rows = nullptr;     ///< null: a key's row is its index
  const u64* d_count = nullptr;  ///< null: the count is `most`
  u64 most = 0;

  PRESSO_DEVICE u64 count() const { return d_count == nullptr ? most : *d_count; }
  PRESSO_DEVICE u32 row(u64 at) const {
    return rows == nullptr ? static_cast<u32>(at) : simt::load_readonly(rows + at);
  }
};

/// Returns the first place in [first, end) whose key is not below `key`, or end.
template <class Key>
PRESSO_DEVICE u64 lower_bound(const AscendingKeys<Key>& of, u64 first, u64 end, Key key) {
  const Key wanted = key ^ of.sign;
  while (first < end) {
    const u64 middle = first + (end - first) / 2;
    if ((of.keys[middle] ^ of.sign) < wanted) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

/// A Finder (look_up.cuh).
/// If a key repeats, its first row is found, which is the number of its group.
template <class KeyType>
struct KeyMerge {
  using Key = KeyType;
  static constexpr u32 kWindow = 2048;
  static constexpr u32 kSharedBytes = kWindow * sizeof(Key);

  AscendingKeys<Key> build;
  const u64* splits = nullptr;  ///< tiles + 1

  /// Loads the tile's window into shared memory if it fits, and searches it by halves without
  /// branches.
  PRESSO_DEVICE void find(u64 tile, const Key (&keys)[kTileItems], u32 joins,
                          u32 (&found)[kTileItems], Byte* shared) const {
    const u64 count = build.count();
    const u64 first = splits[tile];
    // The last key of this tile may equal the first one of the next tile.
    u64 end = splits[tile + 1] + 1;
    if (end > count) end = count;
    const bool fits = end <= first + kWindow;
    auto* const window = reinterpret_cast<Key*>(shared);
    simt::block_sync();
    if (fits) {
      for (u64 at = first + simt::thread_in_block(); at < end; at += kTileThreads) {
        window[at - first] = simt::load_readonly(build.keys + at) ^ build.sign;
      }
    }
    simt::block_sync();
    const u32 size = end > first ? static_cast<u32>(end - first) : 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      found[item] = kNoRow;
      if ((joins >> item & 1) == 0 || size == 0) continue;
      if (fits) {
        const Key wanted = keys[item] ^ build.sign;
        const u32 at = search(window, size, wanted);
        if (at < size && window[at] == wanted) found[item] = build.row(first + at);
      } else {
        const u64 at = lower_bound(build, first, end, keys[item]);
        if (at < end && build.keys[at] == keys[item]) found[item] = build.row(at);
      }
    }
  }

 private:
  /// Returns the first place whose key is not below `key`.
  PRESSO_DEVICE static u32 search(const Key* window, u32 size, Key key) {
    u32 first = 0;
    while (size > 1) {
      const u32 half = size / 2;
      first += window[first + half - 1] < key ? half : 0;
      size -= half;
    }
    return first + (window[first] < key ? 1 : 0);
  }
};

/// Arguments of all kernels of this file.
template <class Key>
struct MergeArguments {
  JoinRows build;
  JoinRows probe;
  AscendingKeys<Key> ascending;
  Key* keys = nullptr;  ///< written by WriteTaking
  u32* rows = nullptr;
  u64* tile_begins = nullptr;  ///< for each tile of build rows, and one more
  u64* splits = nullptr;
  GroupArguments groups;
};

/// The shape of these kernels, and which of a lane's rows of a tile take part.
struct MergeBody {
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = sizeof(TilePlaces<kTileThreads / kWarpSize>);

  PRESSO_DEVICE static u32 taking(const JoinRows& rows, u64 tile) {
    u32 takes = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      takes |= static_cast<u32>(takes_part(rows, tile_row(tile, item))) << item;
    }
    return takes;
  }
};

/// Counts the build rows that take part in each tile.
template <class Key>
struct CountTaking : MergeBody {
  using Arguments = MergeArguments<Key>;
  static constexpr const char* kName = "counting build rows";

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto* const places =
        reinterpret_cast<TilePlaces<kTileThreads / kWarpSize>*>(simt::shared_memory());
    const u64 tiles = tiles_of(to.build.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      const WarpPlaces sums =
          places_of_warps(*places, count_in_warp<kTileItems>(taking(to.build, tile)));
      if (simt::thread_in_block() == 0) to.tile_begins[tile] = sums.all;
      simt::block_sync();
    }
  }
};

/// Writes keys and rows of the build rows that take part, in their order.
template <class Key>
struct WriteTaking : MergeBody {
  using Arguments = MergeArguments<Key>;
  static constexpr const char* kName = "writing build rows";

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto* const places =
        reinterpret_cast<TilePlaces<kTileThreads / kWarpSize>*>(simt::shared_memory());
    const auto* const all = static_cast<const Key*>(to.build.d_keys);
    const u64 tiles = tiles_of(to.build.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      const u32 takes = taking(to.build, tile);
      const WarpPlaces sums = places_of_warps(*places, count_in_warp<kTileItems>(takes));
      u64 at = to.tile_begins[tile] + sums.before;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const bool is_taken = (takes >> item & 1) != 0;
        const u32 lanes = simt::ballot(is_taken);
        const u64 place = at + simt::popcount(lanes & ((1u << simt::lane()) - 1));
        if (is_taken) {
          const u64 row = tile_row(tile, item);
          to.keys[place] = simt::load_streaming(all + row);
          to.rows[place] = static_cast<u32>(row);
        }
        at += simt::popcount(lanes);
      }
      simt::block_sync();
    }
  }
};

/// Finds where each tile's first key belongs. A thread does a tile.
/// That is one binary search in device memory for each 1,024 probe rows.
template <class Key>
struct SplitTiles : MergeBody {
  using Arguments = MergeArguments<Key>;
  static constexpr const char* kName = "splitting tiles";

  PRESSO_DEVICE static void run(const Arguments& to) {
    const auto* const all = static_cast<const Key*>(to.probe.d_keys);
    const u64 tiles = tiles_of(to.probe.count);
    const u64 count = to.ascending.count();
    const u64 step = u64{simt::grid_blocks()} * kThreads;
    for (u64 tile = u64{simt::block_index()} * kThreads + simt::thread_in_block(); tile <= tiles;
         tile += step) {
      const u64 row = row_at(to.probe, tile);
      to.splits[tile] =
          row == kNoSuchRow ? count : lower_bound(to.ascending, u64{0}, count, all[row]);
    }
  }

 private:
  static constexpr u64 kNoSuchRow = ~u64{0};

  /// Returns a row that takes part and whose key separates what the tile looks up from what the
  /// tile before does: the tile's first such row or, if it has none, the last one of the tile
  /// before. If neither has one, any split will do.
  PRESSO_DEVICE static u64 row_at(const JoinRows& probe, u64 tile) {
    const u64 begin = tile * kTileRows;
    const u64 end = begin + kTileRows < probe.count ? begin + kTileRows : probe.count;
    for (u64 row = begin; row < end; ++row) {
      if (takes_part(probe, row)) return row;
    }
    const u64 before = tile == 0 ? 0 : begin - kTileRows;
    for (u64 row = begin < probe.count ? begin : probe.count; row > before; --row) {
      if (takes_part(probe, row - 1)) return row - 1;
    }
    return kNoSuchRow;
  }
};

/// Finds out whether any build key repeats.
/// Reads keys only; for a build side without repeats it is all that grouping costs.
template <class Key>
struct FlagRuns : MergeBody {
  using Arguments = MergeArguments<Key>;
  static constexpr const char* kName = "looking for equal keys";

  PRESSO_DEVICE static void run(const Arguments& to) {
    const Key* const keys = to.ascending.keys;
    const u64 count = to.ascending.count();
    const u64 tiles = tiles_of(count);
    bool repeats = false;
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 at = tile_row(tile, item);
        repeats |= at > 0 && at < count && keys[at] == keys[at - 1];
      }
    }
    if (repeats) to.groups.totals->has_duplicates = 1;
  }
};

/// Makes a group of each run, in the order of rows; notes the leaders of further rows if marks are
/// asked for.
/// A run's length is found in a number of steps that is the logarithm of the length.
template <class Key>
struct GroupRuns : MergeBody {
  using Arguments = MergeArguments<Key>;
  static constexpr const char* kName = "grouping equal keys";

  PRESSO_DEVICE static void run(const Arguments& to) {
    if (to.groups.totals->has_duplicates == 0) return;
    const Key* const keys = to.ascending.keys;
    const u64 count = to.ascending.count();
    const u64 tiles = tiles_of(count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 at = tile_row(tile, item);
        if (at >= count) continue;
        const Key key = keys[at];
        if (at == 0 || keys[at - 1] != key) {
          const u64 end = run_end(keys, at, count);
          to.groups.groups[to.ascending.row(at)] = {static_cast<u32>(at),
                                                    static_cast<u32>(end - at)};
        } else if (to.groups.marks != nullptr) {
          const u64 first = lower_bound(to.ascending, run_search(keys, at), at, key);
          to.groups.leader[to.ascending.row(at)] = to.ascending.row(first);
        }
      }
    }
  }

 private:
  /// Returns the end of the run that begins at `at`, by steps that double and then halve.
  PRESSO_DEVICE static u64 run_end(const Key* keys, u64 at, u64 count) {
    u64 step = 1;
    while (at + step < count && keys[at + step] == keys[at]) step *= 2;
    u64 first = at + step / 2;
    u64 end = at + step < count ? at + step : count;
    while (first < end) {
      const u64 middle = first + (end - first) / 2;
      if (keys[middle] == keys[at]) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return first;
  }
  /// Returns a place at or before the beginning of the run that contains `at`.
  PRESSO_DEVICE static u64 run_search(const Key* keys, u64 at) {
    u64 step = 1;
    while (step <= at && keys[at - step] == keys[at]) step *= 2;
    return step <= at ? at - step : 0;
  }
};

}  // namespace presso::gpu

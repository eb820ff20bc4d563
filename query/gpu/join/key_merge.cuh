// SPDX-License-Identifier: MIT
// Both sides ascend: the build keys that a tile of probe rows can match lie between where the
// tile's first key and the next tile's would be inserted.
//
//   CountTaking, ScanSums, WriteTaking   build rows that take part, where bitmaps leave some out
//   SplitTiles     where each tile's first key would be inserted, a thread a tile; rows that take
//   no
//                  part may have any key
//   FlagRuns, GroupRuns                  runs of equal build keys are groups
//
// The finder searches a tile's window of build keys in shared memory, or, where probe rows are few
// and far between, in device memory.
#pragma once

#include "query/gpu/join/look_up.cuh"
#include "query/gpu/join/row_groups.cuh"

namespace presso::gpu {

/// The build side: keys that ascend, and the row of each. What is compared are keys exclusive or
/// `sign`, as unsigned numbers.
template <class Key>
struct AscendingKeys {
  const Key* keys = nullptr;
  Key sign = 0;                  ///< of signed keys their highest bit
  const u32* rows = nullptr;     ///< null: the key's index
  const u64* d_count = nullptr;  ///< null: it is `most`
  u64 most = 0;

  PRESSO_DEVICE u64 count() const { return d_count == nullptr ? most : *d_count; }
  PRESSO_DEVICE u32 row(u64 at) const {
    return rows == nullptr ? static_cast<u32>(at) : simt::load_readonly(rows + at);
  }
};

/// The first of [first, end) whose key is not below `key`, or end.
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

template <class KeyType>
struct KeyMerge {
  using Key = KeyType;
  static constexpr u32 kWindow = 2048;
  static constexpr u32 kSharedBytes = kWindow * sizeof(Key);

  AscendingKeys<Key> build;
  const u64* splits = nullptr;  ///< tiles + 1

  PRESSO_DEVICE void find(u64 tile, const Key (&keys)[kTileItems], u32 joins,
                          u32 (&found)[kTileItems], Byte* shared) const {
    const u64 count = build.count();
    const u64 first = splits[tile];
    // The last key of the tile may be where the next tile begins.
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

template <class Key>
struct MergeArguments {
  JoinRows build;
  JoinRows probe;
  AscendingKeys<Key> ascending;
  Key* keys = nullptr;  ///< where WriteTaking writes
  u32* rows = nullptr;
  u64* tile_begins = nullptr;  ///< of build rows' tiles, and one more
  u64* splits = nullptr;
  GroupArguments groups;
};

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

  /// A row that takes part and whose key splits what the tile looks up from what the one before
  /// does: the tile's first one or, where the tile has none, the last one of the tile before. Where
  /// neither has one, any split will do.
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

/// Groups of runs, in the order of rows; the further rows where they are asked for.
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
  /// The end of the run that begins at `at`: in steps that double, then halve.
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
  /// A place at or before the beginning of the run.
  PRESSO_DEVICE static u64 run_search(const Key* keys, u64 at) {
    u64 step = 1;
    while (step <= at && keys[at - step] == keys[at]) step *= 2;
    return step <= at ? at - step : 0;
  }
};

}  // namespace presso::gpu

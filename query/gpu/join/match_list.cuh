// SPDX-License-Identifier: MIT
// Makes pairs of rows from what was found for each probe row, which is kept as one number for each
// row: the build row, or the number of its group (row_groups.cuh). The pairs of each tile of probe
// rows (match_tile.cuh) are counted (SumTiles, or LookUp as it keeps numbers), prefix sums tell
// where each tile's pairs begin (ScanSums), and then the pairs are written (WriteList). Nothing is
// looked up twice, sizes are exact, and pairs come in the order of the list.
//
// If build keys repeat, a row has as many pairs as its group has rows. So that a tile with very
// many pairs is not the work of one thread block, tiles are divided into *pieces* of kPieceRows
// pairs. Source: count, prefix sum and write (F4 of docs/sources.md). Tested by
// tests/simt/joins_in_emulator_test.cpp.
//
// Example: probe rows 0, 1 and 2 have found 2, 0 and 3 build rows. The tile's sum is 5, and rows
// begin at 0, 2 and 2. Pair 3 belongs to the last row that begins at or before it, row 2, and is
// the second pair of that row.
#pragma once

#include "query/gpu/join/match_tile.cuh"

namespace presso::gpu {

/// Pairs of a piece, and threads of the block that scans.
inline constexpr u32 kPieceRows = 4096;
inline constexpr u32 kScanThreads = 1024;

/// Build rows with one key: rows[begin, begin + count) of the list of groups. A group of one row is
/// not in that list; its number is the row.
struct alignas(8) RowGroup {
  u32 begin;
  u32 count;
};

/// The list of what was found, and where results go.
struct MatchList {
  const u32* found = nullptr;
  /// The probe row of each entry, kNoRow if there is none; null: entry i is row i.
  const u32* rows = nullptr;
  const u32* limit = nullptr;  ///< if not null: how many entries count, at most `count`
  u64 count = 0;
  const u32* selected = nullptr;  ///< bits of rows
  JoinChoice choice;
  JoinPairs pairs;
  JoinTotals* totals = nullptr;
  const RowGroup* groups = nullptr;  ///< null: each row has at most one pair
  const u32* group_rows = nullptr;   ///< null: a group's rows are consecutive from its begin on
  u32* matched = nullptr;            ///< bits of build rows, or null
  /// tiles + 1 numbers: the sums of tiles at first, then where they begin.
  u64* tile_begins = nullptr;
  u64* piece_begins = nullptr;  ///< tiles + 1
};

/// The rows of a tile of the list that one lane has.
struct ListRows {
  u32 rows[kTileItems];
  u32 found[kTileItems];
  u32 emits = 0;  ///< bits: which rows have output

  /// Loads the lane's entries of a tile, and decides which have output: those with a match, those
  /// without one, or both, as the kind of join says. Places after the limit have none.
  PRESSO_DEVICE void load(const MatchList& list, u64 tile) {
    const u64 end = list.limit == nullptr ? list.count : *list.limit;
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      const u64 at = tile_row(tile, item);
      const bool is_inside = at < end;
      found[item] = is_inside ? simt::load_streaming(list.found + at) : kNoRow;
      rows[item] = !is_inside             ? kNoRow
                   : list.rows == nullptr ? static_cast<u32>(at)
                                          : simt::load_streaming(list.rows + at);
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      if (rows[item] == kNoRow) found[item] = kNoRow;
      bool emit = list.choice.found;
      if (found[item] == kNoRow) {
        emit = list.choice.missing && rows[item] != kNoRow && has_bit(list.selected, rows[item]);
      }
      emits |= static_cast<u32>(emit) << item;
    }
  }
};

/// The group of a row that was found.
PRESSO_DEVICE RowGroup group_of(const MatchList& list, u32 found) {
  return simt::load_readonly(list.groups + found);
}
/// Whether groups must be looked at: only if keys do repeat.
PRESSO_DEVICE bool has_groups(const MatchList& list) {
  return list.groups != nullptr && list.totals->has_duplicates != 0;
}

/// A sum for each warp.
struct SumShared {
  u64 of_warps[kTileThreads / kWarpSize];
};

/// The sum of all lanes' values, in all lanes.
PRESSO_DEVICE u64 warp_sum(u64 value) {
  for (u32 distance = kWarpSize / 2; distance > 0; distance /= 2) {
    value += simt::shuffle_xor(value, distance);
  }
  return value;
}
/// The sum of the values of the lanes up to this one.
PRESSO_DEVICE u64 warp_prefix(u64 value) {
  for (u32 distance = 1; distance < kWarpSize; distance *= 2) {
    const u64 below = simt::shuffle_up(value, distance);
    if (simt::lane() >= distance) value += below;
  }
  return value;
}

/// Writes the number of pairs of a tile. Two barriers.
/// 64 bits, because each of the tile's rows may have nearly 2^32 pairs.
PRESSO_DEVICE void put_tile_sum(const MatchList& list, u64 tile, u32 emits,
                                const u32 (&found)[kTileItems], SumShared& shared) {
  u64 sum = 0;
  if (has_groups(list)) {
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      if ((emits >> item & 1) == 0) continue;
      sum += found[item] != kNoRow ? group_of(list, found[item]).count : 1;
    }
  } else {
    sum = simt::popcount(emits);
  }
  sum = warp_sum(sum);
  if (simt::lane() == 0) shared.of_warps[simt::warp_in_block()] = sum;
  simt::block_sync();
  if (simt::warp_in_block() == 0) {
    const u32 lane = simt::lane();
    sum = warp_sum(lane < kTileThreads / kWarpSize ? shared.of_warps[lane] : 0);
    if (lane == 0) list.tile_begins[tile] = sum;
  }
  simt::block_sync();
}

/// Writes how many pairs each tile has, and marks build rows, for a list that is not in the order
/// of rows. A thread block takes a tile. Shared memory: SumShared.
struct SumTiles {
  using Arguments = MatchList;
  static constexpr const char* kName = "summing pairs";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = sizeof(SumShared);

  PRESSO_DEVICE static void run(const MatchList& list) {
    auto* const shared = reinterpret_cast<SumShared*>(simt::shared_memory());
    const u64 tiles = tiles_of(list.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      ListRows mine;
      mine.load(list, tile);
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u32 found = mine.found[item];
        if (found != kNoRow && list.matched != nullptr) mark_row(list.matched, found);
      }
      put_tile_sum(list, tile, mine.emits, mine.found, *shared);
    }
  }
};

/// Arguments of ScanSums.
struct ScanArguments {
  u64* begins = nullptr;        ///< count + 1 numbers: sums before, beginnings afterwards
  u64* piece_begins = nullptr;  ///< as `begins`, for pieces of kPieceRows; may be null
  u64 count = 0;
  u64* total = nullptr;            ///< receives the sum; may be null
  const u32* condition = nullptr;  ///< if not null: nothing is done if it points to 0
};

/// Sums of warps, for pairs and for pieces.
struct ScanShared {
  u64 of_warps[2][kScanThreads / kWarpSize];
};

/// Returns the sum of the values of the threads before this one. One barrier.
PRESSO_DEVICE u64 block_prefix_wide(u64 (&of_warps)[kScanThreads / kWarpSize], u64 value,
                                    u64& all) {
  static_assert(kScanThreads / kWarpSize == kWarpSize);
  const u64 upto = warp_prefix(value);
  if (simt::lane() == kWarpSize - 1) of_warps[simt::warp_in_block()] = upto;
  simt::block_sync();
  const u64 warps = warp_prefix(of_warps[simt::lane()]);
  all = simt::shuffle(warps, kWarpSize - 1);
  const u64 before = simt::shuffle(warps, (simt::warp_in_block() + kWarpSize - 1) % kWarpSize);
  return (simt::warp_in_block() == 0 ? 0 : before) + upto - value;
}

/// Prefix sums by a single thread block; there is one number for each 1,024 rows. Shared memory:
/// ScanShared.
/// For 2^30 rows it adds up 2^20 numbers in 256 steps.
struct ScanSums {
  using Arguments = ScanArguments;
  static constexpr const char* kName = "adding sums";
  static constexpr u32 kThreads = kScanThreads;
  static constexpr u32 kBlocks = 1;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kSharedBytes = sizeof(ScanShared);
  static constexpr u32 kItems = 4;

  PRESSO_DEVICE static void run(const Arguments& to) {
    if (to.condition != nullptr && *to.condition == 0) return;
    auto* const shared = reinterpret_cast<ScanShared*>(simt::shared_memory());
    u64 sum = 0, pieces = 0;
    for (u64 from = 0; from < to.count; from += kItems * kScanThreads) {
      const u64 first = from + kItems * simt::thread_in_block();
      u64 values[kItems];
      u64 here = 0, pieces_here = 0;
      for (u32 item = 0; item < kItems; ++item) {
        values[item] = first + item < to.count ? to.begins[first + item] : 0;
        here += values[item];
        pieces_here += pieces_of(values[item]);
      }
      u64 all, all_pieces = 0;
      u64 at = sum + block_prefix_wide(shared->of_warps[0], here, all);
      u64 piece = 0;
      if (to.piece_begins != nullptr) {
        piece = pieces + block_prefix_wide(shared->of_warps[1], pieces_here, all_pieces);
      }
      for (u32 item = 0; item < kItems && first + item < to.count; ++item) {
        to.begins[first + item] = at;
        at += values[item];
        if (to.piece_begins == nullptr) continue;
        to.piece_begins[first + item] = piece;
        piece += pieces_of(values[item]);
      }
      sum += all;
      pieces += all_pieces;
      simt::block_sync();
    }
    if (simt::thread_in_block() != 0) return;
    to.begins[to.count] = sum;
    if (to.piece_begins != nullptr) to.piece_begins[to.count] = pieces;
    if (to.total != nullptr) *to.total = sum;
  }

 private:
  PRESSO_DEVICE static u64 pieces_of(u64 sum) { return (sum + kPieceRows - 1) / kPieceRows; }
};

/// Returns the last i < count with begins[i] <= value, computed by a warp, in all its lanes. Begins
/// ascend, and begins[0] <= value.
/// Each step leaves a 32nd of the places.
PRESSO_DEVICE u64 find_begin(const u64* begins, u64 count, u64 value) {
  u64 first = 0;
  while (count > 1) {
    const u64 step = (count + kWarpSize - 1) / kWarpSize;
    const u64 at = first + simt::lane() * step;
    const bool fits = simt::lane() * step < count && begins[at] <= value;
    const u32 last = simt::popcount(simt::ballot(fits)) - 1;
    const u64 skipped = last * step;
    count = count - skipped < step ? count - skipped : step;
    first += skipped;
  }
  return first;
}

/// A tile with where the pairs of each row begin.
struct ListShared {
  TilePlaces<kTileThreads / kWarpSize> places;
  u64 of_warps[kTileThreads / kWarpSize];
  u64 begins[kTileRows];  ///< of rows' pairs within the tile
  u32 rows[kTileRows];
  u32 found[kTileRows];
  u32 group_begins[kTileRows];  ///< kNoRow for groups of one row
};

/// Writes the pairs. A thread block takes a tile, or a piece of one. Shared memory: ListShared.
/// Without repeated keys a row has at most one pair, and places follow from ballots alone.
struct WriteList {
  using Arguments = MatchList;
  static constexpr const char* kName = "writing pairs";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = sizeof(ListShared);

  PRESSO_DEVICE static void run(const MatchList& list) {
    auto* const shared = reinterpret_cast<ListShared*>(simt::shared_memory());
    const u64 tiles = tiles_of(list.count);
    if (has_groups(list)) {
      const u64 pieces = list.piece_begins[tiles];
      for (u64 piece = simt::block_index(); piece < pieces; piece += simt::grid_blocks()) {
        const u64 tile = find_begin(list.piece_begins, tiles, piece);
        write_piece(list, tile, piece - list.piece_begins[tile], *shared);
      }
      return;
    }
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      const u64 at = list.tile_begins[tile];
      if (at == list.tile_begins[tile + 1]) continue;
      ListRows mine;
      mine.load(list, tile);
      const WarpPlaces places =
          places_of_warps(shared->places, count_in_warp<kTileItems>(mine.emits));
      write_singles(list.pairs, at + places.before, mine.emits, mine.rows, mine.found,
                    list.choice.pairs);
      simt::block_sync();
    }
  }

 private:
  /// Each thread writes every 256th pair of the piece, and finds its row by binary search in shared
  /// memory.
  PRESSO_DEVICE static void write_piece(const MatchList& list, u64 tile, u64 piece,
                                        ListShared& shared) {
    const u64 begin = list.tile_begins[tile];
    const u64 sum = list.tile_begins[tile + 1] - begin;
    spread(list, tile, shared);
    const u64 first = piece * kPieceRows;
    const u64 end = sum - first < kPieceRows ? sum : first + kPieceRows;
    for (u64 at = first + simt::thread_in_block(); at < end; at += kTileThreads) {
      const u32 entry = entry_at(shared, at);
      const u32 group_begin = shared.group_begins[entry];
      u32 build = shared.found[entry];
      if (group_begin != kNoRow) {
        const auto within = group_begin + static_cast<u32>(at - shared.begins[entry]);
        build = list.group_rows == nullptr ? within : simt::load_readonly(list.group_rows + within);
      }
      write_pair(list.pairs, begin + at, shared.rows[entry], build, list.choice.pairs);
    }
    simt::block_sync();
  }

  /// Loads the tile's rows into shared memory, with where their pairs begin.
  PRESSO_DEVICE static void spread(const MatchList& list, u64 tile, ListShared& shared) {
    ListRows mine;
    mine.load(list, tile);
    u64 upto[kTileItems], of_warp = 0;
    RowGroup groups[kTileItems];
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      groups[item] = {kNoRow, mine.emits >> item & 1};
      if (mine.found[item] != kNoRow && groups[item].count != 0) {
        groups[item] = group_of(list, mine.found[item]);
        if (groups[item].count == 1) groups[item].begin = kNoRow;
      }
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      upto[item] = of_warp + warp_prefix(u64{groups[item].count});
      of_warp = simt::shuffle(upto[item], kWarpSize - 1);
    }
    if (simt::lane() == 0) shared.of_warps[simt::warp_in_block()] = of_warp;
    simt::block_sync();
    u64 before = 0;
    for (u32 warp = 0; warp < simt::warp_in_block(); ++warp) before += shared.of_warps[warp];
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      const auto entry = static_cast<u32>(tile_row(0, item));
      shared.begins[entry] = before + upto[item] - groups[item].count;
      shared.rows[entry] = mine.rows[item];
      shared.found[entry] = mine.found[item];
      shared.group_begins[entry] = groups[item].begin;
    }
    simt::block_sync();
  }

  /// Returns the last entry that begins at or before `at`.
  /// An entry without pairs begins where the next one does, so it is never the last.
  PRESSO_DEVICE static u32 entry_at(const ListShared& shared, u64 at) {
    u32 entry = 0;
    for (u32 step = kTileRows / 2; step > 0; step /= 2) {
      if (shared.begins[entry + step] <= at) entry += step;
    }
    return entry;
  }
};

}  // namespace presso::gpu

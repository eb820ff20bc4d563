// SPDX-License-Identifier: MIT
// Groups of build rows with the same key. The number of a group is one of its rows, whichever the
// structure of keys holds; the other rows are its *further* rows. All of this runs only if
// has_duplicates says that keys repeat (except for clearing memory, and FindGroups where building
// did not find out whether keys repeat), and nothing after FindGroups looks at a key again:
//
//   FindGroups     further[group] counts further rows, leader[row] is the group of a further row
//   SumGroups, ScanSums, PlaceGroups     groups of two and more rows get places in the list
//   FillGroups     writes rows to the list, in any order
//   SortShortGroups, SortLongGroups      rows of each group ascend, if order matters
//   SpreadMarks    marks of groups become marks of all their rows
//
// Threads to data: a thread block takes a tile of build rows. Tested by
// tests/simt/joins_in_emulator_test.cpp.
//
// Example: rows 0 to 4 have the keys A B A C A, and the structure holds row 2 for A. Then leader[0]
// = leader[4] = 2 and further[2] = 2; groups[2] becomes {0, 3}, and list[0] to list[2] are 0, 2, 4
// in some order. Groups of rows 1 and 3 have one row and nothing in the list.
#pragma once

#include "query/gpu/join/key_source.cuh"
#include "query/gpu/join/match_list.cuh"

namespace presso::gpu {

/// Memory of the groups, a word for each build row unless said otherwise.
struct GroupArguments {
  u32 rows = 0;
  u32* leader = nullptr;   ///< kNoRow for all rows that are not further rows
  u32* further = nullptr;  ///< must be 0 before; 0 again after PlaceGroups
  RowGroup* groups = nullptr;
  u64* tile_begins = nullptr;  ///< tiles + 1
  u32* list = nullptr;
  u32* scratch = nullptr;      ///< for sorting: a word for each row
  u32* long_groups = nullptr;  ///< groups that are too long for a thread to sort
  u32* long_count = nullptr;
  u32* marks = nullptr;
  JoinTotals* totals = nullptr;
};

/// Adds one to counters[of] in each active lane, and returns the counter before, as if lanes came
/// one after another. Called by all lanes of a warp. Lanes with the counter of the first active
/// lane are added together, so that a counter that all want costs one atomic.
/// Without that, a very frequent key would make all atomics of a warp wait for one another.
PRESSO_DEVICE u32 add_ones(u32* counters, u32 of, bool active) {
  const u32 lanes = simt::ballot(active);
  if (lanes == 0) return 0;
  const u32 first = simt::find_first_set(lanes) - 1;
  const u32 common = simt::shuffle(of, first);
  const bool is_common = active && of == common;
  const u32 same = simt::ballot(is_common);
  u32 before = 0;
  if (simt::lane() == first) before = simt::atomic_add(counters + common, simt::popcount(same));
  before = simt::shuffle(before, first) + simt::popcount(same & ((1u << simt::lane()) - 1));
  if (active && !is_common) before = simt::atomic_add(counters + of, 1);
  return before;
}

/// The shape of these kernels; for_each_tile() does nothing if keys do not repeat.
struct GroupBody {
  using Arguments = GroupArguments;
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kSharedBytes = 0;

  template <class Each>
  PRESSO_DEVICE static void for_each_tile(const JoinTotals* totals, u32 rows, const Each& each) {
    if (totals->has_duplicates != 0) for_all_tiles(rows, each);
  }
  template <class Each>
  PRESSO_DEVICE static void for_all_tiles(u32 rows, const Each& each) {
    const u64 tiles = tiles_of(rows);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) each(tile);
  }
};

/// Arguments of FindGroups. Finder::kTellsRepeats: the kernels that built the structure have set
/// has_duplicates.
template <class Finder, class Source>
struct FindGroupsArguments {
  Finder finder;
  JoinRows build;
  GroupArguments groups;
  Source source;
};

/// Looks every build row up: a row that finds another one is a further row of its group.
template <class Finder, class Source>
struct FindGroups : GroupBody {
  using Arguments = FindGroupsArguments<Finder, Source>;
  using Key = typename Finder::Key;
  static constexpr const char* kName = "finding groups";
  static constexpr u32 kSharedBytes = Finder::kSharedBytes;

  PRESSO_DEVICE static void run(const Arguments& to) {
    const auto group_tile = [&](u64 tile) {
      Key keys[kTileItems];
      u32 found[kTileItems], joins = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        const bool joins_here =
            load_key(to.source, to.build, row, takes_part(to.build, row), keys[item]);
        joins |= static_cast<u32>(joins_here) << item;
      }
      to.finder.find(tile, keys, joins, found, simt::shared_memory());
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const auto row = static_cast<u32>(tile_row(tile, item));
        const bool is_further = found[item] != kNoRow && found[item] != row;
        if (is_further) to.groups.leader[row] = found[item];
        if (is_further && !Finder::kTellsRepeats) to.groups.totals->has_duplicates = 1;
        add_ones(to.groups.further, found[item], is_further);
      }
    };
    if constexpr (Finder::kTellsRepeats) {
      for_each_tile(to.groups.totals, to.build.count, group_tile);
    } else {
      for_all_tiles(to.build.count, group_tile);
    }
  }
};

/// Returns how many rows a group has in the list: none for a group of one row.
PRESSO_DEVICE u32 listed_rows(u32 further) {
  return further == 0 ? 0 : further + 1;
}

/// Counts the listed rows of each tile.
struct SumGroups : GroupBody {
  static constexpr const char* kName = "summing groups";
  static constexpr u32 kSharedBytes = sizeof(TilePlaces<kTileThreads / kWarpSize>);

  PRESSO_DEVICE static void run(const GroupArguments& to) {
    auto* const places =
        reinterpret_cast<TilePlaces<kTileThreads / kWarpSize>*>(simt::shared_memory());
    for_each_tile(to.totals, to.rows, [&](u64 tile) {
      u32 sum = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        if (row < to.rows) sum += listed_rows(to.further[row]);
      }
      const WarpPlaces sums = places_of_warps(*places, simt::reduce_add(sum));
      if (simt::thread_in_block() == 0) to.tile_begins[tile] = sums.all;
      simt::block_sync();
    });
  }
};

/// Writes where each group begins in the list.
struct PlaceGroups : GroupBody {
  static constexpr const char* kName = "placing groups";
  static constexpr u32 kSharedBytes = sizeof(TilePlaces<kTileThreads / kWarpSize>);

  PRESSO_DEVICE static void run(const GroupArguments& to) {
    auto* const places =
        reinterpret_cast<TilePlaces<kTileThreads / kWarpSize>*>(simt::shared_memory());
    for_each_tile(to.totals, to.rows, [&](u64 tile) {
      u32 further[kTileItems], upto[kTileItems], of_warp = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        further[item] = row < to.rows ? to.further[row] : 0;
        upto[item] = of_warp + simt::inclusive_sum(listed_rows(further[item]));
        of_warp = simt::shuffle(upto[item], kWarpSize - 1);
      }
      const WarpPlaces sums = places_of_warps(*places, of_warp);
      const auto begin = static_cast<u32>(to.tile_begins[tile]) + sums.before;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        if (row >= to.rows) continue;
        const u32 listed = listed_rows(further[item]);
        to.groups[row] = {begin + upto[item] - listed, further[item] + 1};
        to.further[row] = 0;
      }
      simt::block_sync();
    });
  }
};

/// Each row of a listed group takes the next place of the group.
/// `further`, which PlaceGroups has cleared, counts the places that are taken.
struct FillGroups : GroupBody {
  static constexpr const char* kName = "filling groups";

  PRESSO_DEVICE static void run(const GroupArguments& to) {
    for_each_tile(to.totals, to.rows, [&](u64 tile) {
      u32 leaders[kTileItems];
      RowGroup groups[kTileItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        leaders[item] = row < to.rows ? to.leader[row] : 0;
        if (leaders[item] == kNoRow) leaders[item] = static_cast<u32>(row);
        groups[item] = row < to.rows ? to.groups[leaders[item]] : RowGroup{0, 0};
      }
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const bool is_listed = groups[item].count > 1;
        const u32 place = add_ones(to.further, leaders[item], is_listed);
        if (is_listed) {
          to.list[groups[item].begin + place] = static_cast<u32>(tile_row(tile, item));
        }
      }
    });
  }
};

/// A row is marked if its leader is.
/// A warp writes the word of its 32 rows without atomics.
struct SpreadMarks : GroupBody {
  static constexpr const char* kName = "marking build rows";

  PRESSO_DEVICE static void run(const GroupArguments& to) {
    for_each_tile(to.totals, to.rows, [&](u64 tile) {
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        u32 leader = row < to.rows ? to.leader[row] : kNoRow;
        if (leader == kNoRow) leader = static_cast<u32>(row);
        // Only marks of leaders are asked for, and those do not change here.
        const bool is_marked =
            row < to.rows && (to.marks[leader / kWordBits] >> (leader & 31) & 1) != 0;
        const u32 marks = simt::ballot(is_marked);
        if (simt::lane() == 0 && row < to.rows) to.marks[row / kWordBits] = marks;
      }
    });
  }
};

/// Sizes of SortLongGroups: threads, rows that are sorted in shared memory, values of a digit.
inline constexpr u32 kSortThreads = 512;
inline constexpr u32 kSortedInShared = 8192;  ///< rows
inline constexpr u32 kSortDigits = 256;

/// Sorts groups of up to kShortGroup rows, a thread for each group, and lists the others.
/// Most groups are short, so lanes of a warp differ by little.
struct SortShortGroups : GroupBody {
  static constexpr const char* kName = "sorting groups";

  PRESSO_DEVICE static void run(const GroupArguments& to) {
    for_each_tile(to.totals, to.rows, [&](u64 tile) {
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        if (row >= to.rows) continue;
        const RowGroup group = to.groups[row];
        if (group.count > kShortGroup) {
          to.long_groups[simt::atomic_add(to.long_count, 1)] = static_cast<u32>(row);
        } else if (group.count > 1) {
          sort_few(to.list + group.begin, group.count);
        }
      }
    });
  }

 private:
  /// Insertion sort.
  PRESSO_DEVICE static void sort_few(u32* rows, u32 count) {
    for (u32 i = 1; i < count; ++i) {
      const u32 row = rows[i];
      u32 at = i;
      for (; at > 0 && rows[at - 1] > row; --at) rows[at] = rows[at - 1];
      rows[at] = row;
    }
  }
};

/// Either the rows of a group, or counts of digits.
struct SortShared {
  union {
    u32 rows[kSortedInShared];
    struct {
      u32 of_warps[kSortThreads / kWarpSize][kSortDigits];
      u32 begins[kSortDigits];
    } digits;
  };
};

/// Sorts the long groups, a thread block for each: in shared memory, or by digits from the lowest
/// to the highest, alternating between the list and scratch memory. Shared memory: SortShared.
/// Row numbers have four digits of 8 bits; after four passes the rows are in the list again.
struct SortLongGroups : GroupBody {
  static constexpr const char* kName = "sorting long groups";
  static constexpr u32 kThreads = kSortThreads;
  static constexpr u32 kBlocks = 2;
  static constexpr u32 kSharedBytes = sizeof(SortShared);

  PRESSO_DEVICE static void run(const GroupArguments& to) {
    if (to.totals->has_duplicates == 0) return;
    auto& shared = *reinterpret_cast<SortShared*>(simt::shared_memory());
    const u32 groups = *to.long_count;
    for (u32 i = simt::block_index(); i < groups; i += simt::grid_blocks()) {
      const RowGroup group = to.groups[to.long_groups[i]];
      u32* const rows = to.list + group.begin;
      if (group.count <= kSortedInShared) {
        sort_in_shared(shared.rows, rows, group.count);
      } else {
        u32* const scratch = to.scratch + group.begin;
        for (u32 shift = 0; shift < kWordBits; shift += 16) {
          move_by_digit(shared, rows, scratch, group.count, shift);
          move_by_digit(shared, scratch, rows, group.count, shift + 8);
        }
      }
    }
  }

 private:
  /// Bitonic sort (Batcher 1968) over the next power of two.
  /// Places after the last row have kNoRow, which sorts to the end.
  PRESSO_DEVICE static void sort_in_shared(u32* shared, u32* rows, u32 count) {
    u32 size = kWarpSize;
    while (size < count) size *= 2;
    for (u32 i = simt::thread_in_block(); i < size; i += kSortThreads) {
      shared[i] = i < count ? rows[i] : kNoRow;
    }
    simt::block_sync();
    for (u32 run = 2; run <= size; run *= 2) {
      for (u32 distance = run / 2; distance > 0; distance /= 2) {
        for (u32 i = simt::thread_in_block(); i < size / 2; i += kSortThreads) {
          const u32 low = 2 * i - (i & (distance - 1));
          const bool ascends = (low & run) == 0;
          const u32 a = shared[low], b = shared[low + distance];
          if ((a > b) == ascends) {
            shared[low] = b;
            shared[low + distance] = a;
          }
        }
        simt::block_sync();
      }
    }
    for (u32 i = simt::thread_in_block(); i < count; i += kSortThreads) rows[i] = shared[i];
    simt::block_sync();
  }

  /// One stable pass of a radix sort: counts, prefix sums, then tile by tile with ranks within
  /// warps.
  PRESSO_DEVICE static void move_by_digit(SortShared& shared, const u32* from, u32* to, u32 count,
                                          u32 shift) {
    auto& digits = shared.digits;
    const u32 thread = simt::thread_in_block();
    if (thread < kSortDigits) digits.begins[thread] = 0;
    simt::block_sync();
    for (u32 i = thread; i < count; i += kSortThreads) {
      simt::atomic_add(&digits.begins[from[i] >> shift & (kSortDigits - 1)], 1);
    }
    simt::block_sync();
    if (simt::warp_in_block() == 0) {
      u32 sum = 0;
      for (u32 first = 0; first < kSortDigits; first += kWarpSize) {
        const u32 here = digits.begins[first + simt::lane()];
        const u32 upto = sum + simt::inclusive_sum(here);
        digits.begins[first + simt::lane()] = upto - here;
        sum = simt::shuffle(upto, kWarpSize - 1);
      }
    }
    for (u32 first = 0; first < count; first += kSortThreads) {
      move_tile(digits, from, to, first, count, shift);
    }
  }

  /// The rank of a row is the number of rows with its digit before it: in its warp by ballots, in
  /// the block by counts of warps.
  /// Rows keep their order because tiles, warps and lanes come in order.
  template <class Digits>
  PRESSO_DEVICE static void move_tile(Digits& digits, const u32* from, u32* to, u32 first,
                                      u32 count, u32 shift) {
    const u32 thread = simt::thread_in_block(), warp = simt::warp_in_block();
    for (u32 i = simt::lane(); i < kSortDigits; i += kWarpSize) digits.of_warps[warp][i] = 0;
    simt::warp_sync();
    const bool is_row = first + thread < count;
    const u32 row = is_row ? from[first + thread] : 0;
    const u32 digit = row >> shift & (kSortDigits - 1);
    u32 same = simt::ballot(is_row);
    for (u32 bit = 0; bit < 8; ++bit) {
      const bool is_set = (digit >> bit & 1) != 0;
      const u32 set = simt::ballot(is_set);
      same &= is_set ? set : ~set;
    }
    const u32 rank = simt::popcount(same & ((1u << simt::lane()) - 1));
    if (is_row && rank == 0) digits.of_warps[warp][digit] = simt::popcount(same);
    simt::block_sync();
    if (thread < kSortDigits) {
      u32 at = digits.begins[thread];
      for (auto& of_warp : digits.of_warps) {
        const u32 rows = of_warp[thread];
        of_warp[thread] = at;
        at += rows;
      }
      digits.begins[thread] = at;
    }
    simt::block_sync();
    if (is_row) to[digits.of_warps[warp][digit] + rank] = row;
    simt::block_sync();
  }
};

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// kRadix, after partitioning (key_partition.cuh): the build rows of a part go into a table in
// shared memory, in which its probe rows are looked up.
//
//   GroupParts   if keys may repeat: leaves one row of each key in a part, and notes the others as
//                further rows of its group (row_groups.cuh)
//   PlaceItems   the probe rows of a part are one *item* or, if they are many, several
//   JoinItems    the look-up; a thread block takes an item
//
// Parts with more keys than the table takes are joined in rounds, so any distribution of keys
// works. Tested by tests/simt/joins_in_emulator_test.cpp.
//
// Example: a part has 20,000 build keys, and its table takes 5,000. Then JoinItems builds a table
// four times and goes through the item's probe rows four times. Hashes distribute different keys
// evenly, so this happens only if more bits would be needed than there may be.
#pragma once

#include "query/gpu/join/match_list.cuh"
#include "query/gpu/join/part_table.cuh"
#include "query/gpu/join/row_groups.cuh"

namespace presso::gpu {

/// Threads of a block, rows of a thread, and rows of a tile.
inline constexpr u32 kPartThreads = 512;
inline constexpr u32 kPartItems = 4;
inline constexpr u32 kPartTile = kPartThreads * kPartItems;

/// Arguments of GroupParts.
template <class Hash>
struct GroupPartsArguments {
  Parts<Hash> build;
  Parts<Hash> spare;  ///< hashes and rows: as many entries, for rows that wait for another round
  PartBits bits;
  u32 slots = 0;
  GroupArguments groups;  ///< leader is null if only one row of each key shall be left
};

/// Shared memory before the table.
struct GroupPartsShared {
  TilePlaces<kPartThreads / kWarpSize> places;
  TilePlaces<kPartThreads / kWarpSize> waiting;
};

/// Threads to data: a thread block takes a part. Shared memory: GroupPartsShared and the table.
/// After it a part has one row of each key, so JoinItems inserts without comparing.
template <class Hash>
struct GroupParts {
  using Arguments = GroupPartsArguments<Hash>;
  static constexpr const char* kName = "grouping rows of parts";
  static constexpr u32 kThreads = kPartThreads;
  static constexpr u32 kBlocks = 2;
  static constexpr bool kWholeGrid = false;

  PRESSO_HD static constexpr u32 shared_bytes(u32 slots) {
    return sizeof(GroupPartsShared) + PartTable<Hash>::bytes(slots);
  }
  static_assert(sizeof(GroupPartsShared) % 16 == 0);

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto& shared = *reinterpret_cast<GroupPartsShared*>(simt::shared_memory());
    PartTable<Hash> table(simt::shared_memory() + sizeof shared, to.slots, to.bits.all());
    for (u32 part = simt::block_index(); part < to.bits.parts(); part += simt::grid_blocks()) {
      const u32 count = to.build.counts[part];
      const Parts<Hash> here = part_of(to.build, part);
      Parts<Hash> from = here;
      u32 kept = 0, left = count;
      while (left > 0) {
        simt::block_sync();
        table.clear(part);
        simt::block_sync();
        left = one_round(to, from, here, part, left, kept, table, shared);
        from = spare_of(to, part);
      }
      simt::block_sync();
      if (simt::thread_in_block() == 0) to.build.counts[part] = kept;
    }
  }

 private:
  /// The entries of one part.
  PRESSO_DEVICE static Parts<Hash> part_of(const Parts<Hash>& parts, u32 part) {
    return {parts.hashes + parts.begins[part], parts.rows + parts.begins[part], nullptr, nullptr};
  }
  PRESSO_DEVICE static Parts<Hash> spare_of(const Arguments& to, u32 part) {
    const u32 begin = to.build.begins[part];
    return {to.spare.hashes + begin, to.spare.rows + begin, nullptr, nullptr};
  }

  /// Goes through `count` rows of `from`: the first row of each key moves to the end of the kept
  /// rows, rows for which the table has no room move to the spare memory. Returns how many the
  /// latter are.
  PRESSO_DEVICE static u32 one_round(const Arguments& to, const Parts<Hash>& from,
                                     const Parts<Hash>& kept_rows, u32 part, u32 count, u32& kept,
                                     PartTable<Hash>& table, GroupPartsShared& shared) {
    const Parts<Hash> spare = spare_of(to, part);
    u32 waiting = 0;
    for (u32 first = 0; first < count; first += kPartTile) {
      Hash hashes[kPartItems];
      u32 rows[kPartItems];
      typename PartTable<Hash>::Place places[kPartItems];
      u32 keeps = 0, waits = 0, repeats = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kPartItems; ++item) {
        const u32 at = first + item * kPartThreads + simt::thread_in_block();
        const bool is_row = at < count;
        hashes[item] = is_row ? from.hashes[at] : 0;
        rows[item] = is_row ? from.rows[at] : kNoRow;
        if (!is_row) continue;
        places[item] = table.insert_once(hashes[item]);
        const bool has_place = places[item].slot != kNoRow;
        if (places[item].is_new) table.set_row(places[item].slot, rows[item]);
        keeps |= static_cast<u32>(places[item].is_new) << item;
        waits |= static_cast<u32>(!has_place) << item;
        repeats |= static_cast<u32>(has_place && !places[item].is_new) << item;
      }
      // After these barriers all rows of the tile are read and all slots have their rows.
      const WarpPlaces kept_here = places_of_warps(shared.places, count_in_warp<kPartItems>(keeps));
      const WarpPlaces waiting_here =
          places_of_warps(shared.waiting, count_in_warp<kPartItems>(waits));
      // As long as nothing repeats in the first round, rows are where they belong already.
      if (kept + kept_here.all != first + kPartTile || from.rows != kept_rows.rows) {
        move(kept_rows, kept + kept_here.before, keeps, hashes, rows);
      }
      move(spare, waiting + waiting_here.before, waits, hashes, rows);
      note_repeats(to, repeats, rows, places, table);
      kept += kept_here.all;
      waiting += waiting_here.all;
    }
    return waiting;
  }

  /// Writes the rows whose bit is set in `moves`, from `at` on.
  PRESSO_DEVICE static void move(const Parts<Hash>& to, u32 at, u32 moves,
                                 const Hash (&hashes)[kPartItems], const u32 (&rows)[kPartItems]) {
    const u32 below = (1u << simt::lane()) - 1;
    PRESSO_UNROLL
    for (u32 item = 0; item < kPartItems; ++item) {
      const bool is_moved = (moves >> item & 1) != 0;
      const u32 lanes = simt::ballot(is_moved);
      const u32 place = at + simt::popcount(lanes & below);
      if (is_moved) {
        to.hashes[place] = hashes[item];
        to.rows[place] = rows[item];
      }
      at += simt::popcount(lanes);
    }
  }

  /// Counts further rows at their leaders.
  PRESSO_DEVICE static void note_repeats(
      const Arguments& to, u32 repeats, const u32 (&rows)[kPartItems],
      const typename PartTable<Hash>::Place (&places)[kPartItems], const PartTable<Hash>& table) {
    if (repeats != 0) to.groups.totals->has_duplicates = 1;
    if (to.groups.leader == nullptr) return;
    PRESSO_UNROLL
    for (u32 item = 0; item < kPartItems; ++item) {
      const bool is_further = (repeats >> item & 1) != 0;
      const u32 leader = is_further ? table.row_of(places[item].slot) : kNoRow;
      if (is_further) to.groups.leader[rows[item]] = leader;
      add_ones(to.groups.further, leader, is_further);
    }
  }
};

/// Arguments of PlaceItems.
struct ItemArguments {
  PartBits bits;
  const u32* build_counts = nullptr;
  const u32* probe_counts = nullptr;
  u32 item_rows = 1;           ///< probe rows of an item, at most
  u32* item_begins = nullptr;  ///< parts + 1
};

/// Sums of warps.
struct ItemShared {
  u32 of_warps[kScanWarps];
};

/// Runs in one thread block. Shared memory: ItemShared.
/// A part with very many probe rows (a frequent key) is thus divided among thread blocks; each
/// builds the part's table for itself.
struct PlaceItems {
  using Arguments = ItemArguments;
  static constexpr const char* kName = "dividing parts";
  static constexpr u32 kThreads = kScanWarps * kWarpSize;
  static constexpr u32 kBlocks = 1;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kSharedBytes = sizeof(ItemShared);
  static constexpr u32 kItems = 4;

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto& shared = *reinterpret_cast<ItemShared*>(simt::shared_memory());
    const u32 parts = to.bits.parts();
    u32 sum = 0;
    for (u32 from = 0; from < parts; from += kItems * kThreads) {
      const u32 first = from + kItems * simt::thread_in_block();
      u32 items[kItems], here = 0;
      for (u32 item = 0; item < kItems; ++item) {
        const u32 rows = first + item < parts ? to.probe_counts[first + item] : 0;
        items[item] = rows / to.item_rows + (rows % to.item_rows == 0 ? 0 : 1);
        here += items[item];
      }
      const BlockPrefix prefix = block_prefix(shared.of_warps, here);
      u32 begin = sum + prefix.before;
      for (u32 item = 0; item < kItems && first + item < parts; ++item) {
        to.item_begins[first + item] = begin;
        begin += items[item];
      }
      sum += prefix.all;
      simt::block_sync();
    }
    if (simt::thread_in_block() == 0) to.item_begins[parts] = sum;
  }
};

/// kCount only adds up. kWrite writes pairs in any order. kKeep writes found[entry] for each entry
/// of the partitioned probe side. kScatter writes found[row] of rows with a match and leaves others
/// alone.
enum class PartMode { kCount, kWrite, kKeep, kScatter };

/// Arguments of JoinItems.
template <class Hash>
struct JoinItemsArguments {
  Parts<Hash> build;
  Parts<Hash> probe;
  PartBits bits;
  u32 slots = 0;
  u32 item_rows = 1;
  const u32* item_begins = nullptr;
  bool pairs = true;
  MatchOutput out;
  u32* found = nullptr;
};

/// Shared memory of JoinItems, before the table.
struct JoinItemsShared {
  TilePlaces<kPartThreads / kWarpSize> places;
};

/// Threads to data: a thread block takes an item. Shared memory: JoinItemsShared and the table.
template <class Hash, PartMode kMode>
struct JoinItems {
  using Arguments = JoinItemsArguments<Hash>;
  static constexpr const char* kName = "joining parts";
  static constexpr u32 kThreads = kPartThreads;
  static constexpr u32 kBlocks = 2;
  static constexpr bool kWholeGrid = false;

  PRESSO_HD static constexpr u32 shared_bytes(u32 slots) {
    return kTableBegin + PartTable<Hash>::bytes(slots);
  }

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto& shared = *reinterpret_cast<JoinItemsShared*>(simt::shared_memory());
    PartTable<Hash> table(simt::shared_memory() + kTableBegin, to.slots, to.bits.all());
    const u32 items = to.item_begins[to.bits.parts()];
    u32 count = 0;
    for (u32 item = simt::block_index(); item < items; item += simt::grid_blocks()) {
      const u32 part = part_of(to, item);
      const u32 probe = to.probe.begins[part];
      const u32 first = (item - to.item_begins[part]) * to.item_rows;
      const u32 rows = to.probe.counts[part] - first;
      const u32 end = probe + first + (rows < to.item_rows ? rows : to.item_rows);
      count += join(to, part, probe + first, end, table, shared);
    }
    if constexpr (kMode == PartMode::kCount) {
      const WarpPlaces sums = places_of_warps(shared.places, simt::reduce_add(count));
      if (simt::thread_in_block() == 0 && sums.all > 0) {
        simt::atomic_add(&to.out.totals->pairs, u64{sums.all});
      }
    }
  }

 private:
  static constexpr u32 kTableBegin = (sizeof(JoinItemsShared) + 15) / 16 * 16;

  /// Returns the part of an item, computed by each warp.
  /// Otherwise it is the last part that begins at or before the item, found by ballots, 32 places
  /// at a time.
  PRESSO_DEVICE static u32 part_of(const Arguments& to, u32 item) {
    // Most often each part is one item.
    const u32 parts = to.bits.parts();
    if (item < parts && to.item_begins[item] == item && to.item_begins[item + 1] == item + 1) {
      return item;
    }
    u32 first = 0, count = parts;
    while (count > 1) {
      const u32 step = (count + kWarpSize - 1) / kWarpSize;
      const u32 skip = simt::lane() * step;
      const bool fits = skip < count && to.item_begins[first + skip] <= item;
      const u32 skipped = (simt::popcount(simt::ballot(fits)) - 1) * step;
      count = count - skipped < step ? count - skipped : step;
      first += skipped;
    }
    return first;
  }

  /// Joins the probe entries [begin, end) with the part's table, which takes its build rows in
  /// rounds. Returns the number of matches.
  /// If there are no build rows one round is still made, with an empty table: it writes kNoRow for
  /// the entries in mode kKeep.
  PRESSO_DEVICE static u32 join(const Arguments& to, u32 part, u32 begin, u32 end,
                                PartTable<Hash>& table, JoinItemsShared& shared) {
    const u32 build = to.build.begins[part];
    const u32 build_end = build + to.build.counts[part];
    const u32 at_once = PartTable<Hash>::most_rows(to.slots);
    u32 count = 0, from = build;
    do {
      const u32 round_end = build_end - from < at_once ? build_end : from + at_once;
      simt::block_sync();
      table.clear(part);
      simt::block_sync();
      insert(to, from, round_end, table);
      simt::block_sync();
      for (u32 at = begin; at < end; at += kPartTile) {
        count += look_up(to, at, end, from == build, table, shared);
      }
      from = round_end;
    } while (from < build_end);
    return count;
  }

  /// Loads several rows of a thread before it inserts one.
  PRESSO_DEVICE static void insert(const Arguments& to, u32 from, u32 end, PartTable<Hash>& table) {
    for (u32 first = from + simt::thread_in_block(); first < end; first += kPartTile) {
      Hash hashes[kPartItems];
      u32 rows[kPartItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kPartItems; ++item) {
        const u32 at = first + item * kPartThreads;
        hashes[item] = at < end ? simt::load_streaming(to.build.hashes + at) : table.empty();
        rows[item] = at < end ? simt::load_streaming(to.build.rows + at) : kNoRow;
      }
      PRESSO_UNROLL
      for (u32 item = 0; item < kPartItems; ++item) {
        if (rows[item] != kNoRow) table.insert(hashes[item], rows[item]);
      }
    }
  }

  /// Looks up one tile of probe entries, and writes or keeps what is found.
  PRESSO_DEVICE static u32 look_up(const Arguments& to, u32 first, u32 end, bool is_first_round,
                                   const PartTable<Hash>& table, JoinItemsShared& shared) {
    constexpr bool kNeedsRows = kMode == PartMode::kWrite || kMode == PartMode::kScatter;
    Hash hashes[kPartItems];
    u32 rows[kPartItems], found[kPartItems];
    u32 emits = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kPartItems; ++item) {
      const u32 at = first + item * kPartThreads + simt::thread_in_block();
      hashes[item] = at < end ? simt::load_streaming(to.probe.hashes + at) : table.empty();
      rows[item] = kNeedsRows && at < end ? simt::load_streaming(to.probe.rows + at) : 0;
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kPartItems; ++item) {
      const u32 at = first + item * kPartThreads + simt::thread_in_block();
      found[item] = hashes[item] == table.empty() ? kNoRow : table.find(hashes[item]);
      const bool is_found = found[item] != kNoRow;
      emits |= static_cast<u32>(is_found) << item;
      if (is_found && to.out.matched != nullptr) mark_row(to.out.matched, found[item]);
      // Later rounds must not overwrite what an earlier one has found.
      if constexpr (kMode == PartMode::kKeep) {
        if (at < end && (is_found || is_first_round)) {
          simt::store_streaming(to.found + at, found[item]);
        }
      }
      if constexpr (kMode == PartMode::kScatter) {
        if (is_found) to.found[rows[item]] = found[item];
      }
    }
    if constexpr (kMode == PartMode::kWrite) {
      write_anywhere(to.out, shared.places, emits, rows, found, to.pairs);
    }
    return simt::popcount(emits);
  }
};

}  // namespace presso::gpu

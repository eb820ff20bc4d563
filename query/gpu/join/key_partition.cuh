// SPDX-License-Identifier: MIT
// Divides rows into parts by the first bits of their keys' hashes, in one or two levels, so that
// each part fits a table in shared memory (part_join.cuh). The order within a part is arbitrary.
//
//   CountParts    counts rows of each part, for both levels together; reads keys once
//   PlaceParts    computes where parts and their tiles begin
//   MoveRows      level 1: keys become hashes with row numbers; level 2: hashes and numbers move
//
// Memory is written in whole sectors. A thread block goes through many tiles. For each part it
// writes multiples of PartBits::run rows, to places that are multiples as well, and keeps the
// remainder in shared memory until more rows come. In the end the remainder is written from the end
// of the part backwards, so that everything else stays aligned. Places are reserved by atomic
// additions. Rows of the next tile are loaded while those of the current one are written. Sources:
// G8, G14 of docs/sources.md. Tested by tests/simt/joins_in_emulator_test.cpp.
//
// Example: 14 bits in two levels. Level 1 makes 128 groups by the first 7 bits of the hash, level 2
// makes 128 parts of each group by the next 7: 16,384 parts. (These groups have nothing to do with
// the groups of rows with equal keys of row_groups.cuh.) Each level reads and writes every row
// once. With 14 bits at once a thread block would meet a part so rarely that no whole sectors came
// together.
#pragma once

#include "decompress/gpu/bit/block_prefix.cuh"
#include "query/gpu/join/key_source.cuh"

namespace presso::gpu {

/// Threads of a block that counts, and rows of each thread.
inline constexpr u32 kCountThreads = 1024;
inline constexpr u32 kCountItems = 8;
inline constexpr u32 kScanWarps = kWarpSize;  ///< warps of the single thread block that scans

/// How many bits of a hash are a row's part, and how rows are laid out.
struct PartBits {
  u32 first = 1;   ///< level 1, at least 1
  u32 second = 0;  ///< level 2; 0: there is none
  u32 run = 1;  ///< rows that are written at once, a power of two; parts begin at multiples of it

  PRESSO_HD constexpr u32 all() const { return first + second; }
  PRESSO_HD constexpr u32 parts() const { return 1u << all(); }
  PRESSO_HD constexpr u32 groups() const { return 1u << first; }
};

/// The parts of one side: hashes and rows of part p are [begins[p], begins[p] + counts[p]).
template <class Hash>
struct Parts {
  Hash* hashes = nullptr;
  u32* rows = nullptr;
  u32* begins = nullptr;  ///< parts + 1
  u32* counts = nullptr;
};

/// Arguments of CountParts.
template <class Source>
struct CountPartsArguments {
  JoinRows rows;
  PartBits bits;
  u32* counts = nullptr;  ///< before: 0
  Source source;
};

/// Threads to data: thread blocks share tiles of kCountThreads * kCountItems rows. Shared memory: a
/// word for each part, if there are at most 2^kMostSharedPartBits parts.
/// Counts of the finest parts are enough: a group of level 1 is the sum of its parts.
template <class Source>
struct CountParts {
  using Arguments = CountPartsArguments<Source>;
  static constexpr const char* kName = "counting rows of parts";
  static constexpr u32 kThreads = kCountThreads;
  static constexpr u32 kBlocks = 1;
  static constexpr bool kWholeGrid = false;

  PRESSO_HD static constexpr u32 shared_bytes(PartBits bits) {
    return bits.all() <= kMostSharedPartBits ? u32{sizeof(u32)} << bits.all() : 0;
  }

  PRESSO_DEVICE static void run(const Arguments& to) {
    const bool is_shared = to.bits.all() <= kMostSharedPartBits;
    u32* const counts = is_shared ? reinterpret_cast<u32*>(simt::shared_memory()) : to.counts;
    if (is_shared) {
      for (u32 i = simt::thread_in_block(); i < to.bits.parts(); i += kThreads) counts[i] = 0;
      simt::block_sync();
    }
    const u64 tile = u64{kThreads} * kCountItems;
    for (u64 at = simt::block_index() * tile; at < to.rows.count;
         at += simt::grid_blocks() * tile) {
      count_tile(to, at, counts);
    }
    if (!is_shared) return;
    simt::block_sync();
    for (u32 i = simt::thread_in_block(); i < to.bits.parts(); i += kThreads) {
      if (counts[i] != 0) simt::atomic_add(to.counts + i, counts[i]);
    }
  }

 private:
  /// Loads all keys of a thread before it counts one.
  PRESSO_DEVICE static void count_tile(const Arguments& to, u64 at, u32* counts) {
    typename Source::Key keys[kCountItems];
    u32 joins = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kCountItems; ++item) {
      const u64 row = at + item * kThreads + simt::thread_in_block();
      const bool joins_here =
          load_key(to.source, to.rows, row, takes_part(to.rows, row), keys[item]);
      joins |= static_cast<u32>(joins_here) << item;
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kCountItems; ++item) {
      if ((joins >> item & 1) == 0) continue;
      const u32 part = upper_word(hash_key(keys[item])) >> (kWordBits - to.bits.all());
      simt::atomic_add(counts + part, 1);
    }
  }
};

/// Where rows move to: for each part the next free place from the front, and the place after the
/// last free one from the back.
/// Fronts advance by whole runs, backs go down by remainders. They cannot cross, because together
/// they take exactly the part's rows.
struct PartCursors {
  u32* fronts = nullptr;
  u32* backs = nullptr;
};

/// Arguments of PlaceParts.
struct PlacePartsArguments {
  PartBits bits;
  const u32* counts = nullptr;
  u32* begins = nullptr;  ///< parts + 1
  u32* rows = nullptr;    ///< of the last level: entries between parts become kNoRow
  PartCursors parts;
  // Only with two levels: the bins of level 1.
  PartCursors groups;
  u32* group_begins = nullptr;  ///< a number for each group
  u32* group_counts = nullptr;
  u32* group_tiles = nullptr;  ///< tiles before each group; one more at the end
};

/// Sums of warps, and rows before each group.
struct PlacePartsShared {
  u32 of_warps[2][kScanWarps];
  u32 rows_before[(1u << kMostLevelBits) + 1];
};

/// Runs in one thread block. Shared memory: PlacePartsShared.
/// One block suffices: there are at most 2^(2 * kMostLevelBits) parts, whatever the number of rows.
struct PlaceParts {
  using Arguments = PlacePartsArguments;
  static constexpr const char* kName = "placing parts";
  static constexpr u32 kThreads = kScanWarps * kWarpSize;
  static constexpr u32 kBlocks = 1;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kSharedBytes = sizeof(PlacePartsShared);
  static constexpr u32 kItems = 4;

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto& shared = *reinterpret_cast<PlacePartsShared*>(simt::shared_memory());
    place_parts(to, shared);
    simt::block_sync();
    if (to.bits.second > 0) place_groups(to, shared);
  }

 private:
  /// Rows rounded up to whole runs.
  PRESSO_DEVICE static u32 rounded(const Arguments& to, u32 rows) {
    return (rows + to.bits.run - 1) & ~(to.bits.run - 1);
  }

  /// Prefix sums over all parts, four parts for each thread at a time.
  PRESSO_DEVICE static void place_parts(const Arguments& to, PlacePartsShared& shared) {
    const u32 parts = to.bits.parts();
    const u32 of_group = (1u << to.bits.second) - 1;
    u32 rows = 0, entries = 0;
    for (u32 from = 0; from < parts; from += kItems * kThreads) {
      const u32 first = from + kItems * simt::thread_in_block();
      u32 counts[kItems];
      u32 rows_here = 0, entries_here = 0;
      for (u32 item = 0; item < kItems; ++item) {
        counts[item] = first + item < parts ? to.counts[first + item] : 0;
        rows_here += counts[item];
        entries_here += rounded(to, counts[item]);
      }
      const BlockPrefix row = block_prefix(shared.of_warps[0], rows_here);
      const BlockPrefix entry = block_prefix(shared.of_warps[1], entries_here);
      u32 before = rows + row.before, begin = entries + entry.before;
      for (u32 item = 0; item < kItems && first + item < parts; ++item) {
        const u32 part = first + item;
        if ((part & of_group) == 0) shared.rows_before[part >> to.bits.second] = before;
        place_part(to, part, begin, counts[item]);
        before += counts[item];
        begin += rounded(to, counts[item]);
      }
      rows += row.all;
      entries += entry.all;
      simt::block_sync();
    }
    if (simt::thread_in_block() != 0) return;
    to.begins[parts] = entries;
    shared.rows_before[to.bits.groups()] = rows;
  }

  /// Sets a part's cursors, and marks the gap at its end as no rows.
  PRESSO_DEVICE static void place_part(const Arguments& to, u32 part, u32 begin, u32 count) {
    to.begins[part] = begin;
    to.parts.fronts[part] = begin;
    to.parts.backs[part] = begin + count;
    for (u32 gap = count; gap < rounded(to, count); ++gap) to.rows[begin + gap] = kNoRow;
  }

  /// Begins of the bins of level 1, and of their tiles in level 2.
  PRESSO_DEVICE static void place_groups(const Arguments& to, PlacePartsShared& shared) {
    static_assert((1u << kMostLevelBits) <= kThreads);
    const u32 group = simt::thread_in_block();
    const bool is_group = group < to.bits.groups();
    const u32 count = is_group ? shared.rows_before[group + 1] - shared.rows_before[group] : 0;
    const u32 tiles = (count + kMoveRows - 1) / kMoveRows;
    const BlockPrefix entry = block_prefix(shared.of_warps[0], rounded(to, count));
    const BlockPrefix tile = block_prefix(shared.of_warps[1], tiles);
    if (is_group) {
      to.group_begins[group] = entry.before;
      to.group_counts[group] = count;
      to.group_tiles[group] = tile.before;
      to.groups.fronts[group] = entry.before;
      to.groups.backs[group] = entry.before + count;
    }
    if (group == 0) to.group_tiles[to.bits.groups()] = tile.all;
  }
};

/// Arguments of MoveRows.
template <class Source>
struct MoveArguments {
  using Hash = typename Source::Key;

  PartBits bits;
  // Level 1 reads a column.
  JoinRows side;
  Source source;
  // Level 2 reads what level 1 wrote.
  const Hash* hashes_in = nullptr;
  const u32* rows_in = nullptr;
  const u32* group_begins = nullptr;
  const u32* group_counts = nullptr;
  const u32* group_tiles = nullptr;

  Hash* hashes = nullptr;
  u32* rows = nullptr;
  PartCursors cursors;  ///< for this level's bins
};

/// Threads to data: in level 1 thread blocks take tiles of kMoveRows rows in turn; in level 2 each
/// takes an equal number of consecutive tiles. Shared memory: shared_bytes().
/// Example with runs of 8: a bin has 5 rows left from earlier tiles, and this tile brings 14. Of
/// these 19 rows 16 are written, to a multiple of 8: the 5, then the first 11 of the tile. The last
/// 3 are kept for later tiles.
template <class Source, u32 kLevel>
struct MoveRows {
  static_assert(kLevel == 1 || kIsPlain<Source>, "what level 1 writes are hashes");
  using Arguments = MoveArguments<Source>;
  using Hash = typename Source::Key;
  using Stored = typename Source::Stored;
  static constexpr const char* kName =
      kLevel == 1 ? "moving rows to groups" : "moving rows to parts";
  static constexpr u32 kThreads = kMoveThreads;
  static constexpr u32 kBlocks = 2;
  static constexpr bool kWholeGrid = false;

  static constexpr u32 kRowBytes = sizeof(Hash) + sizeof(u32);

  /// How many bins this level tells apart: groups in level 1, the parts of one group in level 2.
  PRESSO_HD static constexpr u32 bins_of(PartBits bits) {
    return 1u << (kLevel == 1 ? bits.first : bits.second);
  }
  /// A staged tile, the remainders of all bins, six words for each bin, and sums of warps.
  PRESSO_HD static constexpr u32 shared_bytes(PartBits bits) {
    const u32 bins = bins_of(bits);
    const u32 words = 6 * bins + kMoveThreads / kWarpSize;
    return kRowBytes * (kMoveRows + bits.run * bins) + u32{sizeof(u32)} * words;
  }

  PRESSO_DEVICE static void run(const Arguments& to) {
    MoveRows work(to);
    work.clear();
    if constexpr (kLevel == 1) {
      const u64 step = u64{simt::grid_blocks()} * kMoveRows;
      work.move_tiles(simt::block_index() * u64{kMoveRows}, step, to.side.count);
      work.write_rest();
    } else {
      work.move_groups();
    }
  }

 private:
  /// Divides the shared memory.
  PRESSO_DEVICE explicit MoveRows(const Arguments& to) : to_(to), bins_(bins_of(to.bits)) {
    auto* const shared = simt::shared_memory();
    staged_hashes_ = reinterpret_cast<Hash*>(shared);
    rest_hashes_ = staged_hashes_ + kMoveRows;
    staged_rows_ = reinterpret_cast<u32*>(rest_hashes_ + run() * bins_);
    rest_rows_ = staged_rows_ + kMoveRows;
    counts_ = rest_rows_ + run() * bins_;
    begins_ = counts_ + bins_;
    ends_ = begins_ + bins_;
    places_ = ends_ + bins_;
    rests_ = places_ + bins_;
    written_rests_ = rests_ + bins_;
    of_warps_ = written_rests_ + bins_;
  }

  PRESSO_DEVICE u32 run() const { return to_.bits.run; }

  /// The bits of this level.
  PRESSO_DEVICE u32 bin_of(Hash hash) const {
    if constexpr (kLevel == 1) return upper_word(hash) >> (kWordBits - to_.bits.first);
    return upper_word(hash) >> (kWordBits - to_.bits.all()) & (bins_ - 1);
  }

  PRESSO_DEVICE void clear() {
    for (u32 bin = simt::thread_in_block(); bin < bins_; bin += kThreads) {
      counts_[bin] = 0;
      rests_[bin] = 0;
    }
    simt::block_sync();
  }

  /// Level 2: moves the tiles of this block, group by group.
  /// Bins belong to a group, so remainders are written whenever the block comes to another group.
  PRESSO_DEVICE void move_groups() {
    const u32 groups = to_.bits.groups();
    const u64 tiles = to_.group_tiles[groups];
    const u64 grid = simt::grid_blocks();
    const auto end = static_cast<u32>(tiles * (simt::block_index() + u64{1}) / grid);
    auto tile = static_cast<u32>(tiles * simt::block_index() / grid);
    if (tile >= end) return;
    u32 group = first_group(tile);
    for (; tile < end; ++group) {
      const u32 first_tile = to_.group_tiles[group];
      const u32 end_tile = to_.group_tiles[group + 1];
      if (tile >= end_tile) continue;
      const u64 begin = to_.group_begins[group];
      first_bin_ = group << to_.bits.second;
      const u64 of_group = begin + to_.group_counts[group];
      const u64 of_block = begin + u64{end - first_tile} * kMoveRows;
      move_tiles(begin + u64{tile - first_tile} * kMoveRows, kMoveRows,
                 of_group < of_block ? of_group : of_block);
      write_rest();
      tile = end < end_tile ? end : end_tile;
    }
  }

  /// Returns the group of a tile, by binary search.
  PRESSO_DEVICE u32 first_group(u32 tile) const {
    u32 first = 0, count = to_.bits.groups();
    while (count > 1) {
      const u32 half = count / 2;
      if (to_.group_tiles[first + half] <= tile) {
        first += half;
        count -= half;
      } else {
        count = half;
      }
    }
    return first;
  }

  /// Moves the tile at row `at`, and every `step` rows from there on, up to row `end`. Each tile:
  /// ranks within bins by shared atomics, reserve places, stage in the order of bins, load the next
  /// tile, write.
  /// Barriers: when all rows are counted, when places are known, and when the tile is staged; the
  /// next tile's loads are under way from before the last one.
  PRESSO_DEVICE void move_tiles(u64 at, u64 step, u64 end) {
    if (at >= end) return;
    Stored stored[kMoveItems];  // level 1: keys, of a tile that is under way
    u32 here = load(at, end, stored);
    for (;;) {
      Hash hashes[kMoveItems];
      here &= hash(stored, hashes);
      u32 rows[kMoveItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kMoveItems; ++item) {
        const u64 row = at + item * kThreads + simt::thread_in_block();
        rows[item] = static_cast<u32>(row);
        if (kLevel == 2 && (here >> item & 1) != 0) {
          rows[item] = simt::load_streaming(to_.rows_in + row);
        }
      }
      u32 ranks[kMoveItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kMoveItems; ++item) {
        ranks[item] = kNoRow;
        if ((here >> item & 1) == 0) continue;
        ranks[item] = simt::atomic_add(counts_ + bin_of(hashes[item]), 1);
      }
      simt::block_sync();
      const u32 staged = reserve();
      simt::block_sync();
      stage(hashes, rows, ranks);
      at += step;
      if (at < end) here = load(at, end, stored);
      write_rests();
      for (u32 bin = simt::thread_in_block(); bin < bins_; bin += kThreads) counts_[bin] = 0;
      simt::block_sync();
      write_staged(staged);
      if (at >= end) return;
    }
  }

  /// Loads a tile and returns which of its rows exist.
  PRESSO_DEVICE u32 load(u64 at, u64 end, Stored (&stored)[kMoveItems]) const {
    u32 here = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kMoveItems; ++item) {
      const u64 row = at + item * kThreads + simt::thread_in_block();
      bool is_row = row < end;
      if constexpr (kLevel == 1) is_row = takes_part(to_.side, row);
      stored[item] = 0;
      if (!is_row) continue;
      here |= 1u << item;
      if constexpr (kLevel == 1) {
        stored[item] = simt::load_streaming(static_cast<const Stored*>(to_.side.d_keys) + row);
      } else {
        stored[item] = simt::load_streaming(to_.hashes_in + row);
      }
    }
    return here;
  }

  /// Hashes what was loaded and returns which rows can have a match. It is apart from loading, so
  /// that nothing waits for a tile that is still being loaded.
  PRESSO_DEVICE u32 hash(const Stored (&stored)[kMoveItems], Hash (&hashes)[kMoveItems]) const {
    u32 convert = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kMoveItems; ++item) {
      convert |= static_cast<u32>(to_.source.convert(stored[item], hashes[item])) << item;
      if constexpr (kLevel == 1) hashes[item] = hash_key(hashes[item]);
    }
    return convert;
  }

  /// For each bin: decides where its rows of the tile are staged, how many of them are written
  /// together with the remainder of earlier tiles, and where to. Returns the rows of the tile.
  /// One atomic addition for each bin and tile, by the thread with the number of the bin.
  PRESSO_DEVICE u32 reserve() {
    const u32 bin = simt::thread_in_block();
    const u32 count = bin < bins_ ? counts_[bin] : 0;
    auto& of_warps = *reinterpret_cast<u32(*)[kMoveThreads / kWarpSize]>(of_warps_);
    const BlockPrefix prefix = block_prefix(of_warps, count);
    if (bin >= bins_) return prefix.all;
    const u32 rest = rests_[bin];
    const u32 ready = (rest + count) & ~(run() - 1);
    const u32 place =
        ready > 0 ? simt::atomic_add(to_.cursors.fronts + first_bin_ + bin, ready) : 0;
    begins_[bin] = prefix.before;
    ends_[bin] = prefix.before + ready - rest;  // wraps where nothing is written
    places_[bin] = place + rest - prefix.before;
    written_rests_[bin] = ready > 0 ? rest : 0;
    rests_[bin] = rest + count - ready;
    return prefix.all;
  }

  /// Puts the tile's rows into shared memory in the order of bins.
  PRESSO_DEVICE void stage(const Hash (&hashes)[kMoveItems], const u32 (&rows)[kMoveItems],
                           const u32 (&ranks)[kMoveItems]) {
    PRESSO_UNROLL
    for (u32 item = 0; item < kMoveItems; ++item) {
      if (ranks[item] == kNoRow) continue;
      const u32 staged = begins_[bin_of(hashes[item])] + ranks[item];
      staged_hashes_[staged] = hashes[item];
      staged_rows_[staged] = rows[item];
    }
  }

  /// Writes the remainders of earlier tiles, for bins that are written now.
  PRESSO_DEVICE void write_rests() {
    for (u32 i = simt::thread_in_block(); i < run() * bins_; i += kThreads) {
      const u32 bin = i / run(), of_bin = i & (run() - 1);
      if (of_bin >= written_rests_[bin]) continue;
      const u32 to = places_[bin] + begins_[bin] - written_rests_[bin] + of_bin;
      to_.hashes[to] = rest_hashes_[i];
      to_.rows[to] = rest_rows_[i];
    }
  }

  /// Writes the staged rows that complete runs; the others become the new remainder.
  /// Neighbouring threads write neighbouring rows of a bin, since the tile is staged in the order
  /// of bins.
  PRESSO_DEVICE void write_staged(u32 rows) {
    for (u32 i = simt::thread_in_block(); i < rows; i += kThreads) {
      const Hash hash = staged_hashes_[i];
      const u32 bin = bin_of(hash);
      const auto behind = static_cast<std::int32_t>(i - ends_[bin]);
      if (behind < 0) {
        to_.hashes[places_[bin] + i] = hash;
        to_.rows[places_[bin] + i] = staged_rows_[i];
      } else {
        rest_hashes_[bin * run() + static_cast<u32>(behind)] = hash;
        rest_rows_[bin * run() + static_cast<u32>(behind)] = staged_rows_[i];
      }
    }
  }

  /// Writes all remainders to the ends of their parts.
  PRESSO_DEVICE void write_rest() {
    simt::block_sync();
    for (u32 bin = simt::thread_in_block(); bin < bins_; bin += kThreads) {
      const u32 rest = rests_[bin];
      rests_[bin] = 0;
      if (rest == 0) continue;
      const u32 place = simt::atomic_add(to_.cursors.backs + first_bin_ + bin, 0u - rest) - rest;
      for (u32 i = 0; i < rest; ++i) {
        to_.hashes[place + i] = rest_hashes_[bin * run() + i];
        to_.rows[place + i] = rest_rows_[bin * run() + i];
      }
    }
    simt::block_sync();
  }

  const Arguments& to_;
  u32 bins_;
  u32 first_bin_ = 0;
  Hash* staged_hashes_;
  Hash* rest_hashes_;  ///< remainders, run() for each bin
  u32* staged_rows_;
  u32* rest_rows_;
  u32* counts_;
  u32* begins_;  ///< where the bin's rows are staged
  u32* ends_;    ///< staged rows before this one are written
  u32* places_;  ///< added to a staged row's index it gives the row's place
  u32* rests_;
  u32* written_rests_;
  u32* of_warps_;
};

}  // namespace presso::gpu

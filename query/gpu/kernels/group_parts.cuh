// SPDX-License-Identifier: MIT
// Groups of rows that a pipeline has written (GroupPlace::kParts):
//
//   CountGroupParts   rows of each part: reads keys once
//   PlaceGroupParts   where parts and their tiles begin; whether one has too many rows
//   MoveGroupRows     level 1: to bundles of parts, level 2: to parts. A thread block orders a tile
//                     of rows by where they go in shared memory, so that runs of rows are written
//   SumGroupParts     adds up a part's groups in shared memory, and lists them
//
// A part's groups mostly fit. Where they do not, the part is gone through once for each value of
// the hash's next bit, of the next two, and so on, until they do: nothing has been listed by then.
// All arrays have one word a row each, so that neighbouring lanes read and write neighbours; a run
// of 32 rows in 256 bundles is whole sectors but for its ends, which the cache puts together.
// Tests: tests/simt/group_parts_test.cpp, in the emulator.
#pragma once

#include "decompress/columns/gpu/lane_values.cuh"
#include "decompress/gpu/bit/block_prefix.cuh"
#include "query/gpu/join/key_hash.cuh"
#include "query/gpu/kernels/common_cells.cuh"
#include "query/gpu/kernels/group_part_plan.h"

namespace presso::gpu {

PRESSO_DEVICE u32 part_of_hash(const PartedRows& of, u64 hash) {
  return upper_word(hash) >> (kWordBits - of.bits());
}
PRESSO_DEVICE u64 key_of_row(void* const* arrays, u32 row) {
  return simt::load_streaming(static_cast<const u64*>(arrays[kKeyArray]) + row);
}
/// Whether the query has to begin again.
PRESSO_DEVICE bool is_given_up(const PartedRows& of) {
  return *static_cast<const volatile u64*>(of.fault) != 0;
}

/// Threads to data: thread blocks share tiles of kThreads times kItems rows. Shared memory: a word
/// for each part.
template <u32 kThreadsOfBlock>
struct CountGroupParts {
  using Arguments = PartedRows;
  static constexpr const char* kName = "counting rows of groups' parts";
  static constexpr u32 kThreads = kThreadsOfBlock;
  static constexpr u32 kBlocks = 1;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kItems = 8;
  static constexpr u32 kTile = kThreads * kItems;

  PRESSO_HD static constexpr u32 shared_bytes(const Arguments& of) {
    return of.parts() * u32{sizeof(u32)};
  }

  PRESSO_DEVICE static void run(const Arguments& of) {
    u32* const counts = reinterpret_cast<u32*>(simt::shared_memory());
    for (u32 i = simt::thread_in_block(); i < of.parts(); i += kThreads) counts[i] = 0;
    simt::block_sync();
    for (u64 at = u64{simt::block_index()} * kTile; at < of.rows;
         at += u64{simt::grid_blocks()} * kTile) {
      count_tile(of, static_cast<u32>(at), counts);
    }
    simt::block_sync();
    for (u32 i = simt::thread_in_block(); i < of.parts(); i += kThreads) {
      if (counts[i] != 0) simt::atomic_add(of.part_cursors + i, counts[i]);
    }
  }

 private:
  PRESSO_DEVICE static void count_tile(const Arguments& of, u32 at, u32* counts) {
    u64 keys[kItems];
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      const u32 row = at + item * kThreads + simt::thread_in_block();
      keys[item] = row < of.rows ? key_of_row(of.rows_of, row) : 0;
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      const u32 row = at + item * kThreads + simt::thread_in_block();
      if (row < of.rows) simt::atomic_add(counts + part_of_hash(of, hash_key(keys[item])), 1);
    }
  }
};

/// By one thread block. Shared memory: two words a warp. `kTile`: rows of a tile of level 2.
template <u32 kThreadsOfBlock, u32 kTile>
struct PlaceGroupParts {
  using Arguments = PartedRows;
  static constexpr const char* kName = "placing groups' parts";
  static constexpr u32 kThreads = kThreadsOfBlock;
  static constexpr u32 kBlocks = 1;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kWarps = kThreads / simt::kWarpSize;
  static constexpr u32 kSharedBytes = kWarps * u32{sizeof(u32)};

  PRESSO_DEVICE static void run(const Arguments& of) {
    auto& of_warps = *reinterpret_cast<u32(*)[kWarps]>(simt::shared_memory());
    u32 rows = 0;
    for (u32 first = 0; first < of.parts(); first += kThreads) {
      const u32 part = first + simt::thread_in_block();
      const u32 count = part < of.parts() ? of.part_cursors[part] : 0;
      const BlockPrefix row = block_prefix(of_warps, count);
      if (part < of.parts()) {
        of.begins[part] = rows + row.before;
        of.part_cursors[part] = rows + row.before;
      }
      if (count > of.most_part_rows) *of.fault = kTableIsFull;
      rows += row.all;
      simt::block_sync();
    }
    if (simt::thread_in_block() == 0) of.begins[of.parts()] = rows;
    simt::block_sync();
    u32 tiles = 0;
    for (u32 first = 0; first < of.bundles(); first += kThreads) {
      const u32 bundle = first + simt::thread_in_block();
      const bool is_bundle = bundle < of.bundles();
      const u32 begin = is_bundle ? of.begins[bundle << of.second_bits] : 0;
      const u32 end = is_bundle ? of.begins[(bundle + 1) << of.second_bits] : 0;
      const BlockPrefix tile = block_prefix(of_warps, (end - begin + kTile - 1) / kTile);
      if (is_bundle) {
        of.bundle_cursors[bundle] = begin;
        of.bundle_tiles[bundle] = tiles + tile.before;
      }
      tiles += tile.all;
      simt::block_sync();
    }
    if (simt::thread_in_block() == 0) of.bundle_tiles[of.bundles()] = tiles;
  }
};

struct MoveGroupRowsArguments {
  PartedRows of;
  u32 level = 1;  ///< 1: from rows_of to bundles_of; 2: back again
};

/// Threads to data: thread blocks take tiles in turns; a thread has kItems rows of a tile. Shared
/// memory: a tile's values of one array, where each of its rows goes, and words for each bin, which
/// is a bundle, or a part of one.
template <u32 kThreadsOfBlock, u32 kItemsOfThread>
struct MoveGroupRows {
  using Arguments = MoveGroupRowsArguments;
  static constexpr const char* kName = "moving rows to groups' parts";
  static constexpr u32 kThreads = kThreadsOfBlock;
  static constexpr u32 kBlocks = 2;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kWarps = kThreads / simt::kWarpSize;
  static constexpr u32 kItems = kItemsOfThread;
  static constexpr u32 kTile = kThreads * kItems;
  static_assert(kTile <= 1u << 16);

  PRESSO_HD static constexpr u32 bins_of(const Arguments& to) {
    return 1u << (to.level == 1 ? to.of.first_bits : to.of.second_bits);
  }
  PRESSO_HD static constexpr u32 shared_bytes(const Arguments& to) {
    return kTile * u32{sizeof(u64) + sizeof(u32)} + (3 * bins_of(to) + kWarps) * u32{sizeof(u32)};
  }

  PRESSO_DEVICE static void run(const Arguments& to) {
    if (is_given_up(to.of)) return;
    const MoveGroupRows work(to);
    if (to.level == 1) {
      for (u64 at = u64{simt::block_index()} * kTile; at < to.of.rows;
           at += u64{simt::grid_blocks()} * kTile) {
        work.move_tile(static_cast<u32>(at), to.of.rows, to.of.bundle_cursors);
      }
      return;
    }
    const u32 tiles = to.of.bundle_tiles[to.of.bundles()];
    for (u32 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      const u32 bundle = work.bundle_of(tile);
      const u32 first_part = bundle << to.of.second_bits;
      const u32 at = to.of.begins[first_part] + (tile - to.of.bundle_tiles[bundle]) * kTile;
      const u32 end = to.of.begins[first_part + work.bins_];
      work.move_tile(at, end, to.of.part_cursors + first_part);
    }
  }

 private:
  PRESSO_DEVICE explicit MoveGroupRows(const Arguments& to) : to_(to), bins_(bins_of(to)) {
    staged_ = reinterpret_cast<u64*>(simt::shared_memory());
    targets_ = reinterpret_cast<u32*>(staged_ + kTile);
    counts_ = targets_ + kTile;
    begins_ = counts_ + bins_;
    places_ = begins_ + bins_;
    of_warps_ = places_ + bins_;
  }

  PRESSO_DEVICE void* const* from() const {
    return to_.level == 1 ? to_.of.rows_of : to_.of.bundles_of;
  }
  PRESSO_DEVICE void* const* target() const {
    return to_.level == 1 ? to_.of.bundles_of : to_.of.rows_of;
  }
  PRESSO_DEVICE u32 bin_of(u64 key) const {
    const u32 part = part_of_hash(to_.of, hash_key(key));
    return to_.level == 1 ? part >> to_.of.second_bits : part & (bins_ - 1);
  }

  /// The last bundle whose tiles begin at this one or before: those before it have none of it.
  PRESSO_DEVICE u32 bundle_of(u32 tile) const {
    u32 first = 0;
    for (u32 count = to_.of.bundles(); count > 1;) {
      const u32 half = count / 2;
      if (to_.of.bundle_tiles[first + half] <= tile) {
        first += half;
        count -= half;
      } else {
        count = half;
      }
    }
    return first;
  }

  /// Rows [at, end), at most kTile of them.
  PRESSO_DEVICE void move_tile(u32 at, u32 end, u32* cursors) const {
    const u32 rows = end - at < kTile ? end - at : kTile;
    for (u32 bin = simt::thread_in_block(); bin < bins_; bin += kThreads) counts_[bin] = 0;
    simt::block_sync();
    u32 places[kItems];
    rank(at, rows, places);
    simt::block_sync();
    reserve(cursors);
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if (!has(item, rows)) continue;
      const u32 bin = places[item] >> 16;
      places[item] = begins_[bin] + (places[item] & 0xFFFF);
      targets_[places[item]] = places_[bin] + places[item];
    }
    for (u32 array = 0; array < to_.of.arrays; ++array) {
      if (to_.of.is_wide(array)) {
        move_array<u64>(array, at, rows, places);
      } else {
        move_array<u32>(array, at, rows, places);
      }
    }
  }

  PRESSO_DEVICE static bool has(u32 item, u32 rows) {
    return item * kThreads + simt::thread_in_block() < rows;
  }

  /// Each row's bin, and its number among those of its bin, behind it.
  PRESSO_DEVICE void rank(u32 at, u32 rows, u32 (&places)[kItems]) const {
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      places[item] = 0;
      if (!has(item, rows)) continue;
      places[item] = bin_of(key_of_row(from(), at + item * kThreads + simt::thread_in_block()));
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if (!has(item, rows)) continue;
      const u32 bin = places[item];
      places[item] = bin << 16 | simt::atomic_add(counts_ + bin, 1);
    }
  }

  /// For each bin: where its rows are staged, and what is added to have where they go.
  PRESSO_DEVICE void reserve(u32* cursors) const {
    auto& of_warps = *reinterpret_cast<u32(*)[kWarps]>(of_warps_);
    u32 before = 0;
    for (u32 first = 0; first < bins_; first += kThreads) {
      const u32 bin = first + simt::thread_in_block();
      const u32 count = bin < bins_ ? counts_[bin] : 0;
      const BlockPrefix prefix = block_prefix(of_warps, count);
      if (bin < bins_) {
        begins_[bin] = before + prefix.before;
        places_[bin] =
            (count != 0 ? simt::atomic_add(cursors + bin, count) : 0) - before - prefix.before;
      }
      before += prefix.all;
      simt::block_sync();
    }
  }

  template <class Word>
  PRESSO_DEVICE void move_array(u32 array, u32 at, u32 rows, const u32 (&places)[kItems]) const {
    const auto* const source = static_cast<const Word*>(from()[array]) + at;
    auto* const to = static_cast<Word*>(target()[array]);
    auto* const staged = reinterpret_cast<Word*>(staged_);
    Word values[kItems] = {};
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if (!has(item, rows)) continue;
      values[item] = simt::load_streaming(source + item * kThreads + simt::thread_in_block());
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if (has(item, rows)) staged[places[item]] = values[item];
    }
    simt::block_sync();
    for (u32 i = simt::thread_in_block(); i < rows; i += kThreads) to[targets_[i]] = staged[i];
    simt::block_sync();
  }

  const Arguments& to_;
  u32 bins_;
  u64* staged_;
  u32* targets_;  ///< of staged rows
  u32* counts_;
  u32* begins_;
  u32* places_;
  u32* of_warps_;
};

/// Threads to data: a thread block takes part after part, a thread kItems rows of it at a time.
/// Shared memory: keys, orders and cells of as many groups as there are places, and one more.
template <u32 kThreadsOfBlock>
struct SumGroupParts {
  using Arguments = PartedRows;
  static constexpr const char* kName = "adding up groups of parts";
  static constexpr u32 kThreads = kThreadsOfBlock;
  static constexpr u32 kBlocks = 2;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kWarps = kThreads / simt::kWarpSize;
  static constexpr u32 kItems = 4;
  /// Of places after each other that a key may look at.
  static constexpr u32 kMostProbes = 64;
  static constexpr u32 kLeastPlaces = simt::kWarpSize;

  struct Shared {
    u64 begin;  ///< of the records of this part
    u32 is_full;
    u32 of_warps[kWarps];
    u32 listed[kWarps][simt::kWarpSize];  ///< places of groups that a warp writes together
  };
  static constexpr u32 kTableAt = (sizeof(Shared) + 15) / 16 * 16;

  PRESSO_HD static constexpr u32 shared_bytes(const Arguments& of) {
    return kTableAt + (of.table_places + 1) * (2u + of.cells) * u32{sizeof(u64)};
  }

  PRESSO_DEVICE static void run(const Arguments& of) {
    if (is_given_up(of)) return;
    SumGroupParts work(of);
    for (u32 part = simt::block_index(); part < of.parts(); part += simt::grid_blocks()) {
      work.sum_part(of.begins[part], of.begins[part + 1]);
    }
  }

 private:
  PRESSO_DEVICE explicit SumGroupParts(const Arguments& of)
      : of_(of),
        shared_(*reinterpret_cast<Shared*>(simt::shared_memory())),
        table_(reinterpret_cast<u64*>(simt::shared_memory() + kTableAt)),
        has_wide_order_(of.is_wide(kOrderArray)) {}

  // Of the group at a place: that of kNoKey is behind all others.
  PRESSO_DEVICE u64* key(u32 place) const { return table_ + place; }
  PRESSO_DEVICE u64* cell(u32 i, u32 place) const {
    return table_ + (1 + i) * (places_ + 1) + place;
  }
  /// Where orders have 64 bits.
  PRESSO_DEVICE u64* order(u32 place) const { return cell(of_.cells, place); }
  /// Where they have 32, for which there is an atomic minimum in shared memory.
  PRESSO_DEVICE u32* narrow_order(u32 place) const {
    return reinterpret_cast<u32*>(cell(of_.cells, 0)) + place;
  }
  static constexpr u32 kNoNarrowRow = ~u32{0};

  PRESSO_DEVICE u64 order_of(u32 place) const {
    if (has_wide_order_) return *order(place);
    const u32 row = *narrow_order(place);
    return row == kNoNarrowRow ? kNoRowYet : row;
  }

  /// Rows [begin, end), by as many of the hash's next bits as are needed.
  PRESSO_DEVICE void sum_part(u32 begin, u32 end) {
    if (begin == end) return;
    // A table that is half empty at least, and no larger than it has to be.
    const u32 wanted = end - begin < of_.table_places / 2 ? 2 * (end - begin) : of_.table_places;
    places_ = wanted < kLeastPlaces && kLeastPlaces < of_.table_places ? kLeastPlaces : wanted;
    bits_ = 0;
    u64 value = 0;
    for (;;) {
      clear();
      simt::block_sync();
      add_rows(begin, end, value);
      simt::block_sync();
      if (shared_.is_full != 0) {
        ++bits_;
        value *= 2;
        simt::block_sync();  // all have seen it
        continue;
      }
      list();
      ++value;
      // Both halves are done, and so are those of which they are one.
      for (; bits_ != 0 && value % 2 == 0; value /= 2) --bits_;
      if (bits_ == 0) return;
    }
  }

  PRESSO_DEVICE void clear() const {
    if (simt::thread_in_block() == 0) shared_.is_full = 0;
    for (u32 place = simt::thread_in_block(); place <= places_; place += kThreads) {
      *key(place) = kNoKey;
      if (has_wide_order_) {
        *order(place) = kNoRowYet;
      } else {
        *narrow_order(place) = kNoNarrowRow;
      }
      for (u32 i = 0; i < of_.cells; ++i) *cell(i, place) = initial_cell(of_.cell[i].kind);
    }
  }

  /// Whether the bits behind the part's have this value.
  PRESSO_DEVICE bool is_of(u64 hash, u64 value) const {
    return bits_ == 0 || hash << of_.bits() >> (64 - bits_) == value;
  }

  PRESSO_DEVICE void add_rows(u32 begin, u32 end, u64 value) const {
    const u32 step = kThreads * kItems;
    for (u32 at = begin + simt::thread_in_block(); at < end; at += step) {
      u64 keys[kItems];
      u64 orders[kItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kItems; ++item) {
        const u32 row = at + item * kThreads;
        keys[item] = row < end ? key_of_row(of_.rows_of, row) : 0;
        orders[item] = row < end ? word(kOrderArray, row) : 0;
      }
      u32 places[kItems] = {};
      u32 there = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kItems; ++item) {
        const u64 hash = hash_key(keys[item]);
        if (at + item * kThreads >= end || !is_of(hash, value)) continue;
        places[item] = simt::multiply_high(static_cast<u32>(hash), places_);
        there |= 1u << item;
      }
      if (!find_places(keys, there, places)) {
        shared_.is_full = 1;
        return;
      }
      PRESSO_UNROLL
      for (u32 item = 0; item < kItems; ++item) {
        if ((there >> item & 1) == 0) continue;
        if (has_wide_order_) {
          lower_first_row(order(places[item]), orders[item]);
        } else {
          lower_first_row(narrow_order(places[item]), static_cast<u32>(orders[item]));
        }
      }
      for (u32 i = 0; i < of_.cells; ++i) add_to_cell(i, at, there, places);
    }
  }

  /// The places of the keys of those items, each from where it is looked for first. False: one has
  /// none. Items go from place to place together, as each waits for what is at its own.
  PRESSO_DEVICE bool find_places(const u64 (&keys)[kItems], u32 items,
                                 u32 (&places)[kItems]) const {
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if ((items >> item & 1) == 0 || keys[item] != kNoKey) continue;
      places[item] = places_;
      items &= ~(1u << item);
    }
    for (u32 probe = 0; items != 0; ++probe) {
      if (probe == kMostProbes || probe == places_) return false;
      u64 found[kItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kItems; ++item) {
        found[item] = (items >> item & 1) != 0 ? *static_cast<volatile u64*>(key(places[item])) : 0;
      }
      PRESSO_UNROLL
      for (u32 item = 0; item < kItems; ++item) {
        if ((items >> item & 1) == 0 || found[item] != kNoKey) continue;
        found[item] = simt::atomic_cas(key(places[item]), kNoKey, keys[item]);
      }
      PRESSO_UNROLL
      for (u32 item = 0; item < kItems; ++item) {
        if ((items >> item & 1) == 0) continue;
        if (found[item] == kNoKey || found[item] == keys[item]) {
          items &= ~(1u << item);
        } else {
          places[item] = places[item] + 1 < places_ ? places[item] + 1 : 0;
        }
      }
    }
    return true;
  }

  PRESSO_DEVICE u64 word(u32 array, u32 row) const {
    const void* const from = of_.rows_of[array];
    if (of_.is_wide(array)) return simt::load_streaming(static_cast<const u64*>(from) + row);
    return static_cast<u64>(
        std::int64_t{simt::load_streaming(static_cast<const std::int32_t*>(from) + row)});
  }

  PRESSO_DEVICE void add_to_cell(u32 i, u32 at, u32 there, const u32 (&places)[kItems]) const {
    const PartCell what = of_.cell[i];
    u64 values[kItems] = {};
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if ((there >> item & 1) == 0) continue;
      values[item] = what.array == 0 ? 1 : word(what.array, at + item * kThreads);
    }
    using Kind = PipelineCell::Kind;
    if (what.kind != Kind::kMin && what.kind != Kind::kMax) {
      add_to_sums(i, there, places, values);
      return;
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if ((there >> item & 1) == 0) continue;
      u64* const to = cell(i, places[item]);
      if (what.kind == Kind::kMin) {
        simt::atomic_min(to, values[item]);
      } else {
        simt::atomic_max(to, values[item]);
      }
    }
  }

  /// As add_in_halves(), the lower halves of all items before the upper ones.
  PRESSO_DEVICE void add_to_sums(u32 i, u32 there, const u32 (&places)[kItems],
                                 const u64 (&values)[kItems]) const {
    u32 before[kItems] = {};
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if ((there >> item & 1) == 0) continue;
      auto* const halves = reinterpret_cast<u32*>(cell(i, places[item]));
      before[item] = simt::atomic_add(halves, static_cast<u32>(values[item]));
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if ((there >> item & 1) == 0) continue;
      const u32 sum = before[item] + static_cast<u32>(values[item]);
      const u32 high = static_cast<u32>(values[item] >> kWordBits) + (sum < before[item] ? 1 : 0);
      if (high == 0) continue;
      simt::atomic_add(reinterpret_cast<u32*>(cell(i, places[item])) + 1, high);
    }
  }

  /// Writes the groups' records, a warp's side by side.
  PRESSO_DEVICE void list() const {
    const u32 of_warp = (places_ + 1 + kWarps - 1) / kWarps;
    const u32 first = simt::warp_in_block() * of_warp;
    const u32 end = first + of_warp < places_ + 1 ? first + of_warp : places_ + 1;
    u32 count = 0;
    for (u32 from = first; from < end; from += simt::kWarpSize) {
      count += simt::popcount(simt::ballot(has_group(from + simt::lane(), end)));
    }
    const BlockPrefix prefix = block_prefix(shared_.of_warps, simt::lane() == 0 ? count : 0);
    if (simt::thread_in_block() == 0) {
      shared_.begin = simt::atomic_add(of_.record_count, u64{prefix.all});
    }
    simt::block_sync();
    u64 begin = shared_.begin + simt::shuffle(prefix.before, 0);
    u32* const listed = shared_.listed[simt::warp_in_block()];
    for (u32 from = first; from < end; from += simt::kWarpSize) {
      const u32 place = from + simt::lane();
      const bool is_group = has_group(place, end);
      const u32 groups = simt::ballot(is_group);
      if (is_group) listed[simt::popcount(groups & lanes_below())] = place;
      simt::warp_sync();
      write_records(begin, listed, simt::popcount(groups));
      simt::warp_sync();
      begin += simt::popcount(groups);
    }
    simt::block_sync();  // the table may be cleared
  }
  PRESSO_DEVICE bool has_group(u32 place, u32 end) const {
    return place < end && order_of(place) != kNoRowYet;
  }
  /// Of the groups at `count` places, by a warp; neighbouring lanes write neighbouring words.
  PRESSO_DEVICE void write_records(u64 number, const u32* places, u32 count) const {
    const u32 words = kGroupCells + of_.cells + 1u;
    u64* const to = of_.records + number * words;
    for (u32 i = simt::lane(); i < count * words; i += simt::kWarpSize) {
      const u32 place = places[i / words];
      const u32 word = i % words;
      to[i] = word == 0                         ? order_of(place)
              : word == kGroupCells + of_.cells ? *key(place)
                                                : *cell(word - kGroupCells, place);
    }
  }

  const Arguments& of_;
  Shared& shared_;
  u64* table_;
  bool has_wide_order_;
  u32 places_ = 0;
  u32 bits_ = 0;  ///< behind the part's, that tell which rows it is now
};

}  // namespace presso::gpu

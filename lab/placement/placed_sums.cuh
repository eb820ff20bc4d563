// SPDX-License-Identifier: MIT
// Counts and sums of groups in shared memory, and sums over a foreign key, by columns that say
// which slot of a table each row goes to: codes as they are, or as placement.h has placed them.
//
//   SumByGroup    select a, count(*), sum(v), and the first row of each group, which orders them
//                 (S3.1, S3.5)
//   SumOfLookups  select sum(d.b) from f, d where f.a = d.a (S3.4)
//
// Cells of a group are laid out in one of two ways:
//
//   BlockCells    as queries have them (query/gpu/kernels/common_cells.cuh): words of 64 bits, by
//                 two additions of 32 to neighbouring words, so that cells of 16 groups are in
//                 different banks
//   SplitCells    the halves are arrays of their own, so that cells of 32 slots with different
//                 numbers modulo 32 are in different banks
//
// Threads to data: a warp's lanes have 32 neighbouring rows, the chunk of placement.h. Thread
// blocks take ranges of rows. Tests: tests/simt/placed_sums_test.cpp.
#pragma once

#include "decompress/gpu/simt/global_memory.h"

namespace presso::gpu {

using simt::kWordBits;

inline constexpr u32 kPlacedThreads = 1024;
inline constexpr u32 kPlacedItems = 4;  ///< rows of a thread that are on their way at once

/// Device memory of a group each.
struct GroupSums {
  u64* first_rows = nullptr;  ///< before: all bits set
  u64* counts = nullptr;      ///< before: 0
  u64* sums = nullptr;        ///< before: 0
};

struct PlacedSumArguments {
  const std::uint16_t* slots_of_rows = nullptr;
  const u32* values = nullptr;
  u32 rows = 0;
  u32 range_rows = kPlacedThreads;  ///< a multiple of kPlacedThreads
  u32 slots = 0;
  u32 groups = 0;                           ///< the first slots are theirs
  const std::uint16_t* items_of = nullptr;  ///< of slots: a group, or 0xFFFF; null: no copies
  GroupSums out;
};

/// Adds to 64 bits in two words of shared memory, to the upper one where there is something to add.
PRESSO_DEVICE void add_to_words(u32* low, u32* high, u64 value) {
  const u32 lower = static_cast<u32>(value);
  const u32 before = simt::atomic_add(low, lower);
  const u32 carry = before + lower < before ? 1 : 0;
  const u32 upper = static_cast<u32>(value >> kWordBits) + carry;
  if (upper != 0) simt::atomic_add(high, upper);
}

/// Lowers a cell that others lower as well.
template <class Row>
PRESSO_DEVICE void lower_row(Row* cell, Row row) {
  // A stale row is greater than the cell's: at worst the atomic is asked for in vain.
  if (*static_cast<volatile Row*>(cell) > row) simt::atomic_min(cell, row);
}

class BlockCells {
 public:
  PRESSO_HD static constexpr u32 bytes(u32 slots) { return 3 * slots * u32{sizeof(u64)}; }
  PRESSO_DEVICE BlockCells(Byte* memory, u32 slots)
      : cells_(reinterpret_cast<u64*>(memory)), slots_(slots) {}

  PRESSO_DEVICE void clear(u32 slot) const {
    cells_[slot] = ~u64{0};
    cells_[slots_ + slot] = 0;
    cells_[2 * slots_ + slot] = 0;
  }
  PRESSO_DEVICE void add(u32 slot, u32 row, u32 value) const { add(slot, row, 1, value); }
  /// Adds what a copy has to the slot that the group began with.
  PRESSO_DEVICE void give(u32 copy, u32 slot) const {
    if (count(copy) != 0) add(slot, first_row(copy), count(copy), sum(copy));
  }
  PRESSO_DEVICE u64 first_row(u32 slot) const { return cells_[slot]; }
  PRESSO_DEVICE u64 count(u32 slot) const { return cells_[slots_ + slot]; }
  PRESSO_DEVICE u64 sum(u32 slot) const { return cells_[2 * slots_ + slot]; }

 private:
  PRESSO_DEVICE void add(u32 slot, u64 row, u64 count, u64 value) const {
    lower_row(cells_ + slot, row);
    auto* const words = reinterpret_cast<u32*>(cells_ + slots_ + slot);
    add_to_words(words, words + 1, count);
    add_to_words(words + 2 * slots_, words + 2 * slots_ + 1, value);
  }

  u64* cells_;
  u32 slots_;
};

/// A thread block has less than 2^32 rows, so that a count is one word, and so is a first row.
class SplitCells {
 public:
  PRESSO_HD static constexpr u32 bytes(u32 slots) { return 4 * slots * u32{sizeof(u32)}; }
  PRESSO_DEVICE SplitCells(Byte* memory, u32 slots)
      : first_rows_(reinterpret_cast<u32*>(memory)),
        counts_(first_rows_ + slots),
        lows_(counts_ + slots),
        highs_(lows_ + slots) {}

  PRESSO_DEVICE void clear(u32 slot) const {
    first_rows_[slot] = ~u32{0};
    counts_[slot] = 0;
    lows_[slot] = 0;
    highs_[slot] = 0;
  }
  PRESSO_DEVICE void add(u32 slot, u32 row, u32 value) const { add(slot, row, 1, value); }
  PRESSO_DEVICE void give(u32 copy, u32 slot) const {
    if (counts_[copy] != 0) add(slot, first_rows_[copy], counts_[copy], sum(copy));
  }
  PRESSO_DEVICE u64 first_row(u32 slot) const { return first_rows_[slot]; }
  PRESSO_DEVICE u64 count(u32 slot) const { return counts_[slot]; }
  PRESSO_DEVICE u64 sum(u32 slot) const { return u64{highs_[slot]} << kWordBits | lows_[slot]; }

 private:
  PRESSO_DEVICE void add(u32 slot, u32 row, u32 count, u64 value) const {
    lower_row(first_rows_ + slot, row);
    simt::atomic_add(counts_ + slot, count);
    add_to_words(lows_ + slot, highs_ + slot, value);
  }

  u32* first_rows_;
  u32* counts_;
  u32* lows_;
  u32* highs_;
};

/// Calls each(slot, row, value) for the rows of this thread block's ranges, by all its threads: a
/// step gives each warp one chunk. Without kValues values are 0. What several steps need is on its
/// way before the first one is made.
template <bool kValues, class Each>
PRESSO_DEVICE void for_rows_of_block(const std::uint16_t* slots_of_rows, const u32* values,
                                     u32 rows, u32 range_rows, const Each& each) {
  const u64 step = u64{simt::grid_blocks()} * range_rows;
  for (u64 first = u64{simt::block_index()} * range_rows; first < rows; first += step) {
    const u64 end = first + range_rows < rows ? first + range_rows : rows;
    for (u64 at = first + simt::thread_in_block(); at < end; at += kPlacedItems * kPlacedThreads) {
      u32 slot[kPlacedItems], value[kPlacedItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kPlacedItems; ++item) {
        const u64 row = at + item * kPlacedThreads;
        slot[item] = row < end ? simt::load_streaming(slots_of_rows + row) : 0;
        value[item] = kValues && row < end ? simt::load_streaming(values + row) : 0;
      }
      PRESSO_UNROLL
      for (u32 item = 0; item < kPlacedItems; ++item) {
        const u64 row = at + item * kPlacedThreads;
        if (row < end) each(slot[item], static_cast<u32>(row), value[item]);
      }
    }
  }
}

/// Shared memory: Cells::bytes(slots).
template <class Cells>
struct SumByGroup {
  using Arguments = PlacedSumArguments;
  static constexpr const char* kName = "summing by group in shared memory";
  static constexpr u32 kThreads = kPlacedThreads;
  static constexpr u32 kBlocks = 1;
  static constexpr bool kWholeGrid = false;

  PRESSO_DEVICE static void run(const Arguments& to) {
    const Cells cells(simt::shared_memory(), to.slots);
    for (u32 i = simt::thread_in_block(); i < to.slots; i += kThreads) cells.clear(i);
    simt::block_sync();
    for_rows_of_block<true>(to.slots_of_rows, to.values, to.rows, to.range_rows,
                            [&](u32 slot, u32 row, u32 value) { cells.add(slot, row, value); });
    simt::block_sync();
    if (to.items_of != nullptr) {
      for (u32 i = to.groups + simt::thread_in_block(); i < to.slots; i += kThreads) {
        const u32 group = simt::load_readonly(to.items_of + i);
        if (group < to.groups) cells.give(i, group);
      }
      simt::block_sync();
    }
    for (u32 group = simt::thread_in_block(); group < to.groups; group += kThreads) {
      if (cells.count(group) == 0) continue;
      simt::atomic_min(to.out.first_rows + group, cells.first_row(group));
      simt::atomic_add(to.out.counts + group, cells.count(group));
      simt::atomic_add(to.out.sums + group, cells.sum(group));
    }
  }
};

struct PlacedLookupArguments {
  const std::uint16_t* slots_of_rows = nullptr;
  u32 rows = 0;
  u32 range_rows = kPlacedThreads;  ///< a multiple of kPlacedThreads
  u32 slots = 0;
  u32 items = 0;                            ///< of the dimension
  const u32* values = nullptr;              ///< of items
  const std::uint16_t* items_of = nullptr;  ///< of slots: an item, or 0xFFFF; null: no copies
  u64* sum = nullptr;                       ///< before: 0
};

/// The dimension's values are an array in shared memory: codes are its indices. Shared memory:
/// a word a slot.
struct SumOfLookups {
  using Arguments = PlacedLookupArguments;
  static constexpr const char* kName = "summing values that rows refer to";
  static constexpr u32 kThreads = kPlacedThreads;
  static constexpr u32 kBlocks = 1;
  static constexpr bool kWholeGrid = false;

  PRESSO_HD static constexpr u32 shared_bytes(u32 slots) { return slots * u32{sizeof(u32)}; }

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto* const table = reinterpret_cast<u32*>(simt::shared_memory());
    for (u32 i = simt::thread_in_block(); i < to.slots; i += kThreads) {
      const u32 item = to.items_of == nullptr ? i : simt::load_readonly(to.items_of + i);
      table[i] = item < to.items ? simt::load_readonly(to.values + item) : 0;
    }
    simt::block_sync();
    u64 sum = 0;
    for_rows_of_block<false>(to.slots_of_rows, nullptr, to.rows, to.range_rows,
                             [&](u32 slot, u32, u32) { sum += table[slot]; });
    for (u32 distance = kWarpSize / 2; distance > 0; distance /= 2) {
      sum += simt::shuffle_xor(sum, distance);
    }
    if (simt::lane() == 0 && sum != 0) simt::atomic_add(to.sum, sum);
  }
};

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// Merges groups by keys and a value, that of count(distinct), into groups by the keys alone: cells
// are combined as rows would be, and each group with a value counts once. If few groups result,
// they are combined in shared memory first. Tests: tests/queries/distinct.txt.
#pragma once

#include "query/gpu/kernels/common_cells.cuh"
#include "query/gpu/kernels/group_cells.cuh"
#include "query/gpu/kernels/group_merge_plan.h"
#include "query/gpu/kernels/group_table.cuh"

namespace presso::gpu {

/// Threads to data: a thread has a record, and those that lie a grid's threads behind it.
template <u32 kThreadsOfBlock>
struct MergeGroups {
  using Arguments = GroupMerge;
  static constexpr const char* kName = "merging groups";
  static constexpr u32 kThreads = kThreadsOfBlock;
  static constexpr u32 kBlocks = 2;
  static constexpr bool kWholeGrid = false;

  PRESSO_HD static constexpr u32 shared_bytes(const Arguments& of) {
    return of.in_shared ? static_cast<u32>(of.groups) * of.words_of_group() * u32{sizeof(u64)} : 0;
  }

  PRESSO_DEVICE static void run(const Arguments& of) {
    u64* const shared = reinterpret_cast<u64*>(simt::shared_memory());
    if (of.in_shared) clear(of, shared);
    const u64 step = u64{simt::grid_blocks()} * kThreads;
    for (u64 i = u64{simt::block_index()} * kThreads + simt::thread_in_block(); i < of.count;
         i += step) {
      if (of.table_buckets != 0 && is_full(of)) break;
      add(of, of.records + i * of.record_words(), shared);
    }
    if (of.in_shared) flush(of, shared);
  }

 private:
  using Kind = PipelineCell::Kind;

  /// Of a group's word: its first row, its cells.
  PRESSO_DEVICE static Kind kind_of(const Arguments& of, u32 word) {
    return word == 0 ? Kind::kMin : of.kinds[word - kGroupCells];
  }

  PRESSO_DEVICE static void clear(const Arguments& of, u64* shared) {
    const u32 words = of.words_of_group();
    const u32 all = static_cast<u32>(of.groups) * words;
    for (u32 i = simt::thread_in_block(); i < all; i += kThreads) {
      shared[i] = initial_cell(kind_of(of, i % words));
    }
    simt::block_sync();
  }

  PRESSO_DEVICE static void add(const Arguments& of, const u64* record, u64* shared) {
    const u32 words = of.words_of_group();
    const u64 number = record[of.record_words() - 1];
    const u64 key = of.values == 0 ? 0 : number / of.values;
    const u64 value = number - key * of.values;
    u64 group = key;
    if (of.table_buckets != 0) {
      const u64 keys[1] = {key};
      u32 places[1];
      if (find_groups(of, 1, keys, places) == 0) return;
      group = places[0];
    } else if (key >= of.groups) {
      *of.fault = kKeyIsOutside;
      return;
    }
    u64* const to = of.in_shared ? shared + group * words : of.cells_out + group * of.group_words;
    lower_first_row(to, record[0]);
    for (u32 i = 0; i < of.cells; ++i) {
      add_to_cell(of, of.kinds[i], to + kGroupCells + i, record[kGroupCells + i]);
    }
    const bool is_null = of.has_null && value == of.null_value;
    if (!is_null) add_to_cell(of, Kind::kCount, to + kGroupCells + of.cells, 1);
  }

  PRESSO_DEVICE static void add_to_cell(const Arguments& of, Kind kind, u64* cell, u64 part) {
    if (kind == Kind::kMin || kind == Kind::kMax) {
      // A stale value is farther from the end: at worst the atomic is asked for in vain.
      const u64 before = *static_cast<volatile u64*>(cell);
      if (combined(kind, before, part) != before) combine_atomically(kind, cell, part);
    } else if (of.in_shared) {
      add_in_halves(cell, part);
    } else {
      combine_atomically(kind, cell, part);
    }
  }

  PRESSO_DEVICE static void flush(const Arguments& of, const u64* shared) {
    simt::block_sync();
    const u32 words = of.words_of_group();
    const u32 all = static_cast<u32>(of.groups) * words;
    for (u32 i = simt::thread_in_block(); i < all; i += kThreads) {
      const u32 group = i / words;
      const u32 word = i % words;
      if (shared[group * words] == kNoRowYet) continue;
      combine_atomically(kind_of(of, word), of.cells_out + u64{group} * of.group_words + word,
                         shared[i]);
    }
  }
};

/// On a device.
constexpr u32 kMergeThreads = 256;

/// A template over what runs kernels, as group_part_steps.h.
template <u32 kThreads, class Launcher>
Status enqueue_merge(const GroupMerge& merge, Launcher& launcher) {
  using Merge = MergeGroups<kThreads>;
  const u64 blocks = (merge.count + kThreads - 1) / kThreads;
  return launcher.template run<Merge>(blocks, Merge::shared_bytes(merge), merge);
}

}  // namespace presso::gpu

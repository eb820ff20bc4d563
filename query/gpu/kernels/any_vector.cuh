// SPDX-License-Identifier: MIT
// The values of a vector in whatever form it is stored (FORMAT.md 16.2), and the bits of its rows
// that are not null; by one warp. Packed words come to shared memory first, for which callers have
// room. Code that is compiled for a query has loops of its own for the usual form of each column.
// Tests: tests/queries/one_table.txt.
#pragma once

#include "decompress/columns/gpu/integer_decoder.cuh"
#include "decompress/columns/gpu/lane_values.cuh"
#include "query/gpu/kernels/table_block.h"

namespace presso::gpu {

/// The vector that a warp is at, the same in all its lanes.
struct VectorPlace {
  u32 slice;
  u32 vector;  ///< in the slice
  u32 rows;
};

/// A vector of runs, one value each, which are packed in up to 32 bits.
PRESSO_DEVICE bool has_packed_runs(const VectorEntry& entry) {
  return static_cast<IntegerKind>(entry.kind) == IntegerKind::kRuns &&
         static_cast<IntegerKind>(entry.exceptions) == IntegerKind::kPacked &&
         entry.width <= kWordBits;
}
/// A vector whose rows are packed, one by one, in up to 32 bits.
PRESSO_DEVICE bool has_packed_rows(const VectorEntry& entry) {
  return static_cast<IntegerKind>(entry.kind) == IntegerKind::kPacked && entry.width <= kWordBits;
}

PRESSO_DEVICE u64 load_plain(const u32* values, u32 row, Byte width_bytes) {
  switch (width_bytes) {
    case 1:
      return simt::load_readonly(reinterpret_cast<const Byte*>(values) + row);
    case 2:
      return simt::load_readonly(reinterpret_cast<const std::uint16_t*>(values) + row);
    case 4:
      return simt::load_readonly(values + row);
    default:
      return simt::load_readonly(reinterpret_cast<const u64*>(values) + row);
  }
}

/// One vector of a block of integers, which was checked when it came.
template <class Word>
PRESSO_DEVICE IntegerVector<Word> checked_vector(const TableBlock& block, const VectorEntry& entry,
                                                 u32 n, u32* staging) {
  IntegerVector<Word> of;
  of.words = block.words + directory_words(block) + entry.word_offset;
  of.staging = staging;
  of.entry = entry;
  of.divisor = static_cast<Word>(block.divisor);
  of.n = n;
  of.runs = 0;
  if (static_cast<IntegerKind>(entry.kind) == IntegerKind::kRuns) {
    of.runs = warp_count_runs(of.words, n);
  }
  return of;
}

/// Whether its words come to shared memory: packed numbers of rows; or the map of runs, and packed
/// numbers of these.
PRESSO_DEVICE bool is_staged(const TableBlock& block, const VectorEntry& entry) {
  return block.words != nullptr && !block.is_plain &&
         (has_packed_rows(entry) || has_packed_runs(entry));
}

/// Packed number `i` of those at `words`. The word behind its own may be read in vain.
PRESSO_DEVICE u32 packed_number(const u32* words, u32 width, u32 i) {
  const u32 bit = i / kWarpSize * width;
  const u32* const from = words + bit / kWordBits * kLanes + i % kWarpSize;
  return simt::funnel_shift_right(from[0], from[kLanes], bit % kWordBits) & low_ones(width);
}

/// The number of the lane's run in a step: `before` start in the steps before.
PRESSO_DEVICE u32 run_of_lane(u32 starts, u32 before) {
  return before + simt::popcount(starts & low_ones(simt::lane() + 1)) - 1;
}

/// Calls sink(step, bits of the value) as for_each_value() does, whatever the block is. `words`:
/// where is_staged(), what has come; `staging`: else for those that are decoded in order.
template <class Sink>
PRESSO_DEVICE void for_each_bits(const TableBlock& block, const VectorEntry& entry,
                                 const VectorPlace& at, const u32* words, u32* staging,
                                 const Sink& sink) {
  if (block.is_plain) {
    for (u32 step = 0; step < steps_of(at.rows); ++step) {
      const u32 row = step * kWarpSize + simt::lane();
      const u32 there = at.vector * kVectorRows + (row < at.rows ? row : at.rows - 1);
      sink(step, load_plain(block.words, there, block.width_bytes));
    }
  } else if (has_packed_rows(entry) && entry.exceptions == 0) {
    for (u32 step = 0; step < steps_of(at.rows); ++step) {
      const u32 packed = lane_value(words + simt::lane(), entry.width, step);
      sink(step, entry.base + block.divisor * packed);
    }
  } else if (has_packed_runs(entry)) {
    u32 before = 0;
    for (u32 step = 0; step < steps_of(at.rows); ++step) {
      const u32 starts = words[step];
      const u32 run = run_of_lane(starts, before);
      before += simt::popcount(starts);
      sink(step,
           entry.base + block.divisor * packed_number(words + kRunMapWords, entry.width, run));
    }
  } else if (block.width_bytes == 8) {
    for_each_value(checked_vector<u64>(block, entry, at.rows, staging), sink);
  } else {
    for_each_value(checked_vector<u32>(block, entry, at.rows, staging),
                   [&](u32 step, u32 value) { sink(step, u64{value}); });
  }
}

/// Bits of rows that are not null: lane l has those of step l; rows n and above have none.
PRESSO_DEVICE u32 valid_bits(const TableBlock& block, u32 vector, u32 n, u32* staging) {
  const u32 begin = simt::lane() * kWarpSize;
  const u32 rows = n > begin ? n - begin : 0;
  const u32 mine = low_ones(rows < kWordBits ? rows : kWordBits);
  if (block.words == nullptr) return 0;
  if (block.validity == nullptr) return mine;
  if (block.is_plain_validity) {
    if (rows == 0) return 0;
    return simt::load_readonly(block.validity + vector * kVectorSteps + simt::lane()) & mine;
  }
  IntegerVector<u32> of;
  of.entry = load_entry(reinterpret_cast<const Byte*>(block.validity), vector);
  of.words = block.validity + directory_words(block) + of.entry.word_offset;
  of.staging = staging;
  of.divisor = 1;
  of.n = n;
  of.runs = 0;
  simt::warp_sync();
  const u32 bits = bool_bits(of);
  simt::warp_sync();
  return bits;
}

}  // namespace presso::gpu

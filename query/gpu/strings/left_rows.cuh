// SPDX-License-Identifier: MIT
// Tests rows of tokens that other conditions have left, where these are few:
//
//   test_left_rows_body  a warp for each four vectors of 1,024 rows: where no row is left it reads
//                        32 words of each. Else it finds the codes of these rows, from where the
//                        codes of each 32 rows begin and from their counts, and collects them; as
//                        soon as there is one for each lane they are walked, one by each lane
//   place_steps_body     a warp for each row group: where the codes of each 32 rows begin
//
// Estimated from instructions: 20 for a vector without rows, 150 for one with some, 50 for each 32
// rows among them that have some, 25 for each code of 32 rows that are walked. Tested by
// tests/queries/tokens.txt.
#pragma once

#include "decompress/columns/gpu/integer_decoder.cuh"
#include "query/gpu/strings/left_rows.h"
#include "query/gpu/strings/row_sweep.cuh"

namespace presso::gpu {

/// The table of kWide, all of it in device memory, since few rows need it.
struct StoredTable {
  const std::uint16_t* classes;
  const std::uint16_t* rows;
  u32 pitch;

  PRESSO_DEVICE explicit StoredTable(const StringTableView& view)
      : classes(reinterpret_cast<const std::uint16_t*>(view.d_image)),
        rows(reinterpret_cast<const std::uint16_t*>(view.d_image + view.rows_at)),
        pitch(view.pitch) {}
  PRESSO_DEVICE u32 after(u32 state, u32 code) const {
    return simt::load_readonly(rows + state * pitch + simt::load_readonly(classes + code));
  }
};

/// A row to be walked: its codes, counted through its row group, and its place.
struct LeftRow {
  u32 begin;
  u32 end;
  u32 word;  ///< of LeftRows::to
  u32 block_and_bit;
};
inline constexpr u32 kLeftBitWidth = 5;
static_assert(1u << kLeftBitWidth == kWordBits);

inline constexpr u32 kLeftWarps = 8;
inline constexpr u32 kLeftTogether = 4;  ///< vectors that a warp looks at together
static_assert(kLeftVectors % kLeftTogether == 0);

/// The part of shared memory that belongs to one warp.
struct LeftShared {
  u32 staging[staging_words<u32>()];
  u32 left[kLeftTogether][kWarpSize];
  alignas(16) LeftRow rows[2 * kWarpSize];
};

/// The rows of a warp, up to one for each lane and those of one step.
class LeftList {
 public:
  PRESSO_DEVICE LeftList(const LeftRows& of, LeftRow* rows) : of_(of), rows_(rows) {}

  /// Adds the rows of those lanes that have one.
  PRESSO_DEVICE void add(bool has_row, const LeftRow& row) {
    const u32 lanes = simt::ballot(has_row);
    if (has_row) rows_[count_ + simt::popcount(lanes & lanes_below())] = row;
    count_ += simt::popcount(lanes);
    if (count_ >= kWarpSize) walk_last(kWarpSize);
  }
  PRESSO_DEVICE void finish() { walk_last(count_); }

 private:
  PRESSO_DEVICE void walk_last(u32 count) {
    simt::warp_sync();
    count_ -= count;
    if (simt::lane() < count) walk(rows_[count_ + simt::lane()]);
    if (simt::lane() == 0 && count != 0) simt::atomic_add(of_.tested, count);
    simt::warp_sync();
  }
  PRESSO_DEVICE void walk(const LeftRow& row) const {
    const u32 number = row.block_and_bit >> kLeftBitWidth;
    const StringBlock& block = of_.batch.blocks[number];
    const u32 begin = row.begin - block.first_code;
    const u32 end = row.end - block.first_code;
    if (begin > end || end > block.codes) {
      report_fault(of_.batch.status + number, kCountsFault, ErrorCode::kBadLength);
      return;
    }
    const WalkedRow walked = walk_codes(StoredTable(block.table), block, begin, end);
    if (walked.is_bad) {
      report_fault(of_.batch.status + number, kCodeFault, ErrorCode::kBadOffset);
    }
    if (walked.matches == of_.negated) return;
    simt::atomic_or(of_.to + row.word, 1u << row.block_and_bit % kWordBits);
  }

  const LeftRows& of_;
  LeftRow* rows_;
  u32 count_ = 0;
};

/// The number of codes of this lane's row of a step.
PRESSO_DEVICE u32 count_of_step(const IntegerVector<u32>& of, const Exceptions& exceptions,
                                u32 step) {
  if (of.kind() == IntegerKind::kPacked) {
    const u32 packed = packed_lane<u32>(of.words, of.n, of.entry.width).at(step);
    return exceptions.in_place_of(static_cast<u32>(of.entry.base) + of.divisor * packed, step);
  }
  u32 wanted = 0;
  for_each_value(of, [&](u32 at, u32 value) { wanted = at == step ? value : wanted; });
  return wanted;
}

/// Collects the rows of the steps in `left`, of which each lane has a word, from a vector whose
/// counts `count_of(step)` gives.
template <class CountOf>
PRESSO_DEVICE void collect_left(const LeftRows& of, const LeftSlice& slice, u32 number, u32 left,
                                LeftList& list, const CountOf& count_of) {
  const u32 vector = number % kLeftVectors;
  const u32 n = vector_rows(slice.rows, vector);
  for (u32 steps = simt::ballot(left != 0); steps != 0; steps &= steps - 1) {
    const u32 step = simt::find_first_set(steps) - 1;
    const u32 in_vector = step * kWarpSize + simt::lane();
    const u32 of_lane = count_of(step);
    const u32 count = in_vector < n ? of_lane : 0;
    const u32 end = simt::load_readonly(slice.begins + vector * kVectorSteps + step) +
                    simt::inclusive_sum(count);
    const bool is_left = (simt::shuffle(left, step) >> simt::lane() & 1) != 0;
    const u32 row = slice.first_row + vector * kVectorRows + in_vector;
    u32 block = slice.first_block;
    while (is_left && block + 1 < slice.end_block && of.batch.blocks[block + 1].first_row <= row) {
      ++block;
    }
    list.add(is_left, {end - count, end, number * kVectorSteps + step,
                       block << kLeftBitWidth | simt::lane()});
  }
}

/// This lane's 32 rows of a vector that the slice has.
PRESSO_DEVICE u32 rows_of_lane(const LeftSlice& slice, u32 vector) {
  const u32 before = vector * kVectorRows + simt::lane() * kWarpSize;
  const u32 behind = slice.rows > before ? slice.rows - before : 0;
  return low_ones(behind < kWarpSize ? behind : kWarpSize);
}

/// The words of kLeftTogether vectors, from `first` on, which tell the rows to test. There is no
/// branch between the loads, so that they do not wait for each other; there is memory for the words
/// of all vectors of a slice.
PRESSO_DEVICE void load_words(const LeftRows& of, const LeftSlice& slice, u32 first,
                              u32 (&left)[kLeftTogether]) {
  PRESSO_UNROLL
  for (u32& word : left) word = simt::kFullMask;
  if (of.left != nullptr) {
    const u32* const from = of.left + u64{first} * kVectorSteps + simt::lane();
    PRESSO_UNROLL
    for (u32 i = 0; i < kLeftTogether; ++i) left[i] = simt::load_readonly(from + i * kVectorSteps);
  }
  PRESSO_UNROLL
  for (u32 i = 0; i < kLeftTogether; ++i) left[i] &= rows_of_lane(slice, first % kLeftVectors + i);
}

/// Clears the bits of these vectors, as far as the slice has them.
PRESSO_DEVICE void clear_words(const LeftRows& of, const LeftSlice& slice, u32 first) {
  u32* const to = of.to + u64{first} * kVectorSteps + simt::lane();
  const u32 vectors = vectors_of(slice.rows);
  PRESSO_UNROLL
  for (u32 i = 0; i < kLeftTogether; ++i) {
    if (first % kLeftVectors + i < vectors) to[i * kVectorSteps] = 0;
  }
}

/// Collects the rows in `left` of vector `number`, of which there are some.
PRESSO_DEVICE void collect_vector(const LeftRows& of, const LeftSlice& slice, u32 number, u32 left,
                                  LeftShared& shared, LeftList& list) {
  const u32 vector = number % kLeftVectors;
  if (slice.is_plain) {
    const u32 n = vector_rows(slice.rows, vector);
    const u32* const counts = reinterpret_cast<const u32*>(slice.counts.payload.bytes) +
                              vector * kVectorRows + simt::lane();
    collect_left(of, slice, number, left, list, [&](u32 step) {
      return step * kWarpSize + simt::lane() < n ? simt::load_readonly(counts + step * kWarpSize)
                                                 : 0;
    });
    return;
  }
  IntegerVector<u32> counts;
  const ErrorCode code = open_vector(slice.counts, vector, shared.staging, counts);
  if (code != ErrorCode::kOk) {
    if (simt::lane() == 0) {
      report_fault(of.batch.status + slice.first_block, kCountsFault, code);
    }
    return;
  }
  IntegerVector<u32> with_exceptions = counts;
  if (counts.kind() != IntegerKind::kPacked) with_exceptions.entry.exceptions = 0;
  const Exceptions exceptions(with_exceptions);
  collect_left(of, slice, number, left, list,
               [&](u32 step) { return count_of_step(counts, exceptions, step); });
}

/// Asks L2 for what collect_vector() reads of these vectors, of all at once.
PRESSO_DEVICE void prefetch_rows(const LeftSlice& slice, u32 first,
                                 const u32 (&left)[kLeftTogether]) {
  const u32 vector = first % kLeftVectors;
  PRESSO_UNROLL
  for (u32 i = 0; i < kLeftTogether; ++i) {
    if (left[i] != 0) simt::prefetch(slice.begins + (vector + i) * kVectorSteps + simt::lane());
  }
  if (slice.is_plain) return;
  const u32* const words = reinterpret_cast<const u32*>(slice.counts.payload.bytes);
  const u32 vectors = vectors_of(slice.rows);
  constexpr u32 kWordsOfEntry = kVectorEntryBytes / 4;
  u32 offsets[kLeftTogether];
  u32 fields[kLeftTogether];
  PRESSO_UNROLL
  for (u32 i = 0; i < kLeftTogether; ++i) {
    const u32 one = vector + i < vectors ? vector + i : vector;
    offsets[i] = simt::load_readonly(words + kWordsOfEntry * one);
    fields[i] = simt::load_readonly(words + kWordsOfEntry * one + 1);
  }
  PRESSO_UNROLL
  for (u32 i = 0; i < kLeftTogether; ++i) {
    // As load_entry() has them; only of packed vectors it is known where a row's word is.
    const bool is_packed = static_cast<IntegerKind>(fields[i] & 0xFF) == IntegerKind::kPacked;
    const u32 width = fields[i] >> 8 & 0xFF;
    const u32 at = simt::lane() * width / kWordBits * kLanes;
    if (left[i] != 0 && is_packed) {
      simt::prefetch(words + vectors * kWordsOfEntry + offsets[i] + at);
    }
  }
}

/// kLeftTogether vectors of a slice, from `first` on. Their words are loaded at once, as most
/// vectors may have no row that is left.
PRESSO_DEVICE void take_left_vectors(const LeftRows& of, u32 first, LeftShared& shared,
                                     LeftList& list) {
  const LeftSlice& slice = of.slices[first / kLeftVectors];
  if (slice.first_block == slice.end_block) {
    if (!of.keeps_others) clear_words(of, slice, first);
    return;
  }
  u32 left[kLeftTogether];
  load_words(of, slice, first, left);
  clear_words(of, slice, first);
  u32 any = 0;
  PRESSO_UNROLL
  for (const u32 word : left) any |= word;
  if (!simt::any(any != 0)) return;
  prefetch_rows(slice, first, left);
  PRESSO_UNROLL
  for (u32 i = 0; i < kLeftTogether; ++i) shared.left[i][simt::lane()] = left[i];
  simt::warp_sync();  // bits are set after all have been cleared
  PRESSO_NO_UNROLL
  for (u32 i = 0; i < kLeftTogether; ++i) {
    const u32 own = shared.left[i][simt::lane()];
    if (simt::any(own != 0)) collect_vector(of, slice, first + i, own, shared, list);
  }
}

constexpr u32 left_shared_bytes(u32 warps) {
  return warps * static_cast<u32>(sizeof(LeftShared));
}

/// Any grid. Dynamic shared memory: left_shared_bytes().
PRESSO_DEVICE void test_left_rows_body(const LeftRows& of) {
  LeftShared& shared = reinterpret_cast<LeftShared*>(simt::shared_memory())[uniform_warp()];
  LeftList list(of, shared.rows);
  const u32 warps = simt::block_threads() / kWarpSize;
  const u32 parts = of.count * (kLeftVectors / kLeftTogether);
  for (u32 part = simt::block_index() * warps + uniform_warp(); part < parts;
       part += simt::grid_blocks() * warps) {
    const u32 next = part + simt::grid_blocks() * warps;
    if (of.left != nullptr && next < parts && simt::lane() < kLeftTogether) {
      simt::prefetch(of.left + (u64{next} * kLeftTogether + simt::lane()) * kVectorSteps);
    }
    take_left_vectors(of, part * kLeftTogether, shared, list);
  }
  list.finish();
}

/// Whether a block of tokens begins at the code at which the counts of rows let it begin.
PRESSO_DEVICE bool begins_there(const StepGroup& of, const StepBlock& block) {
  const u32 first = block.row / kWarpSize * kWarpSize;
  u32 code = of.begins[block.row / kWarpSize];
  for (u32 row = first; row < block.row; ++row) code += simt::load_readonly(of.counts + row);
  return code == block.code;
}

/// Grid: any; a warp takes one row group after another.
PRESSO_DEVICE void place_steps_body(const StepBatch& batch) {
  const u32 warps = simt::block_threads() / kWarpSize;
  for (u32 number = simt::block_index() * warps + uniform_warp(); number < batch.count;
       number += simt::grid_blocks() * warps) {
    const StepGroup of = batch.groups[number];
    u32 before = 0;
    bool is_wrong = false;
    for (u32 first = 0; first < of.rows; first += kVectorRows) {
      const u32 begin = first + simt::lane() * kWarpSize;
      const u32 end = begin + kWarpSize < of.rows ? begin + kWarpSize : of.rows;
      u32 sum = 0;
      for (u32 row = begin; row < end; ++row) {
        const u32 count = simt::load_readonly(of.counts + row);
        is_wrong = is_wrong || count > of.codes - sum;
        sum += is_wrong ? 0 : count;
      }
      const u32 sums = simt::inclusive_sum(sum);
      if (begin < of.rows) of.begins[begin / kWarpSize] = before + sums - sum;
      before += simt::shuffle(sums, kWarpSize - 1);
      is_wrong = simt::any(is_wrong || before > of.codes);
      if (is_wrong) break;
    }
    simt::warp_sync();
    is_wrong = is_wrong || before != of.codes;
    for (u32 i = of.first_block + simt::lane(); i < of.end_block && !is_wrong; i += kWarpSize) {
      is_wrong = !begins_there(of, batch.blocks[i]);
    }
    if (is_wrong) simt::atomic_or(batch.fault, 1);
  }
}

}  // namespace presso::gpu

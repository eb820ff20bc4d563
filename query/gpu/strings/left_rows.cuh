// SPDX-License-Identifier: MIT
// Tests rows of tokens that other conditions have left, where these are few:
//
//   test_left_rows_body  a warp for each eight vectors of 1,024 rows: where no row is left it reads
//                        32 words of each. Else it lists the steps of 32 rows that have some, finds
//                        the codes of these rows, from where the codes of each step begin and from
//                        the counts of its rows, for four steps at a time so that their loads
//                        overlap, and collects the rows; as soon as there is one for each lane they
//                        are walked, one by each lane
//   place_steps_body     a warp for each row group: where the codes of each 32 rows begin
//
// Cost of 6 x 10^8 rows on an H200, of which 0.04 % are left in a third of the vectors: 0.18 ms.
// Tested by tests/queries/tokens.txt.
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
inline constexpr u32 kLeftTogether = 8;   ///< vectors that a warp looks at together
inline constexpr u32 kStepsTogether = 4;  ///< steps of 32 rows whose loads overlap
static_assert(kLeftVectors % kLeftTogether == 0);

/// The part of shared memory that belongs to one warp.
struct LeftShared {
  u32 staging[staging_words<u32>()];
  u32 left[kLeftTogether][kWarpSize];
  VectorEntry entries[kLeftTogether];
  Byte steps[kLeftTogether * kWarpSize];  ///< of the eight vectors, numbered through them
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

/// Adds the rows in `left`, a bit for each lane, of step `step` of a slice. `count`: the number of
/// codes of the lane's row; `begin`: where those of the first row begin.
PRESSO_DEVICE void collect_step(const LeftRows& of, const LeftSlice& slice, u32 number, u32 step,
                                u32 left, u32 count, u32 begin, LeftList& list) {
  const u32 end = begin + simt::inclusive_sum(count);
  const bool is_left = (left >> simt::lane() & 1) != 0;
  const u32 vector = number % kLeftVectors;
  const u32 row = slice.first_row + vector * kVectorRows + step * kWarpSize + simt::lane();
  u32 block = slice.first_block;
  while (is_left && block + 1 < slice.end_block && of.batch.blocks[block + 1].first_row <= row) {
    ++block;
  }
  list.add(is_left,
           {end - count, end, number * kVectorSteps + step, block << kLeftBitWidth | simt::lane()});
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
  const u32 end = (first % kLeftVectors + kLeftTogether) * kVectorRows;
  if (of.left != nullptr && end <= slice.rows) return;
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

/// `count`, or the exception of a packed vector that replaces it for the lane's row of the step.
PRESSO_DEVICE u32 with_exceptions(const u32* words, const VectorEntry& entry, u32 n, u32 step,
                                  u32 count) {
  const u32* const rows = words + exceptions_at(entry, n);
  const u32* const values = rows + exception_row_words(entry.exceptions);
  for (u32 first = 0; first < entry.exceptions; first += kWarpSize) {
    const u32 i = first + simt::lane();
    const u32 row = i < entry.exceptions ? half_word(rows, i) : kVectorRows;
    for (u32 here = simt::ballot(row / kWarpSize == step); here != 0; here &= here - 1) {
      const u32 exception = simt::find_first_set(here) - 1;
      const u32 value = simt::load_readonly(values + 2 * (first + exception));
      if (simt::shuffle(row, exception) % kWarpSize == simt::lane()) count = value;
    }
  }
  return count;
}

/// Collects the rows of steps whose counts are packed, or lie there as they are: a batch of the
/// steps in shared.steps, from `first` on, of `count`. `number`: of the first of the vectors.
PRESSO_DEVICE void collect_steps(const LeftRows& of, const LeftSlice& slice, u32 number, u32 first,
                                 u32 count, LeftShared& shared, LeftList& list) {
  const u32 vector = number % kLeftVectors;
  const u32* const counts = reinterpret_cast<const u32*>(slice.counts.payload.bytes);
  const u32* const words = counts + vectors_of(slice.rows) * (kVectorEntryBytes / 4);
  u32 low[kStepsTogether], high[kStepsTogether], begins[kStepsTogether];
  PRESSO_UNROLL
  for (u32 i = 0; i < kStepsTogether; ++i) {
    const u32 listed = shared.steps[first + i < count ? first + i : count - 1];
    begins[i] = simt::load_readonly(slice.begins + vector * kVectorSteps + listed);
    const u32* at = counts;
    u32 behind = 0;
    if (slice.is_plain) {
      const u32 row = vector * kVectorRows + listed * kWarpSize + simt::lane();
      at += row < slice.rows ? row : 0;
    } else if (const VectorEntry& entry = shared.entries[listed / kVectorSteps]; entry.width != 0) {
      const u32 bit = listed % kVectorSteps * entry.width;
      at = words + entry.word_offset + bit / kWordBits * kLanes + simt::lane();
      behind = bit % kWordBits + entry.width > kWordBits ? kLanes : 0;
    }
    low[i] = simt::load_readonly(at);
    high[i] = simt::load_readonly(at + behind);
  }
  PRESSO_UNROLL
  for (u32 i = 0; i < kStepsTogether; ++i) {
    if (first + i >= count) return;
    const u32 listed = shared.steps[first + i];
    const u32 in_part = listed / kVectorSteps;
    const u32 step = listed % kVectorSteps;
    const u32 n = vector_rows(slice.rows, vector + in_part);
    u32 of_row = low[i];
    if (!slice.is_plain) {
      const VectorEntry entry = shared.entries[in_part];
      const u32 shift = step * entry.width % kWordBits;
      const u32 packed = simt::funnel_shift_right(low[i], high[i], shift) & low_ones(entry.width);
      of_row =
          static_cast<u32>(entry.base) + static_cast<u32>(slice.counts.parameters.divisor) * packed;
      of_row = with_exceptions(words + entry.word_offset, entry, n, step, of_row);
    }
    collect_step(of, slice, number + in_part, step, shared.left[in_part][step],
                 step * kWarpSize + simt::lane() < n ? of_row : 0, begins[i], list);
  }
}

/// Collects the rows of vector `number`, the i-th of the part, whose counts are stored in another
/// form.
PRESSO_DEVICE void collect_vector(const LeftRows& of, const LeftSlice& slice, u32 number, u32 i,
                                  LeftShared& shared, LeftList& list) {
  IntegerVector<u32> counts;
  const ErrorCode code = open_vector(slice.counts, number % kLeftVectors, shared.staging, counts);
  if (code != ErrorCode::kOk) {
    if (simt::lane() == 0) {
      report_fault(of.batch.status + slice.first_block, kCountsFault, code);
    }
    return;
  }
  for (u32 steps = simt::ballot(shared.left[i][simt::lane()] != 0); steps != 0;
       steps &= steps - 1) {
    const u32 step = simt::find_first_set(steps) - 1;
    u32 count = 0;
    for_each_value(counts, [&](u32 at, u32 value) { count = at == step ? value : count; });
    const u32 begin =
        simt::load_readonly(slice.begins + number % kLeftVectors * kVectorSteps + step);
    collect_step(of, slice, number, step, shared.left[i][step],
                 step * kWarpSize + simt::lane() < counts.n ? count : 0, begin, list);
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
  u32 some = 0;  // of the vectors
  PRESSO_UNROLL
  for (u32 i = 0; i < kLeftTogether; ++i) some |= simt::any(left[i] != 0) ? 1u << i : 0;
  if (some == 0) return;
  simt::warp_sync();  // what was there has been used; bits are set after all have been cleared
  u32 others = 0;
  if (!slice.is_plain) {
    const bool is_there = simt::lane() < kLeftTogether && (some >> simt::lane() & 1) != 0;
    VectorEntry entry{};
    if (is_there) {
      entry = load_entry(slice.counts.payload.bytes, first % kLeftVectors + simt::lane());
      shared.entries[simt::lane()] = entry;
    }
    others = simt::ballot(is_there && static_cast<IntegerKind>(entry.kind) != IntegerKind::kPacked);
  }
  u32 count = 0;
  PRESSO_UNROLL
  for (u32 i = 0; i < kLeftTogether; ++i) {
    shared.left[i][simt::lane()] = left[i];
    const bool is_listed = left[i] != 0 && (others >> i & 1) == 0;
    const u32 steps = simt::ballot(is_listed);
    if (is_listed) {
      shared.steps[count + simt::popcount(steps & lanes_below())] =
          static_cast<Byte>(i * kVectorSteps + simt::lane());
    }
    count += simt::popcount(steps);
  }
  simt::warp_sync();
  PRESSO_NO_UNROLL
  for (u32 i = 0; i < count; i += kStepsTogether) {
    collect_steps(of, slice, first, i, count, shared, list);
  }
  PRESSO_NO_UNROLL
  for (; others != 0; others &= others - 1) {
    const u32 i = simt::find_first_set(others) - 1;
    collect_vector(of, slice, first + i, i, shared, list);
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

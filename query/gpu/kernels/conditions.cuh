// SPDX-License-Identifier: MIT
// Tests conditions on columns for one vector with one warp; the results are lane masks
// (packed_test.cuh). A packed column is compared without decoding; all others are decoded into
// registers and compared by their zone images. Tests: tests/queries/one_table.txt.
#pragma once

#include "query/gpu/kernels/pipeline_vector.cuh"

namespace presso::gpu {

/// What an interval asks of packed values.
PRESSO_DEVICE LeafTask packed_leaf(const PackedVector& packed, const TableBlock& block,
                                   const ImageInterval& interval) {
  using How = LeafTask::How;
  const u64 begin = block.is_signed ? packed.base ^ kImageTopBit : packed.base;
  const PackedRange<u32> range = packed_range<u32>(interval, begin, packed.span, block.divisor);
  if (range.is_none) return {How::kNone, 0, {}};
  if (range.is_all) return {How::kAll, 0, {}};
  return {How::kPacked, packed.width, TopRange::of(packed.width, range.least, range.most)};
}

/// What condition `step` asks of vector `vector` of the warp's task.
PRESSO_DEVICE LeafTask leaf_task(const Pipeline& of, const WarpSpace& space,
                                 const ConditionStep& step, u32 slice, u32 vector) {
  using How = LeafTask::How;
  const ColumnTask& column = space.columns()[step.column];
  const LeafRange range = of.ranges[u64{step.leaf} * of.table.slice_count + slice];
  if (column.block.words == nullptr || range.count == 0) return {How::kNone, 0, {}};
  if (range.count == LeafRange::kAll) return {How::kAll, 0, {}};
  const PackedVector packed(column.block, column.entries[vector]);
  if (range.count != 1 || !packed.is_packed) return {How::kDecode, 0, {}};
  return packed_leaf(packed, column.block, of.intervals[range.first]);
}

/// The same for all conditions and the `count` vectors of the task, by all lanes.
PRESSO_DEVICE void load_leaves(const Pipeline& of, const WarpSpace& space, u32 slice, u32 count) {
  for (u32 i = simt::lane(); i < of.condition_steps * kTaskVectors; i += kWarpSize) {
    const ConditionStep step = of.conditions[i / kTaskVectors];
    const u32 vector = i % kTaskVectors;
    if (step.kind != ConditionStep::Kind::kValues || vector >= count) continue;
    space.leaves()[i] = leaf_task(of, space, step, slice, vector);
  }
  simt::warp_sync();
}

PRESSO_DEVICE bool lies_in(u64 image, const ImageInterval* intervals, u32 count) {
  bool found = false;
  for (u32 i = 0; i < count; ++i) {
    found = found || (intervals[i].least <= image && image <= intervals[i].most);
  }
  return found;
}

PRESSO_DEVICE u32 rows_with_code_bit(const TableBlock& block, const VectorEntry& entry,
                                     const u32* bits, const VectorPlace& at, const u32* words,
                                     u32* staging) {
  u32 mask = 0;
  for_each_bits(block, entry, at, words, staging, [&](u32 step, u64 value) {
    const u32 code = static_cast<u32>(value);
    const u32 word = simt::load_readonly(bits + code / kWordBits);
    if ((word >> code % kWordBits & 1) != 0) mask |= 1u << step;
  });
  return mask;
}

/// Rows whose value, which may be what stands under a null, is decoded to be tested.
PRESSO_DEVICE u32 rows_by_decoding(const Pipeline& of, const WarpSpace& space, u32 column_number,
                                   const LeafRange& range, const VectorPlace& at) {
  const ColumnTask& column = space.columns()[column_number];
  const TableBlock& block = column.block;
  const VectorEntry& entry = column.entries[at.vector % kTaskVectors];
  const u32* const words = space.words(column_number, at.vector);
  if (range.count == LeafRange::kBits) {
    return rows_with_code_bit(block, entry, of.code_bits + range.first, at, words, space.staging());
  }
  u32 mask = 0;
  const ImageInterval* const intervals = of.intervals + range.first;
  for_each_bits(block, entry, at, words, space.staging(), [&](u32 step, u64 value) {
    if (lies_in(image_of(value, block), intervals, range.count)) mask |= 1u << step;
  });
  return mask;
}

/// Not null, and in one of the intervals or with its code's bit set. Bits of rows that there are
/// not mean nothing. `kAlone`: the kernel does little else, so that the loops may be part of it.
template <bool kAlone>
PRESSO_DEVICE u32 rows_of_leaf(const Pipeline& of, const WarpSpace& space, u32 number,
                               const VectorPlace& at) {
  const ConditionStep step = of.conditions[number];
  const LeafTask leaf = space.leaves()[number * kTaskVectors + at.vector % kTaskVectors];
  if (leaf.how == LeafTask::How::kNone) return 0;
  u32 mask = simt::kFullMask;
  if (leaf.how == LeafTask::How::kPacked) {
    if constexpr (kAlone) {
      const u32* const words = space.words(step.column, at.vector) + simt::lane();
      for_width(leaf.width,
                [&]<u32 kWidth>() { mask = packed_between<kWidth>(words, leaf.range); });
    } else {
      mask = rows_between(space.words_at(step.column, at.vector), leaf.width, leaf.range);
    }
  } else if (leaf.how == LeafTask::How::kDecode) {
    const LeafRange range = of.ranges[u64{step.leaf} * of.table.slice_count + at.slice];
    mask = rows_by_decoding(of, space, step.column, range, at);
  }
  const TableBlock& block = space.columns()[step.column].block;
  if (block.validity == nullptr) return mask;
  return mask & transposed(valid_bits(block, at.vector, at.rows, space.staging()));
}

/// Which rows of the vector fulfil all conditions.
template <bool kAlone>
PRESSO_DEVICE u32 rows_that_hold(const Pipeline& of, const WarpSpace& space,
                                 const VectorPlace& at) {
  u32* const stack = space.stack() + simt::lane();
  u32 mask = mask_of_rows(at.rows);
  u32 top = 0;    // what was pushed last
  u32 depth = 0;  // of what stands below it
  bool has_top = false;
  for (u32 i = 0; i < of.condition_steps; ++i) {
    const ConditionStep step = of.conditions[i];
    using Kind = ConditionStep::Kind;
    if (step.kind == Kind::kKeep || step.kind == Kind::kAlso) {
      mask &= top;
      has_top = false;
      if (step.kind == Kind::kKeep && !simt::any(mask != 0)) return 0;
      continue;
    }
    if (step.kind == Kind::kAnd || step.kind == Kind::kOr) {
      const u32 below = stack[--depth * kWarpSize];
      top = step.kind == Kind::kAnd ? top & below : top | below;
      continue;
    }
    if (has_top) stack[depth++ * kWarpSize] = top;
    has_top = true;
    if (step.kind == Kind::kValues) {
      top = rows_of_leaf<kAlone>(of, space, i, at);
    } else if (step.kind == Kind::kTrue || step.kind == Kind::kFalse) {
      top = step.kind == Kind::kTrue ? mask : 0;
    } else if (step.kind == Kind::kRows || step.kind == Kind::kNoRows) {
      const u64 vector = u64{at.slice} * kSliceVectors + at.vector;
      top = transposed(
          simt::load_readonly(of.row_bits[step.leaf] + vector * kVectorSteps + simt::lane()));
      if (step.kind == Kind::kNoRows) top = ~top;
    } else {
      const TableBlock& block = space.columns()[step.column].block;
      top = transposed(valid_bits(block, at.vector, at.rows, space.staging()));
      if (step.kind == Kind::kNull) top = ~top;
    }
  }
  return mask;
}

}  // namespace presso::gpu

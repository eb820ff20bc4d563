// SPDX-License-Identifier: MIT
// Conditions that packed columns answer, on one vector by one warp, as lane masks
// (packed_test.cuh). A column that is packed is compared where it lies; all others are decoded into
// registers and compared by their zone images. Tests: tests/simt/query_on_gpu_test.cpp.
#pragma once

#include "scan/gpu/table/pipeline_vector.cuh"

namespace presso::gpu {

/// The lane mask of rows below n.
PRESSO_DEVICE u32 mask_of_rows(u32 n) {
  const u32 whole = n / kWarpSize;
  return low_ones(whole + (simt::lane() < n % kWarpSize ? 1 : 0));
}

/// floor(numerator / divisor), where it is below 2^33 and the divisor below 2^32.
PRESSO_DEVICE u64 divided(u64 numerator, u64 divisor) {
  if (divisor == 1) return numerator;
  // The double is off by less than one.
  u64 quotient = static_cast<u64>(static_cast<double>(numerator) / static_cast<double>(divisor));
  if (quotient * divisor > numerator) {
    --quotient;
  } else if (numerator - quotient * divisor >= divisor) {
    ++quotient;
  }
  return quotient;
}

/// Rows of a full vector whose value lies in the interval. `words`: of the lane.
PRESSO_DEVICE u32 packed_in(const PackedVector& packed, const TableBlock& block,
                            const ImageInterval& interval, const u32* words) {
  const u64 begin = block.is_signed ? packed.base ^ kImageTopBit : packed.base;
  if (interval.most < begin || interval.least > interval.most) return 0;
  const u64 from = interval.least <= begin ? 0 : interval.least - begin;
  const u64 to = interval.most - begin;
  if (from > packed.span) return 0;
  if (from == 0 && to >= packed.span) return simt::kFullMask;
  const u64 least = divided(from + block.divisor - 1, block.divisor);
  const u64 most = divided(to < packed.span ? to : packed.span, block.divisor);
  if (least > most) return 0;
  u32 mask = 0;
  for_width(packed.width, [&]<u32 kWidth>() {
    mask = packed_between<kWidth>(words, static_cast<u32>(least), static_cast<u32>(most));
  });
  return mask;
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

/// Not null, and in one of the intervals or with its code's bit set.
PRESSO_DEVICE u32 rows_of_leaf(const Pipeline& of, const WarpSpace& space, u32 column_number,
                               const LeafRange& range, const VectorPlace& at) {
  const ColumnTask& column = space.columns()[column_number];
  const TableBlock& block = column.block;
  if (block.words == nullptr || range.count == 0) return 0;
  u32 valid = mask_of_rows(at.rows);
  if (block.validity != nullptr) {
    valid = transposed(valid_bits(block, at.vector, at.rows, space.staging()));
  }
  if (range.count == LeafRange::kAll) return valid;
  const VectorEntry& entry = column.entries[at.vector % kTaskVectors];
  const u32* const words = space.words(column_number, at.vector);
  if (range.count == LeafRange::kBits) {
    return valid &
           rows_with_code_bit(block, entry, of.code_bits + range.first, at, words, space.staging());
  }
  const ImageInterval* const intervals = of.intervals + range.first;
  const PackedVector packed(block, entry);
  u32 mask = 0;
  if (packed.is_packed && at.rows == kVectorRows) {
    for (u32 i = 0; i < range.count; ++i) {
      mask |= packed_in(packed, block, intervals[i], words + simt::lane());
    }
    return mask & valid;
  }
  for_each_bits(block, entry, at, words, space.staging(), [&](u32 step, u64 value) {
    if (lies_in(image_of(value, block), intervals, range.count)) mask |= 1u << step;
  });
  return mask & valid;
}

/// Which rows of the vector fulfil all conditions.
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
    if (step.kind == Kind::kKeep) {
      mask &= top;
      has_top = false;
      if (!simt::any(mask != 0)) return 0;
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
      const LeafRange range = of.ranges[u64{step.leaf} * of.table.slice_count + at.slice];
      top = rows_of_leaf(of, space, step.column, range, at);
    } else if (step.kind == Kind::kTrue || step.kind == Kind::kFalse) {
      top = step.kind == Kind::kTrue ? mask : 0;
    } else if (step.kind == Kind::kRows) {
      const u64 vector = u64{at.slice} * kSliceVectors + at.vector;
      top = transposed(
          simt::load_readonly(of.row_bits[step.leaf] + vector * kVectorSteps + simt::lane()));
    } else {
      const TableBlock& block = space.columns()[step.column].block;
      top = transposed(valid_bits(block, at.vector, at.rows, space.staging()));
      if (step.kind == Kind::kNull) top = ~top;
    }
  }
  return mask;
}

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// What the source of a query's kernels (kernel_source.h) needs beside query_kernel.cuh where tables
// are joined: values of build rows, chains of build rows, and marks. Build rows themselves are
// found by key_array.cuh, key_table.cuh or key_search.cuh, for kSteps rows of a lane at once, so
// that their loads overlap. A lane's build rows stand in an array, kNoRow where there is none.
// Tests: tests/queries/joins.txt.
#pragma once

#include "query/gpu/code/query_kernel.cuh"

namespace presso::gpu::code {

/// The lane mask of rows that have a build row.
template <u32 kSteps>
PRESSO_DEVICE u32 with_rows(const u32 (&rows)[kSteps]) {
  u32 mask = 0;
  PRESSO_UNROLL
  for (u32 step = 0; step < kSteps; ++step) mask |= rows[step] != kNoRow ? 1u << step : 0;
  return mask;
}

/// The array's value for a row, or `missing` where it has none. Rows that there are not are read as
/// the first one, so that no load waits for a jump: an array has one value at least.
template <bool kIsWide>
PRESSO_DEVICE i64 gathered(const RowArray& array, u64 row, i64 missing) {
  const bool is_there = row < array.count;
  const u32 at = is_there ? static_cast<u32>(row) : 0;
  if constexpr (kIsWide) {
    const i64 value = simt::load_readonly(static_cast<const i64*>(array.values) + at);
    return is_there ? value : missing;
  } else {
    const i32 value = simt::load_readonly(static_cast<const i32*>(array.values) + at);
    return is_there ? i64{value} : missing;
  }
}

/// The other build row of the same key that comes next in each row's chain.
template <u32 kSteps>
PRESSO_DEVICE void load_next(const Lookup& in, const u32 (&rows)[kSteps], u32 (&next)[kSteps]) {
  PRESSO_UNROLL
  for (u32 step = 0; step < kSteps; ++step) {
    next[step] = rows[step] != kNoRow ? simt::load_readonly(in.next + rows[step]) : kNoRow;
  }
}

/// Says that a build row has found a partner.
PRESSO_DEVICE void mark_build_row(u32* marks, u32 row) {
  u32* const word = marks + row / kWordBits;
  const u32 bit = 1u << row % kWordBits;
  // A stale word lacks bits: at worst the atomic is asked for in vain.
  if ((*static_cast<volatile u32*>(word) & bit) == 0) simt::atomic_or(word, bit);
}

}  // namespace presso::gpu::code

// SPDX-License-Identifier: MIT
// Generated code that writes rows to arrays (GroupPlace::kRows and kParts): a warp reserves places
// for all rows of a chunk with one atomic addition. Rows come in no order. It includes nothing that
// code which is compiled at run time may not include. Tests: tests/queries/one_table.txt,
// tests/queries/groups_in_parts.txt.
#pragma once

#include "query/gpu/code/query_kernel.cuh"

namespace presso::gpu::code {

class RowPlaces {
 public:
  /// For the rows of the lanes' masks; by the warp.
  PRESSO_DEVICE RowPlaces(const QueryArguments& q, u32 mask) : most_(q.most_rows_out) {
    const u32 count = simt::reduce_add(simt::popcount(mask));
    if (simt::lane() == 0 && count != 0) next_ = simt::atomic_add(q.rows_out, u64{count});
    next_ = simt::shuffle(next_, 0);
  }

  /// Goes on to the next step, by the warp: neighbouring lanes get neighbouring places. Returns
  /// whether the lane has a row that the arrays have room for; others are only counted.
  PRESSO_DEVICE bool advance(bool there) {
    const u32 rows = simt::ballot(there);
    place_ = next_ + simt::popcount(rows & lanes_below());
    next_ += simt::popcount(rows);
    return there && place_ < most_;
  }
  template <class T>
  PRESSO_DEVICE void write(void* array, T value) const {
    static_cast<T*>(array)[place_] = value;
  }

 private:
  u64 most_;
  u64 next_ = 0;
  u64 place_ = 0;
};

}  // namespace presso::gpu::code

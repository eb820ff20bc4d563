// SPDX-License-Identifier: MIT
// From places in a column's text (or among its codes) to rows, for places that ascend. The row is
// guessed from the average number of places per row, which is nearly always right within a few
// rows; four steps without a branch then find it, about 10 ns in all. If the guess is wrong, an
// exponential search from the last row finds it. Tested by
// tests/unit/query/strings/row_cursor_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace presso::query {

/// One pass over ascending places. `offsets` is borrowed. Not thread-safe; each pass has its own.
template <class Offset>
class RowCursor {
 public:
  /// Row i has the places [offsets[i], offsets[i + 1]). There must be at least one row.
  RowCursor(const Offset* offsets, std::uint32_t rows)
      : offsets_(offsets),
        rows_(rows),
        rows_a_place_(std::min((std::uint64_t{rows} << kFractionBits) /
                                   (static_cast<std::uint64_t>(offsets[rows] - offsets[0]) + 1),
                               std::uint64_t{1} << kFractionBits)) {}

  /// Returns the row of `place`, which must belong to a row and not lie before the place of the
  /// last call.
  std::uint32_t row_of(Offset place) {
    const auto passed = static_cast<std::uint64_t>(place - offsets_[row_]);
    const std::uint64_t guess = row_ + (passed * rows_a_place_ >> kFractionBits);
    const std::uint64_t low = guess > row_ + kWindow / 2 ? guess - kWindow / 2 : row_;
    const bool inside =
        low + kWindow <= rows_ && offsets_[low] <= place && place < offsets_[low + kWindow];
    row_ = inside ? row_in_window(static_cast<std::uint32_t>(low), place) : row_by_strides(place);
    return row_;
  }

 private:
  static constexpr std::uint32_t kWindow = 16;
  static constexpr unsigned kFractionBits = 32;

  /// Binary search in 16 rows, without branches.
  std::uint32_t row_in_window(std::uint32_t low, Offset place) const {
    for (std::uint32_t half = kWindow / 2; half > 0; half /= 2) {
      low += static_cast<std::uint32_t>(offsets_[low + half] <= place) * half;
    }
    return low;
  }

  /// Strides double from the last row until they pass the place; then halves.
  std::uint32_t row_by_strides(Offset place) const {
    std::uint32_t low = row_;  // this row begins at or before the place
    std::uint32_t stride = 1;
    while (low + stride < rows_ && offsets_[low + stride] <= place) {
      low += stride;
      stride *= 2;
    }
    std::uint32_t high = std::min(low + stride, rows_);  // this row begins after it
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (offsets_[middle] <= place ? low : high) = middle;
    }
    return low;
  }

  const Offset* offsets_;
  std::uint32_t rows_;
  std::uint64_t rows_a_place_;  ///< rows for each place, times 2^32; at most 2^32
  std::uint32_t row_ = 0;
};

}  // namespace presso::query

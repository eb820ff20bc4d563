// SPDX-License-Identifier: MIT
// From places in a column's text (or among its codes) to rows, for places that rise. The row is
// guessed from how many places a row has on average, which is nearly always right within a few
// rows; then four steps without a branch find it, about 10 ns in all. Where the guess is wrong,
// strides that double from the last row on pass the place, and halves find it. Tested by
// tests/unit/scan/strings/row_cursor_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace presso::query {

template <class Offset>
class RowCursor {
 public:
  /// Row i has the places [offsets[i], offsets[i + 1]); there is at least one.
  RowCursor(const Offset* offsets, std::uint32_t rows)
      : offsets_(offsets),
        rows_(rows),
        rows_a_place_(static_cast<float>(rows) /
                      (static_cast<float>(offsets[rows] - offsets[0]) + 1.0F)) {}

  /// `place` is one of a row, and not before that of the last call.
  std::uint32_t row_of(Offset place) {
    const auto passed = static_cast<float>(place - offsets_[row_]) * rows_a_place_;
    const std::uint32_t guess = row_ + static_cast<std::uint32_t>(passed);
    const std::uint32_t low = std::max(row_, guess - std::min(guess, kWindow / 2));
    const bool inside =
        low + kWindow <= rows_ && offsets_[low] <= place && place < offsets_[low + kWindow];
    row_ = inside ? row_in_window(low, place) : row_by_strides(place);
    return row_;
  }

 private:
  static constexpr std::uint32_t kWindow = 16;

  std::uint32_t row_in_window(std::uint32_t low, Offset place) const {
    for (std::uint32_t half = kWindow / 2; half > 0; half /= 2) {
      low += static_cast<std::uint32_t>(offsets_[low + half] <= place) * half;
    }
    return low;
  }

  std::uint32_t row_by_strides(Offset place) const {
    std::uint32_t low = row_;  // begins at or before the place
    std::uint32_t stride = 1;
    while (low + stride < rows_ && offsets_[low + stride] <= place) {
      low += stride;
      stride *= 2;
    }
    std::uint32_t high = std::min(low + stride, rows_);  // begins behind it
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (offsets_[middle] <= place ? low : high) = middle;
    }
    return low;
  }

  const Offset* offsets_;
  std::uint32_t rows_;
  float rows_a_place_;
  std::uint32_t row_ = 0;
};

}  // namespace presso::query

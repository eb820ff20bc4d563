// SPDX-License-Identifier: MIT
// The row of every place, of places far apart, with empty rows and rows of very different sizes.
#include "query/strings/row_cursor.h"

#include <gtest/gtest.h>

#include <vector>

#include "corpora/random.h"

namespace presso::query::row_cursor_test {
namespace {

/// Rows by what `size_of` says, and all places from `first` on, `step` apart.
template <class Offset, class SizeOf>
void expect_rows(std::uint32_t rows, Offset first, std::uint32_t step, const SizeOf& size_of) {
  std::vector<Offset> offsets{first};
  for (std::uint32_t row = 0; row < rows; ++row) {
    offsets.push_back(offsets.back() + static_cast<Offset>(size_of(row)));
  }
  RowCursor<Offset> cursor(offsets.data(), rows);
  std::uint32_t expected = 0;
  for (Offset place = first; place < offsets.back(); place += static_cast<Offset>(step)) {
    while (offsets[expected + 1] <= place) ++expected;
    ASSERT_EQ(cursor.row_of(place), expected) << place << " of " << offsets.back();
  }
}

TEST(RowCursor, FindsTheRowOfEveryPlace) {
  corpora::Random random(1);
  for (const std::uint32_t rows : {1u, 2u, 15u, 16u, 17u, 1000u}) {
    for (const std::uint32_t step : {1u, 7u, 400u, 5000u}) {
      expect_rows<std::int64_t>(rows, 0, step,
                                [&](std::uint32_t) { return 10 + random.below(34); });
      expect_rows<std::uint32_t>(rows, 3, step, [&](std::uint32_t) { return random.below(9); });
      expect_rows<std::int64_t>(rows, 0, step, [](std::uint32_t) { return 0; });
      expect_rows<std::int64_t>(rows, 0, step,
                                [](std::uint32_t row) { return row % 100 == 99 ? 10'000 : 0; });
      expect_rows<std::uint32_t>(rows, 0, step, [&](std::uint32_t row) {
        return row < rows / 2 ? 1 : random.skewed(2'000);
      });
    }
  }
}

}  // namespace
}  // namespace presso::query::row_cursor_test

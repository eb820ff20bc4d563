// SPDX-License-Identifier: MIT
// Sets of intervals compared with plain sets of some numbers: those next to both ends of the range,
// and one between, which stands for all others.
#include "query/plan/intervals.h"

#include <gtest/gtest.h>

#include <array>
#include <bitset>

#include "corpora/random.h"

namespace presso::query::intervals_test {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr std::size_t kMiddle = 6;
constexpr std::array<std::uint64_t, 13> kNumbers = {
    0,         1,         2,         3,         4,         5,    std::uint64_t{1} << 63,
    kMost - 5, kMost - 4, kMost - 3, kMost - 2, kMost - 1, kMost};
using Plain = std::bitset<kNumbers.size()>;

/// A set of intervals and the numbers that it must have.
struct Both {
  IntervalSet set = IntervalSet::none();
  Plain plain;
};

/// An interval that begins and ends at these numbers; those between 5 and kMost - 5 are in it
/// wholly or not at all.
Both between(std::size_t first, std::size_t last) {
  const std::uint64_t least = first == kMiddle ? 6 : kNumbers[first];
  const std::uint64_t most = last == kMiddle ? kMost - 6 : kNumbers[last];
  Both both{IntervalSet::between(least, most), {}};
  for (std::size_t i = first; i <= last; ++i) both.plain.set(i);
  return both;
}

void expect_right_answers(const Both& both) {
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    EXPECT_EQ(both.set.meets(kNumbers[i], kNumbers[i]), both.plain[i]) << kNumbers[i];
    EXPECT_EQ(both.set.covers(kNumbers[i], kNumbers[i]), both.plain[i]) << kNumbers[i];
    bool any = false;
    bool all = true;
    for (std::size_t k = i; k < kNumbers.size(); ++k) {
      any = any || both.plain[k];
      all = all && both.plain[k];
      if (i == kMiddle || k == kMiddle) continue;  // it stands for others
      EXPECT_EQ(both.set.meets(kNumbers[i], kNumbers[k]), any);
      EXPECT_EQ(both.set.covers(kNumbers[i], kNumbers[k]), all);
    }
  }
}

void expect_same(const Both& both) {
  expect_right_answers(both);
  EXPECT_EQ(both.set.empty(), both.plain.none());
  EXPECT_EQ(both.set.is_all(), both.plain.all());
  const auto& intervals = both.set.intervals();
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    EXPECT_LE(intervals[i].least, intervals[i].most);
    if (i == 0) continue;
    ASSERT_NE(intervals[i - 1].most, kMost);
    EXPECT_GT(intervals[i].least, intervals[i - 1].most + 1);
  }
}

TEST(IntervalSets, AreEmptyWhereTheEndIsBeforeTheBegin) {
  EXPECT_TRUE(IntervalSet::between(1, 0).empty());
  EXPECT_TRUE(IntervalSet::between(kMost, 0).empty());
  EXPECT_EQ(IntervalSet::between(7, 6), IntervalSet::none());
  EXPECT_EQ(IntervalSet::between(0, kMost), IntervalSet::all());
}

TEST(IntervalSets, OfOneIntervalHaveItsNumbersAndTheirComplementTheOthers) {
  for (std::size_t first = 0; first < kNumbers.size(); ++first) {
    for (std::size_t last = first; last < kNumbers.size(); ++last) {
      const Both both = between(first, last);
      expect_same(both);
      expect_same({both.set.complement(), ~both.plain});
      EXPECT_EQ(both.set.complement().complement(), both.set);
    }
  }
}

TEST(IntervalSets, OfAnyStepsHaveWhatPlainSetsHave) {
  corpora::Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    Both set = between(random.below(13), 12);
    for (int step = 0; step < 6; ++step) {
      const std::uint32_t first = random.below(13);
      const Both other = between(first, first + random.below(13 - first));
      switch (random.below(4)) {
        case 0:
          set = {set.set.intersection(other.set), set.plain & other.plain};
          break;
        case 1:
          set = {set.set.complement(), ~set.plain};
          break;
        case 2:
          set = {other.set.union_with(set.set), other.plain | set.plain};
          break;
        default:
          set = {set.set.union_with(other.set.complement()), set.plain | ~other.plain};
      }
      expect_same(set);
      ASSERT_FALSE(HasFailure()) << "trial " << trial << ", step " << step;
    }
  }
}

TEST(IntervalSets, ThatTouchBecomeOneInterval) {
  const IntervalSet low = IntervalSet::between(0, 9);
  const IntervalSet high = IntervalSet::between(10, kMost);
  EXPECT_TRUE(low.union_with(high).is_all());
  EXPECT_EQ(low.union_with(IntervalSet::between(10, 12)), IntervalSet::between(0, 12));
  EXPECT_EQ(low.union_with(IntervalSet::between(11, 12)).intervals().size(), 2u);
  EXPECT_TRUE(low.intersection(high).empty());
}

TEST(IntervalSets, AreEqualWhateverTheyWereMadeOf) {
  const IntervalSet a = IntervalSet::between(3, 5);
  const IntervalSet b = IntervalSet::between(8, kMost);
  EXPECT_EQ(a.union_with(b), b.union_with(a));
  EXPECT_EQ(a.union_with(b).complement(), a.complement().intersection(b.complement()));
}

}  // namespace
}  // namespace presso::query::intervals_test

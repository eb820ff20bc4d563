// SPDX-License-Identifier: MIT
// Counts, sums and first rows of groups in shared memory compared with plain arrays: cells of both
// layouts, codes as they are and placed, ranges of rows of several thread blocks.
#include "lab/placement/placed_sums.cuh"

#include <gtest/gtest.h>

#include <optional>

#include "corpora/random.h"
#include "lab/placement/bank_conflicts.h"
#include "lab/placement/placement.h"
#include "tests/simt/emulated_joins.h"
#include "tests/simt/emulated_launches.h"

namespace presso::gpu::placed_sums_test {
namespace {

using lab::Placement;
using test::EmulatedJoins;
using test::EmulatedLaunches;

struct Sums {
  std::vector<u64> first_rows, counts, sums;

  explicit Sums(u32 groups) : first_rows(groups, ~u64{0}), counts(groups), sums(groups) {}
  bool operator==(const Sums&) const = default;
};

struct Rows {
  std::vector<std::uint16_t> codes;
  std::vector<u32> values;
};

Rows drawn_rows(u64 rows, u32 groups, double theta, std::uint64_t seed) {
  Rows drawn{lab::drawn_codes(rows, groups, theta, seed), std::vector<u32>(rows)};
  corpora::Random random(seed);
  // Of all sizes, so that sums of the lower halves pass 2^32.
  for (u32& value : drawn.values) {
    value = static_cast<u32>(random.next()) >> random.below(kWordBits);
  }
  return drawn;
}

Sums expected_of(const Rows& rows, u32 groups) {
  Sums expected(groups);
  for (std::size_t row = 0; row < rows.codes.size(); ++row) {
    const std::uint16_t group = rows.codes[row];
    expected.first_rows[group] = std::min<u64>(expected.first_rows[group], row);
    ++expected.counts[group];
    expected.sums[group] += rows.values[row];
  }
  return expected;
}

std::optional<Placement> placement_of(const Rows& rows, const lab::PlacementOptions& options) {
  auto placed = lab::place_items(rows.codes, options);
  EXPECT_TRUE(placed.ok());
  return placed.ok() ? std::optional(std::move(*placed)) : std::nullopt;
}

/// What there are more of than there are thread blocks at once.
constexpr u32 kRangeRows = kPlacedThreads;

template <class Cells>
Sums summed(const Rows& rows, u32 groups, const Placement* placement, std::uint32_t seed) {
  Sums found(groups);
  PlacedSumArguments to;
  to.slots_of_rows = placement == nullptr ? rows.codes.data() : placement->slots.data();
  to.values = rows.values.data();
  to.rows = static_cast<u32>(rows.codes.size());
  to.range_rows = kRangeRows;
  to.slots = placement == nullptr ? groups : static_cast<u32>(placement->items_of.size());
  to.groups = groups;
  to.items_of = placement == nullptr ? nullptr : placement->items_of.data();
  to.out = {found.first_rows.data(), found.counts.data(), found.sums.data()};
  EmulatedJoins<EmulatedLaunches> launcher{EmulatedLaunches(seed)};
  const Status done =
      launcher.run<SumByGroup<Cells>>(to.rows / kRangeRows + 1, Cells::bytes(to.slots), to);
  EXPECT_TRUE(done.ok()) << done.error().message();
  return found;
}

u64 looked_up(const Rows& rows, const std::vector<u32>& dimension, const Placement* placement,
              std::uint32_t seed) {
  u64 sum = 0;
  PlacedLookupArguments to;
  to.slots_of_rows = placement == nullptr ? rows.codes.data() : placement->slots.data();
  to.rows = static_cast<u32>(rows.codes.size());
  to.range_rows = kRangeRows;
  to.items = static_cast<u32>(dimension.size());
  to.slots = placement == nullptr ? to.items : static_cast<u32>(placement->items_of.size());
  to.values = dimension.data();
  to.items_of = placement == nullptr ? nullptr : placement->items_of.data();
  to.sum = &sum;
  EmulatedJoins<EmulatedLaunches> launcher{EmulatedLaunches(seed)};
  const Status done = launcher.run<SumOfLookups>(to.rows / kRangeRows + 1,
                                                 SumOfLookups::shared_bytes(to.slots), to);
  EXPECT_TRUE(done.ok()) << done.error().message();
  return sum;
}

lab::PlacementOptions options_of(u32 groups, u32 window, bool for_reads) {
  lab::PlacementOptions options;
  options.items = groups;
  options.most_slots = 4 * groups;
  options.window = window;
  options.range_rows = kRangeRows;
  options.for_reads = for_reads;
  return options;
}

TEST(PlacedSums, AreThoseOfPlainArrays) {
  std::uint32_t seed = 0;
  for (const u32 groups : {1u, 2u, 64u, 1000u}) {
    for (const double theta : {0.0, 1.0, 2.0}) {
      // No row, one, several ranges with a last one that is cut, more ranges than thread blocks.
      for (const u64 count : {u64{0}, u64{1}, u64{2500}, u64{9000}}) {
        const Rows rows = drawn_rows(count, groups, theta, ++seed);
        const Sums expected = expected_of(rows, groups);
        EXPECT_EQ(summed<BlockCells>(rows, groups, nullptr, ++seed), expected);
        EXPECT_EQ(summed<SplitCells>(rows, groups, nullptr, ++seed), expected);
        for (const u32 window : {0u, 4u}) {
          const auto placed = placement_of(rows, options_of(groups, window, false));
          ASSERT_TRUE(placed.has_value());
          EXPECT_EQ(summed<SplitCells>(rows, groups, &*placed, ++seed), expected);
          EXPECT_EQ(summed<BlockCells>(rows, groups, &*placed, ++seed), expected);
        }
      }
    }
  }
}

TEST(PlacedSums, OfOneGroupThatHasAllRows) {
  Rows rows = drawn_rows(6000, 7, 0, 3);
  std::fill(rows.codes.begin(), rows.codes.end(), std::uint16_t{5});
  const Sums expected = expected_of(rows, 7);
  const auto placed = placement_of(rows, {7, 100, 0, 0, false});
  ASSERT_TRUE(placed.has_value());
  EXPECT_EQ(placed->waiting, 0u);
  EXPECT_EQ(summed<BlockCells>(rows, 7, nullptr, 1), expected);
  EXPECT_EQ(summed<SplitCells>(rows, 7, &*placed, 2), expected);
}

TEST(PlacedSums, OfValuesThatAreReferredTo) {
  std::uint32_t seed = 0;
  for (const u32 items : {1u, 100u, 1024u}) {
    std::vector<u32> dimension(items);
    corpora::Random random(items);
    for (u32& value : dimension) value = static_cast<u32>(random.next());
    for (const u64 count : {u64{0}, u64{33}, u64{7001}}) {
      const Rows rows = drawn_rows(count, items, 0.5, ++seed);
      u64 expected = 0;
      for (const std::uint16_t code : rows.codes) expected += dimension[code];
      EXPECT_EQ(looked_up(rows, dimension, nullptr, ++seed), expected);
      const auto placed = placement_of(rows, options_of(items, 0, true));
      ASSERT_TRUE(placed.has_value());
      EXPECT_EQ(looked_up(rows, dimension, &*placed, ++seed), expected);
    }
  }
}

}  // namespace
}  // namespace presso::gpu::placed_sums_test

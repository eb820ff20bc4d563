// SPDX-License-Identifier: MIT
// Placement against conflicts of banks: what it promises of each chunk, and the figures of
// Sitaridi's thesis and of simulations of it.
#include "lab/placement/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "lab/placement/bank_conflicts.h"

namespace presso::lab::placement_test {
namespace {

using Codes = std::vector<std::uint16_t>;

Placement placed(const Codes& codes, const PlacementOptions& options) {
  auto done = place_items(codes, options);
  EXPECT_TRUE(done.ok());
  return done.ok() ? std::move(*done) : Placement{};
}

PlacementOptions options_of(std::uint32_t items, std::uint32_t most_slots) {
  PlacementOptions options;
  options.items = items;
  options.most_slots = most_slots;
  return options;
}

/// Every row has a slot of its item, and the table is not larger than it may be.
void expect_sound(const Placement& placement, const Codes& codes, const PlacementOptions& options) {
  ASSERT_EQ(placement.slots.size(), codes.size());
  ASSERT_LE(placement.items_of.size(), options.most_slots);
  for (std::size_t item = 0; item < options.items; ++item) {
    ASSERT_EQ(placement.items_of[item], item);
  }
  for (std::size_t row = 0; row < codes.size(); ++row) {
    ASSERT_EQ(placement.items_of[placement.slots[row]], codes[row]) << row;
  }
  const auto copies = std::count_if(placement.items_of.begin(), placement.items_of.end(),
                                    [](std::uint16_t item) { return item != kNoItem; });
  EXPECT_EQ(placement.copies, static_cast<std::uint64_t>(copies));
}

double copies_of_each(const Placement& placement, std::uint32_t items) {
  return static_cast<double>(placement.copies) / items;
}

TEST(BankConflicts, OfOneChunk) {
  const Codes different = {0, 1, 2, 35, 63};
  ChunkConflicts found = conflicts_of(different);
  EXPECT_EQ(found.banks, 5u);
  EXPECT_EQ(found.write_rounds, 1u);
  EXPECT_EQ(found.read_rounds, 1u);
  // 3 and 35 are in one bank; 7 is there three times.
  const Codes shared = {3, 35, 7, 7, 7, 9};
  found = conflicts_of(shared);
  EXPECT_EQ(found.banks, 3u);
  EXPECT_EQ(found.write_rounds, 3u);
  EXPECT_EQ(found.read_rounds, 2u);
  EXPECT_EQ(conflicts_of({}).write_rounds, 0u);
}

TEST(BankConflicts, AreThoseOfTheThesis) {
  // Table 3.1: 1,024 items.
  struct Row {
    double theta, banks, write_rounds, read_rounds;
  };
  for (const Row& row :
       {Row{0, 20.42, 3.54, 3.44}, Row{0.25, 20.41, 3.53, 3.42}, Row{0.5, 20.36, 3.57, 3.38},
        Row{0.75, 19.94, 3.81, 3.18}, Row{1, 18.24, 5.33, 2.77}}) {
    const Codes codes = drawn_codes(100'000 * kChunkRows, 1024, row.theta, 1);
    const MeanConflicts mean = mean_conflicts(codes);
    EXPECT_NEAR(mean.banks, row.banks, 0.06) << row.theta;
    EXPECT_NEAR(mean.write_rounds, row.write_rounds, 0.06) << row.theta;
    EXPECT_NEAR(mean.read_rounds, row.read_rounds, 0.06) << row.theta;
  }
}

TEST(BankConflicts, OfATableWhoseWidthIsAMultipleOfTheBanks) {
  // A grid of 64 x 96 cells by which a column of cells is read: all in one bank (S3.11).
  Codes codes;
  for (std::uint32_t x = 0; x < 96; ++x) {
    for (std::uint32_t y = 0; y < 64; ++y) codes.push_back(static_cast<std::uint16_t>(y * 96 + x));
  }
  EXPECT_EQ(mean_conflicts(codes).read_rounds, 32);
  PlacementOptions options = options_of(64 * 96, 40'000);
  options.for_reads = true;
  const Placement placement = placed(codes, options);
  expect_sound(placement, codes, options);
  EXPECT_EQ(mean_conflicts(placement.slots).read_rounds, 1);
}

TEST(BankConflicts, OfAnyDegree) {
  for (const std::uint32_t degree : {1u, 2u, 7u, 31u, 32u}) {
    const Codes codes = conflicting_codes(1000 * kChunkRows, 1024, degree, degree);
    for (std::size_t first = 0; first < codes.size(); first += kChunkRows) {
      const ChunkConflicts found = conflicts_of(std::span(codes).subspan(first, kChunkRows));
      ASSERT_EQ(found.write_rounds, degree);
      ASSERT_EQ(found.read_rounds, degree);
      ASSERT_EQ(found.banks, kBanks - degree + 1);
    }
    EXPECT_LT(*std::max_element(codes.begin(), codes.end()), 1024);
    const PlacementOptions options = options_of(1024, 12'185);
    const Placement placement = placed(codes, options);
    expect_sound(placement, codes, options);
    EXPECT_EQ(mean_conflicts(placement.slots).write_rounds, 1);
  }
}

TEST(Placement, LeavesRowsWhereTheyAreWithoutConflict) {
  Codes codes(64);
  std::iota(codes.begin(), codes.end(), std::uint16_t{0});
  const Placement placement = placed(codes, options_of(64, 64));
  EXPECT_EQ(placement.slots, codes);
  EXPECT_EQ(placement.copies, 64u);
  EXPECT_EQ(placement.moved, 0u);
}

TEST(Placement, MovesOthersBeforeItCopies) {
  // The first chunk gives item 32, which meets item 0 in bank 0, a copy in bank 1, which is empty.
  // In the second one item 32 has its slot in bank 0; in the third one it is the copy's turn, and
  // it has to go back when item 1 comes.
  const PlacementOptions options = options_of(64, 96);
  Codes codes(3 * kChunkRows);
  for (std::uint32_t row = 0; row < kChunkRows; ++row) {
    codes[row] = static_cast<std::uint16_t>(row == 1 ? 32 : row);
    codes[kChunkRows + row] = static_cast<std::uint16_t>(row == 0 ? 32 : row);
    codes[2 * kChunkRows + row] = static_cast<std::uint16_t>(row == 0 ? 32 : row);
  }
  const Placement first = placed(Codes(codes.begin(), codes.begin() + kChunkRows), options);
  EXPECT_EQ(first.copies, 65u);
  EXPECT_EQ(first.items_of[65], 32);
  const Placement all = placed(codes, options);
  expect_sound(all, codes, options);
  EXPECT_EQ(all.copies, 65u);
  EXPECT_EQ(all.moved, 1u);
  EXPECT_EQ(all.slots[2 * kChunkRows], 32);
  EXPECT_EQ(all.slots[2 * kChunkRows + 1], 1);
}

TEST(Placement, OfOneItemNeedsACopyInEachBank) {
  const Codes codes(5 * kChunkRows + 7, 3);
  const PlacementOptions options = options_of(10, 100);
  const Placement placement = placed(codes, options);
  expect_sound(placement, codes, options);
  EXPECT_EQ(placement.copies, 10u + kBanks - 1);
  EXPECT_EQ(mean_conflicts(placement.slots).write_rounds, 1);
  // Where there is no room for these, rows wait.
  const Placement small = placed(codes, options_of(10, 25));
  expect_sound(small, codes, options_of(10, 25));
  EXPECT_GT(small.waiting, 0u);
  // Reads of one slot are one access.
  PlacementOptions reads = options_of(10, 100);
  reads.for_reads = true;
  EXPECT_EQ(placed(codes, reads).copies, 10u);
}

TEST(Placement, TakesAsManyCopiesAsSimulationsDo) {
  struct Row {
    double theta, writes, reads;
  };
  // Items of 1,024, a million rows, room for 11.9 times as many.
  for (const Row& row :
       {Row{0, 6.4, 6.0}, Row{0.5, 5.4, 4.9}, Row{1, 2.7, 2.5}, Row{2, 1.2, 1.1}}) {
    const Codes codes = drawn_codes(1'000'000, 1024, row.theta, 5);
    PlacementOptions options = options_of(1024, 12'185);
    const Placement writes = placed(codes, options);
    expect_sound(writes, codes, options);
    EXPECT_NEAR(copies_of_each(writes, 1024), row.writes, 0.15) << row.theta;
    EXPECT_EQ(writes.waiting, 0u);
    EXPECT_EQ(mean_conflicts(writes.slots).write_rounds, 1);
    options.for_reads = true;
    const Placement reads = placed(codes, options);
    expect_sound(reads, codes, options);
    EXPECT_NEAR(copies_of_each(reads, 1024), row.reads, 0.15) << row.theta;
    EXPECT_EQ(mean_conflicts(reads.slots).read_rounds, 1);
  }
}

TEST(Placement, OfAWindowTakesAsManyCopiesAsSimulationsDo) {
  struct Row {
    double theta, of_16, of_64;
  };
  for (const Row& row :
       {Row{0, 7.1, 9.3}, Row{0.5, 6.2, 8.7}, Row{1, 4.1, 7.0}, Row{2, 2.0, 3.8}}) {
    const Codes codes = drawn_codes(1'000'000, 1024, row.theta, 5);
    PlacementOptions options = options_of(1024, 12'185);
    for (const std::uint32_t window : {16u, 64u}) {
      options.window = window;
      const Placement placement = placed(codes, options);
      EXPECT_NEAR(copies_of_each(placement, 1024), window == 16 ? row.of_16 : row.of_64, 0.15);
      EXPECT_EQ(placement.waiting, 0u);
    }
  }
}

TEST(Placement, WithLittleRoomLeavesRounds) {
  const Codes codes = drawn_codes(1'000'000, 1024, 0, 5);
  const Placement four = placed(codes, options_of(1024, 4 * 1024));
  EXPECT_NEAR(mean_conflicts(four.slots).write_rounds, 1.40, 0.08);
  const Placement two = placed(codes, options_of(1024, 2 * 1024));
  EXPECT_NEAR(mean_conflicts(two.slots).write_rounds, 2.56, 0.08);
  const Placement one = placed(codes, options_of(1024, 1024));
  EXPECT_EQ(one.slots, codes);
}

TEST(Placement, OfAWindowUsesNoSlotAgainTooSoon) {
  constexpr std::uint64_t kRange = 64 * kChunkRows;
  const Codes codes = drawn_codes(40'000, 256, 1, 9);
  for (const std::uint32_t window : {1u, 4u, 16u}) {
    PlacementOptions options = options_of(256, 20'000);
    options.window = window;
    options.range_rows = kRange;
    const Placement placement = placed(codes, options);
    expect_sound(placement, codes, options);
    ASSERT_EQ(placement.waiting, 0u);
    EXPECT_EQ(mean_conflicts(placement.slots).write_rounds, 1);
    std::vector<std::int64_t> last(placement.items_of.size(), -1'000'000);
    for (std::size_t row = 0; row < codes.size(); ++row) {
      if (row % kRange == 0) std::fill(last.begin(), last.end(), -1'000'000);
      const auto chunk = static_cast<std::int64_t>(row / kChunkRows);
      std::int64_t& before = last[placement.slots[row]];
      ASSERT_GT(chunk - before, std::int64_t{window}) << row;
      before = chunk;
    }
  }
}

TEST(Placement, RefusesWhatContradictsItself) {
  const Codes codes = {1, 2, 3};
  EXPECT_EQ(place_items(codes, options_of(3, 10)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(place_items(codes, options_of(4, 3)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(place_items(codes, options_of(4, 70'000)).error().code, ErrorCode::kInvalidArgument);
  PlacementOptions options = options_of(4, 10);
  options.range_rows = 33;
  EXPECT_EQ(place_items(codes, options).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(placed({}, options_of(0, 0)).slots.empty());
}

}  // namespace
}  // namespace presso::lab::placement_test

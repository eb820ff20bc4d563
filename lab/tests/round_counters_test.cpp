// SPDX-License-Identifier: MIT
// What multi-round resolution counts (sources: S7.20), against a recount that reads the stream one
// sequence after another.
#include <gtest/gtest.h>

#include "corpora/nested_data.h"
#include "lab/gpu/round_recount.h"
#include "lab/tests/counted_rounds.h"
#include "tests/simt/hand_blocks.h"
#include "tests/support/test_data.h"

namespace presso::test::round_counters_test {
namespace {

using gpu::lab::RoundCounters;
using Count = CountedOutcome (*)(const BlockCase& block, u32 misalignment, u32 seed);

RoundCounters recount(const BlockCase& block) {
  return recount_rounds(block.header, *view_payload(block.header, block.payload.data()));
}

void expect_counters(const BlockCase& block, u32 seed) {
  const RoundCounters expected = recount(block);
  for (const Count count : {&count_rounds<gpu::MultiRound<false>, CountingPolicy<1, 4, 1>>,
                            &count_rounds<gpu::MultiRound<true>, CountingPolicy<4, 1, 4>>}) {
    const CountedOutcome outcome = count(block, seed % 16, seed);
    EXPECT_EQ(outcome.outcome.status, 0u);
    EXPECT_EQ(outcome.counters.groups, expected.groups);
    for (u32 i = 0; i < RoundCounters::kMaxRounds; ++i) {
      EXPECT_EQ(outcome.counters.rounds[i], expected.rounds[i]) << "round " << i + 1;
      EXPECT_EQ(outcome.counters.bytes[i], expected.bytes[i]) << "round " << i + 1;
    }
  }
}

std::vector<BlockCase> text_blocks() {
  CompressOptions with;
  with.coding = Coding::kByte;
  with.level = 9;
  with.block_bytes = 16 << 10;
  with.rule = DependencyRule::kNone;
  return compressed_blocks(log_lines(40000, 8), with);
}

TEST(RoundCounters, EqualARecountOfTheSameStream) {
  for (const BlockCase& block : text_blocks()) expect_counters(block, 1);
  for (u32 seed = 300; seed < 320; ++seed) {
    expect_counters(random_sequences(seed, 200, 30000), seed);
  }
}

/// Matches that read their predecessor's bytes: a round for each of them.
TEST(RoundCounters, CountThirtyTwoRoundsOfAChain) {
  PayloadBuilder builder({});
  builder.add({8, 8, 8});
  for (u32 i = 1; i < 64; ++i) builder.add({1, 7, 8});
  const BlockCase block = builder.finish();
  expect_counters(block, 2);
  const RoundCounters expected = recount(block);
  EXPECT_EQ(expected.groups, 2u);
  EXPECT_EQ(expected.rounds[31], 2u);
}

/// Data of a known depth (sources: S7.9): as many rounds in every group.
TEST(RoundCounters, CountTheDepthOfNestedData) {
  for (const u32 strings : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const corpora::NestedData data(strings);
    std::vector<Byte> file;
    VectorSink sink(file);
    ASSERT_TRUE(corpora::write_nested_file(data, 40000, 16 << 10, sink).ok());
    const std::vector<BlockCase> blocks = byte_blocks(file);
    ASSERT_EQ(blocks.size(), 3u);
    for (const BlockCase& block : blocks) {
      SCOPED_TRACE(strings);
      expect_counters(block, strings);
      const RoundCounters counted = recount(block);
      EXPECT_GT(counted.groups, 10u);
      EXPECT_EQ(counted.rounds[data.depth() - 1], counted.groups);
      for (u32 round = 0; round < data.depth(); ++round) {
        EXPECT_EQ(counted.bytes[round],
                  counted.groups * strings * corpora::NestedData::kMatchBytes);
      }
    }
  }
}

TEST(RoundTotals, AddUpBlocks) {
  EXPECT_EQ(gpu::lab::RoundTotals().mean_rounds(), 0);
  EXPECT_EQ(gpu::lab::RoundTotals().mean_bytes(1), 0);
  RoundCounters block{};
  block.groups = 4;  // one without matches
  block.rounds[0] = 2;
  block.rounds[2] = 1;
  block.bytes[0] = 900;
  block.bytes[1] = 50;
  block.bytes[2] = 10;
  gpu::lab::RoundTotals totals;
  totals.add(block);
  block.bytes[2] = 0xFFFFFFFF;
  totals.add(block);
  EXPECT_EQ(totals.groups(), 8u);
  EXPECT_EQ(totals.groups_with(1), 4u);
  EXPECT_EQ(totals.groups_with(3), 2u);
  EXPECT_EQ(totals.iterations(), 10u);
  EXPECT_EQ(totals.mean_rounds(), 1.25);
  EXPECT_EQ(totals.mean_bytes(1), 180);
  EXPECT_EQ(totals.mean_bytes(3), (10 + 4294967295.0) / 10);
}

}  // namespace
}  // namespace presso::test::round_counters_test

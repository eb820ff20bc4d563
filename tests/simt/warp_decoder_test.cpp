// SPDX-License-Identifier: MIT
// The warp decoder in the emulator: every strategy against the reference decoder, on blocks of the
// encoder and on sequences made by hand. Damaged blocks: warp_damage_test.cpp.
#include <gtest/gtest.h>

#include "tests/simt/hand_blocks.h"
#include "tests/simt/warp_launch.h"
#include "tests/support/test_data.h"

namespace presso::test::warp_decoder_test {
namespace {

using gpu::BlockPlan;

class Strategies : public ::testing::TestWithParam<Strategy> {
 protected:
  void expect_decodes(const BlockCase& block, const std::string& what) {
    const Expected expected = reference_decode(block, true);
    ASSERT_TRUE(expected.status.ok()) << what << ": " << expected.status.error().message();
    const u32 seed = ++launches_;
    const Outcome outcome = GetParam().launch(block, seed % 16, seed);
    EXPECT_EQ(outcome.status, 0u) << what;
    ASSERT_TRUE(outcome.plain == expected.plain) << what;
  }
  void expect_decodes(const std::vector<BlockCase>& blocks, const std::string& what) {
    for (const BlockCase& block : blocks) {
      expect_decodes(block, what);
      if (HasFatalFailure()) return;
    }
  }

  u32 launches_ = 0;
};

INSTANTIATE_TEST_SUITE_P(All, Strategies, ::testing::ValuesIn(warp_strategies()),
                         [](const auto& parameter) { return std::to_string(parameter.index); });

// --- Blocks of the encoder

CompressOptions options(int level, DependencyRule rule, u32 group) {
  CompressOptions options;
  options.coding = Coding::kByte;
  options.level = level;
  options.block_bytes = 16 << 10;
  options.rule = rule;
  options.group = group;
  options.dictionary = {DictionaryChoice::Mode::kNone};
  return options;
}

struct RuleAndGroup {
  DependencyRule rule;
  u32 group;
};

constexpr RuleAndGroup kRules[] = {
    {DependencyRule::kNone, 32},         {DependencyRule::kStrict, 32},
    {DependencyRule::kStrict, 1024},     {DependencyRule::kLiteralAware, 32},
    {DependencyRule::kLiteralAware, 64}, {DependencyRule::kTwoWave, 32},
    {DependencyRule::kTwoWave, 256},     {DependencyRule::kTile, 1024},
    {DependencyRule::kTile, 32768}};

std::string text_of(const RuleAndGroup& rule) {
  return "rule " + std::to_string(static_cast<int>(rule.rule)) + " group " +
         std::to_string(rule.group);
}

TEST_P(Strategies, DecodeEveryRule) {
  const std::vector<Byte> lines = log_lines(20000, 1);
  const std::vector<Byte> letters = few_letters(6000, 3, 2);
  int level = 1;
  for (const RuleAndGroup& rule : kRules) {
    const CompressOptions with = options(level, rule.rule, rule.group);
    level = 10 - level;
    expect_decodes(compressed_blocks(lines, with), text_of(rule) + " lines");
    expect_decodes(compressed_blocks(letters, with), text_of(rule) + " letters");
    if (HasFatalFailure()) return;
  }
}

/// literal_bits, far and min_match in all combinations, with every rule, with a dictionary or none.
TEST_P(Strategies, DecodeEveryTokenLayout) {
  constexpr Byte kMinMatches[] = {3, 4, 7, 15};
  const std::vector<Byte> plain = log_lines(2500, 11);
  const std::vector<Byte> other = log_lines(1000, 12);
  u32 count = 0;
  for (const RuleAndGroup& rule : kRules) {
    for (Byte literal_bits = 2; literal_bits <= 4; ++literal_bits) {
      for (const bool far : {false, true}) {
        ++count;
        const TokenLayout layout{literal_bits, far, kMinMatches[count % 4]};
        ParserParameters with;
        with.hash_bits = 10;
        with.min_match = std::max(layout.min_match, Byte{4});  // the least that the parser finds
        with.rule = rule.rule;
        with.group = rule.group;
        std::vector<Byte> dictionary(count % 3 != 0 ? 70000 : 0);
        if (!dictionary.empty()) std::copy(other.begin(), other.end(), dictionary.begin());
        if (!far) with.window = 0xFFFF;
        const BlockCase block = encoded_block(plain, dictionary, with, layout);
        ASSERT_EQ(block.header.far_offsets != 0, far && !dictionary.empty());
        expect_decodes(block, text_of(rule) + " layout " + std::to_string(count));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Strategies, DecodeSizesAroundTheEdges) {
  for (const u32 size :
       {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 1023u, 1024u, 1025u, 2049u, 4095u, 16385u}) {
    const std::vector<Byte> plain = few_letters(size, 1 + size % 2, size);
    expect_decodes(compressed_blocks(plain, options(6, DependencyRule::kNone, 0)),
                   std::to_string(size));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Strategies, DecodeABlockOfTheUsualSize) {
  CompressOptions with = options(3, DependencyRule::kTwoWave, 0);
  with.block_bytes = 256 << 10;
  const std::vector<BlockCase> blocks = compressed_blocks(log_lines(256 << 10, 13), with);
  ASSERT_EQ(blocks.size(), 1u);
  expect_decodes(blocks, "256 KiB");
}

TEST_P(Strategies, DecodeFarOffsetsAndRuns) {
  std::vector<Byte> plain = random_bytes(70000, 3);
  plain.insert(plain.end(), plain.begin(), plain.begin() + 60000);
  plain.insert(plain.end(), 70000, Byte{'='});
  for (const DependencyRule rule : {DependencyRule::kNone, DependencyRule::kTwoWave}) {
    CompressOptions with = options(6, rule, 0);
    with.block_bytes = 1 << 20;
    const std::vector<BlockCase> blocks = compressed_blocks(plain, with);
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_GT(blocks[0].header.far_offsets, 0u);
    expect_decodes(blocks, "far");
  }
}

TEST_P(Strategies, DecodeBlocksWithADictionary) {
  const std::vector<Byte> lines = log_lines(60000, 4);
  for (const DependencyRule rule : {DependencyRule::kNone, DependencyRule::kStrict}) {
    CompressOptions with = options(6, rule, 0);
    with.dictionary = {DictionaryChoice::Mode::kSize, 20001};
    const std::vector<BlockCase> blocks = compressed_blocks(lines, with);
    ASSERT_FALSE(blocks.empty());
    EXPECT_NE(blocks[0].header.dictionary_id, 0);
    expect_decodes({blocks[0], blocks.back()}, "dictionary");
  }
}

// --- Sequences by hand

TEST_P(Strategies, DecodeSequencesOfAllSorts) {
  for (u32 seed = 1; seed <= 40; ++seed) {
    const u32 room = seed % 10 == 0 ? 200000 : 30000;
    expect_decodes(random_sequences(seed, 1 + seed * 7 % 300, room), std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Strategies, DecodeEmptySequencesOnly) {
  for (const u32 count : {1u, 31u, 32u, 33u, 70u}) {
    PayloadBuilder builder({});
    for (u32 i = 0; i < count; ++i) builder.add({});
    builder.add_literals(3 * count + 5);
    expect_decodes(builder.finish(), std::to_string(count));
  }
}

TEST_P(Strategies, DecodeABlockWithoutSequences) {
  PayloadBuilder builder({});
  builder.add_literals(1000);
  expect_decodes(builder.finish(), "literals");
}

/// A long length in every lane, for literals and matches both: sums pass 16 bits.
TEST_P(Strategies, DecodeAGroupOfLongLengths) {
  PayloadBuilder builder({.literal_bits = 3, .far = true, .min_match = 3});
  for (u32 i = 0; i < 34; ++i) builder.add({300 + 211 * i, 400 + 977 * i, 7 + 100 * i});
  builder.add_literals(9);
  const BlockCase block = builder.finish();
  ASSERT_GT(block.header.plain_bytes, 600000u);
  expect_decodes(block, "long");
}

/// Each match reads what the one before it wrote: as many rounds as there can be.
TEST_P(Strategies, DecodeChains) {
  PayloadBuilder builder({.literal_bits = 4, .far = false, .min_match = 3});
  builder.add({8, 5, 3});
  for (u32 i = 0; i < 100; ++i) builder.add({i % 3 == 0 ? 1u : 0u, 5 + i % 4, 3 + i % 3});
  expect_decodes(builder.finish(), "chain");
}

/// Distances 1 to 16, lengths 3 to 300, at all alignments (sources: S7.17).
TEST_P(Strategies, DecodeEveryShortDistanceAndLength) {
  PayloadBuilder builder({.literal_bits = 2, .far = false, .min_match = 3});
  builder.add({20, 3, 20});
  for (u32 distance = 1; distance <= 16; ++distance) {
    for (u32 length = 3; length <= 300; length += length < 40 ? 1 : 13) {
      builder.add({(length + distance) % 4, length, distance});
    }
  }
  for (u32 length = 3; length <= 300; ++length) builder.add({0, length, 300 + length % 16});
  expect_decodes(builder.finish(), "distances");
}

/// 4 MiB, which distances cross from end to end, and into a dictionary in front of it.
TEST_P(Strategies, DecodeTheLargestBlock) {
  PayloadBuilder builder({.literal_bits = 3, .far = true, .min_match = 4});
  const std::vector<Byte> dictionary = random_bytes(1 << 20, 14);
  for (u32 i = 0; builder.plain_bytes() + 70000 < kMaxBlockBytes; ++i) {
    const u32 to = builder.plain_bytes() + 300;
    const u32 distances[] = {to, to + (1 << 20), 1, to / 2 + 1, 299, to + 65536};
    builder.add({300, 61001 + i % 16, distances[i % 6]});
  }
  builder.add_literals(kMaxBlockBytes - builder.plain_bytes());
  const BlockCase block = builder.finish(dictionary);
  ASSERT_EQ(block.header.plain_bytes, kMaxBlockBytes);
  ASSERT_GT(block.header.sequences, simt::kWarpSize);
  expect_decodes(block, "4 MiB");
}

TEST(WarpDecoder, LeavesOtherBlocksAlone) {
  const std::vector<BlockCase> blocks =
      compressed_blocks(log_lines(16384, 5), options(6, DependencyRule::kNone, 0));
  ASSERT_EQ(blocks.size(), 1u);
  const DeviceBlock device(blocks[0], 0);
  const std::vector<Byte> before = device.plain();
  for (const u32 found : {0u, 25u, u32{kFailed}}) {
    u32 status = found;
    const auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, {}, [&] {
      gpu::warp_decoder_body<gpu::InTurn, WarpPolicy<1, 4, 1>>(&device.plan(), &status, 1);
    });
    EXPECT_TRUE(report.ok()) << report.what;
    EXPECT_EQ(status, found);
    EXPECT_TRUE(device.plain() == before);
  }
}

/// Several warps in a thread block, more warps than blocks.
TEST(WarpDecoder, DecodesABatch) {
  const std::vector<Byte> plain = log_lines(100000, 6);
  const std::vector<BlockCase> blocks =
      compressed_blocks(plain, options(6, DependencyRule::kNone, 0));
  std::vector<DeviceBlock> device;
  std::vector<BlockPlan> plans;
  for (const BlockCase& block : blocks) {
    device.emplace_back(block, 0);
    plans.push_back(device.back().plan());
  }
  std::vector<u32> status(plans.size(), kPlanned);
  const auto count = static_cast<u32>(plans.size());
  const auto report = simt::run({.grid = (count + 3) / 4,
                                 .block_threads = 128,
                                 .shared_bytes = 4 * sizeof(gpu::SegmentTable)},
                                {}, [&] {
                                  gpu::warp_decoder_body<gpu::InTurn, WarpPolicy<1, 4, 1>>(
                                      plans.data(), status.data(), count);
                                });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_EQ(status, std::vector<u32>(plans.size(), 0));
  std::vector<Byte> decoded;
  for (const DeviceBlock& block : device) {
    const std::vector<Byte> part = block.plain();
    decoded.insert(decoded.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(decoded == plain);
}

}  // namespace
}  // namespace presso::test::warp_decoder_test

// SPDX-License-Identifier: MIT
// Favor::kDecode: what it writes, read back from the stored blocks, and which options win over it.
#include <gtest/gtest.h>

#include <algorithm>

#include "compress/encode/block_encoder.h"
#include "decompress/gpu/plan/policies.h"
#include "decompress/payload.h"
#include "presso/compress.h"
#include "presso/decompress.h"
#include "tests/support/test_data.h"

namespace presso::favor_decode_test {
namespace {

static_assert(kFavorDecodeWindow <= gpu::ManyBlocks::Relay::kMostDistance);
static_assert(kFavorDecodeWindow <= gpu::FewBlocks::Relay::kMostDistance);

constexpr std::uint32_t kBlockBytes = 128u << 10;

CompressOptions options_at(int level) {
  CompressOptions options;
  options.level = level;
  options.favor = Favor::kDecode;
  options.block_bytes = kBlockBytes;
  options.threads = 2;
  return options;
}

/// Matches near and far, runs, noise, a block's worth of each, and a short last block.
std::vector<Byte> mixed_input() {
  std::vector<Byte> plain = test::log_lines(3 * kBlockBytes, 1);
  const std::vector<Byte> noise = test::random_bytes(40000, 2);
  for (int i = 0; i < 3; ++i) plain.insert(plain.end(), noise.begin(), noise.end());
  const std::vector<Byte> letters = test::few_letters(kBlockBytes, 3, 4);
  plain.insert(plain.end(), letters.begin(), letters.end());
  plain.insert(plain.end(), 50000, 'x');
  return plain;
}

/// Blocks of a compressed file, for the caller to look at; counts them.
template <class Look>
std::size_t for_each_block(const std::vector<Byte>& compressed, Look look) {
  MemorySource source(compressed);
  BlockStream stream(source, {});
  for (std::size_t count = 0;; ++count) {
    auto item = stream.next();
    EXPECT_TRUE(item.ok());
    if (!item.ok() || !*item) return count;
    look((*item)->block);
  }
}

/// The furthest distance of a block without far offsets.
std::uint32_t furthest(const StoredBlock& block) {
  const auto view = view_payload(block.header, block.payload.data());
  EXPECT_TRUE(view.ok());
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; view.ok() && i < block.header.sequences; ++i) {
    most = std::max<std::uint32_t>(most, load<std::uint16_t>(view->offsets + 2 * i));
  }
  return most;
}

void expect_for_decoding(const StoredBlock& block, int level) {
  const BlockHeader& header = block.header;
  EXPECT_EQ(header.dictionary_id, 0);
  if (header.coding == Coding::kRaw) return;
  EXPECT_EQ(header.rule, DependencyRule::kTile);
  EXPECT_EQ(header.group_log2, 11);
  EXPECT_FALSE(header.layout.far);
  EXPECT_EQ(header.far_offsets, 0u);
  EXPECT_EQ(header.layout.min_match, level >= 4 ? 5 : 6);
  EXPECT_LE(furthest(block), kFavorDecodeWindow);
  std::vector<Byte> out(header.plain_bytes);  // the reference decoder checks the rule
  EXPECT_TRUE(reference_decode_block(header, block.payload.data(), nullptr, true, out.data()).ok());
}

class FavorDecode : public ::testing::TestWithParam<int> {};

TEST_P(FavorDecode, EveryBlockIsForDecodingAndComesBack) {
  const std::vector<Byte> plain = mixed_input();
  const auto compressed = compress_buffer(plain, options_at(GetParam()));
  ASSERT_TRUE(compressed.ok()) << compressed.error().message();
  std::size_t coded = 0;
  const std::size_t blocks = for_each_block(*compressed, [&](const StoredBlock& block) {
    expect_for_decoding(block, GetParam());
    coded += block.header.coding == Coding::kByte;
  });
  EXPECT_EQ(blocks, (plain.size() + kBlockBytes - 1) / kBlockBytes);
  EXPECT_GE(coded, blocks - 1);
  const auto back = decompress_buffer(*compressed);
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_TRUE(*back == plain);
}

/// Noise that repeats at a distance that only just is, or is not, within the window.
TEST_P(FavorDecode, TheWindowEndsWhereItSays) {
  for (const std::uint32_t beyond : {0u, 1u}) {
    const std::vector<Byte> noise = test::random_bytes(kFavorDecodeWindow + beyond, 3);
    std::vector<Byte> plain = noise;
    plain.insert(plain.end(), noise.begin(), noise.end());
    const auto compressed = compress_buffer(plain, options_at(GetParam()));
    ASSERT_TRUE(compressed.ok());
    EXPECT_EQ(compressed->size() > plain.size(), beyond == 1) << compressed->size();
  }
}

TEST_P(FavorDecode, WhatIsSetWins) {
  CompressOptions options = options_at(GetParam());
  options.rule = DependencyRule::kStrict;
  options.window = 1u << 20;
  options.dictionary = {DictionaryChoice::Mode::kSize, 64u << 10};
  const std::vector<Byte> plain = mixed_input();
  const auto compressed = compress_buffer(plain, options);
  ASSERT_TRUE(compressed.ok());
  std::uint32_t far_offsets = 0;
  for_each_block(*compressed, [&](const StoredBlock& block) {
    if (block.header.coding == Coding::kRaw) return;
    EXPECT_EQ(block.header.rule, DependencyRule::kStrict);
    EXPECT_EQ(block.header.group_log2, 5);
    EXPECT_EQ(block.header.dictionary_id, 1);
    far_offsets += block.header.far_offsets;
  });
  EXPECT_GT(far_offsets, 0u);
  EXPECT_TRUE(*decompress_buffer(*compressed) == plain);
}

INSTANTIATE_TEST_SUITE_P(Levels, FavorDecode, ::testing::Values(1, 2, 3, 4, 6, 9, 12));

TEST(FavorDecode, SequencesAreWeighedFromLevelFourOn) {
  for (int level = kMinLevel; level <= kMaxLevel; ++level) {
    const ParserParameters decode = parameters_of(options_at(level)).parser;
    EXPECT_EQ(decode.sequence_cost, level >= 10 ? 16u : (level >= 4 ? 8u : 0u));
    CompressOptions bits = options_at(level);
    bits.coding = Coding::kBit;
    EXPECT_EQ(parameters_of(bits).parser.sequence_cost, level >= 4 ? 8u : 0u);
    EXPECT_EQ(decode.window, kFavorDecodeWindow);
    CompressOptions ratio = options_at(level);
    ratio.favor = Favor::kRatio;
    EXPECT_EQ(parameters_of(ratio).parser.sequence_cost, 0u);
    EXPECT_EQ(parameters_of(ratio).parser.rule, DependencyRule::kNone);
    EXPECT_GT(parameters_of(ratio).parser.window, kMaxBlockBytes);
  }
}

TEST(FavorDecode, GroupsAreTilesUnlessARuleIsSet) {
  CompressOptions options = options_at(6);
  for (options.group = 1; options.group < 1u << 20; options.group *= 2) {
    options.rule.reset();
    EXPECT_EQ(validate(options).ok(), options.group >= 1024 && options.group <= 32768);
    options.rule = DependencyRule::kTwoWave;
    EXPECT_EQ(validate(options).ok(), options.group >= 32 && options.group <= 1024);
  }
}

}  // namespace
}  // namespace presso::favor_decode_test

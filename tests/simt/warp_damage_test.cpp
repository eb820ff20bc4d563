// SPDX-License-Identifier: MIT
// The warp decoder on payloads that are damaged, cut off, or lie about their rule: it fails where
// the reference decoder fails, and never steps outside (the address sanitizer looks).
#include <gtest/gtest.h>

#include <random>

#include "decompress/payload.h"
#include "tests/simt/hand_blocks.h"
#include "tests/simt/warp_launch.h"
#include "tests/support/test_data.h"

namespace presso::test::warp_damage_test {
namespace {

/// Few bytes of the payload, or one count of the header with the streams still in the payload.
void damage(BlockCase& block, std::mt19937& random) {
  for (auto wounds = 1 + random() % 3; wounds > 0; --wounds) {
    const Byte extremes[] = {0, 1, 0x7F, 0x80, 0xFE, 0xFF, static_cast<Byte>(random())};
    block.payload[random() % block.payload.size()] = extremes[random() % 7];
  }
  if (random() % 2 != 0) return;
  BlockHeader& header = block.header;
  std::uint32_t* const counts[] = {&header.sequences, &header.literals, &header.far_offsets,
                                   &header.literal_escapes, &header.match_escapes};
  std::uint32_t& from = *counts[random() % 5];
  std::uint32_t& to = *counts[random() % 5];
  const auto step = static_cast<std::uint32_t>(1 + random() % 8);
  switch (random() % 3) {
    case 0:
      from -= std::min(from, step);
      break;
    case 1:
      if (from >= 3 * step) from -= 3 * step, to += step;
      break;
    default:
      header.plain_bytes = static_cast<std::uint32_t>(1 + random() % (2 * header.plain_bytes));
  }
  header.far_offsets = header.layout.far ? std::min(header.far_offsets, header.sequences) : 0;
  header.literal_escapes = std::min(header.literal_escapes, header.sequences);
  header.match_escapes = std::min(header.match_escapes, header.sequences);
}

/// Of the checks of a block header (FORMAT.md 5) those that damage() can violate.
bool header_is_valid(const BlockHeader& header) {
  const std::uint64_t streams = std::uint64_t{3} * header.sequences + header.far_offsets +
                                header.literal_escapes + header.match_escapes + header.literals;
  return streams <= header.payload_bytes && header.payload_bytes <= header.plain_bytes &&
         header.sequences <= header.plain_bytes && header.literals <= header.plain_bytes;
}

class Damaged : public ::testing::TestWithParam<Strategy> {
 protected:
  /// True where the block is sound after all.
  bool expect_like_reference(const BlockCase& block, u32 seed) {
    const Expected expected = reference_decode(block);
    const Outcome outcome = GetParam().launch(block, seed % 16, seed);
    EXPECT_EQ(outcome.status, expected.status.ok() ? 0 : u32{kFailed});
    const bool obeys = !GetParam().trusts_the_rule || reference_decode(block, true).status.ok();
    if (expected.status.ok() && obeys) {
      EXPECT_TRUE(outcome.plain == expected.plain);
    }
    return expected.status.ok();
  }
};

INSTANTIATE_TEST_SUITE_P(All, Damaged, ::testing::ValuesIn(warp_strategies()),
                         [](const auto& parameter) { return std::to_string(parameter.index); });

std::vector<BlockCase> samples() {
  CompressOptions with;
  with.coding = Coding::kByte;
  with.block_bytes = 16 << 10;
  with.rule = DependencyRule::kTwoWave;
  with.dictionary = {DictionaryChoice::Mode::kSize, 3000};
  std::vector<BlockCase> samples = compressed_blocks(log_lines(5000, 7), with);
  for (u32 seed = 100; seed < 108; ++seed) samples.push_back(random_sequences(seed, 50, 3000));
  return samples;
}

TEST_P(Damaged, FailWhereTheReferenceFails) {
  const std::vector<BlockCase> blocks = samples();
  u32 failed = 0, sound = 0;
  for (u32 round = 0; round < 300; ++round) {
    std::mt19937 random(round);
    BlockCase block = blocks[round % blocks.size()];
    damage(block, random);
    if (!header_is_valid(block.header) || !view_payload(block.header, block.payload.data()).ok()) {
      continue;
    }
    SCOPED_TRACE(round);
    ++(expect_like_reference(block, round) ? sound : failed);
    if (HasFailure()) return;
  }
  EXPECT_GT(failed, 60u);
  EXPECT_GT(sound, 30u);
}

/// The payload ends early, and with it the memory; counts say what fits.
TEST_P(Damaged, FailWhereThePayloadIsCutOff) {
  u32 failed = 0;
  for (const BlockCase& whole : samples()) {
    const u32 size = whole.header.payload_bytes;
    for (const u32 kept : {0u, 1u, 15u, size / 4, size / 2, size - 16, size - 1}) {
      BlockCase block = whole;
      BlockHeader& header = block.header;
      block.payload.resize(kept);
      header.payload_bytes = kept;
      header.sequences = std::min(header.sequences, kept / 3);
      u32 left = kept - 3 * header.sequences;
      for (u32* const count : {&header.far_offsets, &header.literal_escapes, &header.match_escapes,
                               &header.literals}) {
        if (count != &header.literals) *count = std::min(*count, header.sequences);
        *count = std::min(*count, left);
        left -= *count;
      }
      if (left % 2 != 0) ++header.literals;
      SCOPED_TRACE(kept);
      if (!expect_like_reference(block, size + kept)) ++failed;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(failed, 40u);
}

TEST_P(Damaged, FailWhereTheDictionaryIsTooShort) {
  u32 failed = 0;
  for (const u32 seed : {99u, 102u, 105u, 108u}) {
    BlockCase block = random_sequences(seed, 60, 4000);
    ASSERT_FALSE(block.dictionary.empty());
    block.dictionary.resize(block.dictionary.size() / 8);
    if (!expect_like_reference(block, seed)) ++failed;
  }
  EXPECT_GT(failed, 0u);
}

/// A block that claims a rule which it does not obey: any bytes, but no access outside. Who does
/// not trust the rule still gets the right ones.
TEST_P(Damaged, SurviveALie) {
  u32 lies = 0;
  for (u32 seed = 200; seed < 224; ++seed) {
    BlockCase block = random_sequences(seed, 100, 9000);
    block.header.rule = static_cast<DependencyRule>(1 + seed % 4);
    const bool tiles = block.header.rule == DependencyRule::kTile;
    block.header.group_log2 = static_cast<Byte>((tiles ? 10 : 5) + seed / 4 % 6);
    if (!reference_decode(block, true).status.ok()) ++lies;
    const Outcome outcome = GetParam().launch(block, seed % 16, seed);
    EXPECT_EQ(outcome.status, 0u);
    if (!GetParam().trusts_the_rule || tiles) {
      EXPECT_TRUE(outcome.plain == reference_decode(block).plain) << seed;
    }
  }
  EXPECT_GT(lies, 15u);
}

}  // namespace
}  // namespace presso::test::warp_damage_test

// SPDX-License-Identifier: MIT
// Raw blocks arrive at any address with nothing around them touched; checksums of raw and of
// decoded blocks are compared.
#include <random>

#include "presso/checksum.h"
#include "tests/simt/test_batch.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test::raw_test {
namespace {

using presso::test::random_bytes;

constexpr std::uint32_t kSizes[] = {1,    2,    3,    4,    5,    15,   16,    17,    31,   33,
                                    63,   64,   100,  240,  241,  1000, 1023,  1024,  1025, 2048,
                                    3000, 8191, 8192, 8193, 9216, 9300, 16384, 20001, 40960};

BlockHeader raw_header(Bytes plain) {
  BlockHeader header;
  header.plain_bytes = header.payload_bytes = static_cast<std::uint32_t>(plain.size());
  header.content_checksum = content_checksum(plain);
  return header;
}

bool holds(MutableBytes out, const std::vector<Byte>& plain) {
  return std::equal(out.begin(), out.end(), plain.begin(), plain.end());
}

class Raw : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Raw, BlocksOfAnySizeArriveAtAnyAddress) {
  for (const bool verify : {true, false}) {
    TestBatch batch(GetParam());
    std::vector<std::vector<Byte>> plains;
    for (const std::uint32_t size : kSizes) {
      plains.push_back(random_bytes(size, size));
      batch.add(stored_block(raw_header(plains.back()), plains.back()), size);
    }
    batch.options.seed = GetParam() + 1;
    batch.verify = verify;
    batch.run_plan();
    batch.run_finish(1 + GetParam() % 5, 32 << GetParam() % 4);
    for (std::size_t block = 0; block < plains.size(); ++block) {
      EXPECT_EQ(batch.status(block), status_of(ErrorCode::kOk)) << kSizes[block];
      EXPECT_TRUE(holds(batch.out(block), plains[block])) << kSizes[block];
    }
    EXPECT_TRUE(batch.gaps_are_intact());
  }
}

TEST_P(Raw, DecodedBlocksAreCompared) {
  TestBatch batch(GetParam());
  std::vector<Byte> expected;
  std::mt19937_64 random(GetParam());
  for (const std::uint32_t size : kSizes) {
    BlockHeader header;
    header.coding = Coding::kByte;
    header.plain_bytes = size;
    header.content_checksum = content_checksum(random_bytes(size, size));
    batch.add(stored_block(header, {}), size);
  }
  batch.run_plan();
  for (std::size_t block = 0; block < batch.size(); ++block) {
    ASSERT_EQ(batch.status(block), kPlanned);
    const MutableBytes out = batch.out(block);
    const std::vector<Byte> plain = random_bytes(out.size(), out.size());
    std::copy(plain.begin(), plain.end(), out.begin());
    batch.status(block) = kDecoded;
    const bool damage = block % 3 == 0;
    if (damage) out[random() % out.size()] ^= 0x10;
    expected.push_back(damage ? 25 : 0);
  }
  batch.options.order = simt::Order::kReverse;
  batch.run_finish(1 + GetParam() % 3, 32 << GetParam() % 4);
  for (std::size_t block = 0; block < batch.size(); ++block) {
    EXPECT_EQ(batch.status(block), expected[block]) << kSizes[block];
  }
}

INSTANTIATE_TEST_SUITE_P(Addresses, Raw, ::testing::Range(0u, 16u));

TEST(RawBlocks, WithDamageAreErrors) {
  TestBatch batch;
  for (const std::uint32_t size : kSizes) {
    const std::vector<Byte> plain = random_bytes(size, size);
    std::vector<Byte> stored = stored_block(raw_header(plain), plain);
    stored[kBlockHeaderBytes + size / 2] ^= 1;
    batch.add(stored, size);
  }
  batch.run_plan();
  batch.run_finish(2, 64);
  for (std::size_t block = 0; block < batch.size(); ++block) {
    EXPECT_EQ(batch.status(block), status_of(ErrorCode::kContentChecksum)) << kSizes[block];
  }
}

TEST(RawBlocks, OfFinalStatesAreLeftAlone) {
  TestBatch batch;
  const std::vector<Byte> plain = random_bytes(2000, 1);
  for (int block = 0; block < 2; ++block) {
    batch.add(stored_block(raw_header(plain), plain), 2000);
  }
  batch.run_plan();
  batch.status(0) = status_of(ErrorCode::kBadOffset);
  batch.run_finish(1, 64);
  EXPECT_EQ(batch.status(0), status_of(ErrorCode::kBadOffset));
  EXPECT_EQ(batch.status(1), status_of(ErrorCode::kOk));
  EXPECT_TRUE(holds(batch.out(0), std::vector<Byte>(2000, TestBatch::kGap)));
  batch.out(1)[7] ^= 1;  // what is final is not compared twice
  batch.run_finish(1, 64);
  EXPECT_EQ(batch.status(1), status_of(ErrorCode::kOk));
}

/// 4096 segments: the largest block there is.
TEST(RawBlocks, OfTheLargestSizeAreCompared) {
  const std::vector<Byte> plain = presso::test::few_letters(kMaxBlockBytes, 26, 1);
  TestBatch batch;
  batch.add(stored_block(raw_header(plain), plain), kMaxBlockBytes);
  batch.run_plan();
  batch.run_finish(1, 256);
  EXPECT_EQ(batch.status(0), status_of(ErrorCode::kOk));
  EXPECT_TRUE(holds(batch.out(0), plain));
}

}  // namespace
}  // namespace presso::gpu::test::raw_test

// SPDX-License-Identifier: MIT
// Our XXH3 of up to kLongestFolded bytes is that of the xxHash library, for every length class and
// address. tests/simt/xxh3_warp_test.cpp has longer ones.
#include "decompress/gpu/checksum/xxh3.h"

#include <gtest/gtest.h>

#include <array>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/support/placed_bytes.h"
#include "tests/support/test_data.h"

namespace presso::gpu::xxh3_test {
namespace {

std::uint64_t hash(const Byte* from, std::uint32_t size) {
  return xxh3::hash_folded(xxh3::ByteReader{from}, size);
}

TEST(Xxh3, IsTheLibrarysForEveryLength) {
  const std::vector<Byte> bytes = test::random_bytes(xxh3::kLongestFolded, 1);
  for (std::uint32_t size = 0; size <= bytes.size(); ++size) {
    const test::PlacedBytes placed(Bytes(bytes).first(size), 0);
    ASSERT_EQ(hash(placed.data(), size), XXH3_64bits(placed.data(), size)) << size;
  }
}

TEST(Xxh3, IsTheLibrarysForRandomLengthsAtEveryAddress) {
  std::mt19937_64 random(2);
  for (std::uint32_t round = 0; round < 2000; ++round) {
    const auto size = static_cast<std::uint32_t>(random() % (xxh3::kLongestFolded + 1));
    const test::PlacedBytes placed(test::random_bytes(size, random()), round % 8);
    ASSERT_EQ(hash(placed.data(), size), XXH3_64bits(placed.data(), size))
        << size << " at " << round % 8;
  }
}

TEST(Xxh3, IsTheLibrarysForBytesOfOneKind) {
  for (const int value : {0x00, 0xFF}) {
    for (const std::uint32_t size : {1u, 4u, 9u, 17u, 129u, 240u}) {
      const std::vector<Byte> bytes(size, static_cast<Byte>(value));
      EXPECT_EQ(hash(bytes.data(), size), XXH3_64bits(bytes.data(), size)) << size;
    }
  }
}

TEST(Xxh3, HashesWordsAsTheirBytes) {
  std::array<std::uint32_t, 12> words;
  std::mt19937_64 random(3);
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
  EXPECT_EQ(xxh3::hash_17_to_128(xxh3::WordReader{words.data()}, 44),
            XXH3_64bits(words.data(), 44));
}

}  // namespace
}  // namespace presso::gpu::xxh3_test

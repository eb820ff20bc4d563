// SPDX-License-Identifier: MIT
// The checksums are what FORMAT.md 8 says, in terms of the xxHash library.
#include "presso/checksum.h"

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "presso/wire.h"
#include "tests/support/test_data.h"

namespace presso::checksum_test {
namespace {

/// The definition, written again: the hash of the hashes of 1 KiB segments.
std::uint64_t hash_of_hashes(const std::vector<Byte>& bytes) {
  std::vector<std::uint64_t> segments;
  for (std::size_t at = 0; at < bytes.size(); at += 1024) {
    segments.push_back(
        XXH3_64bits(bytes.data() + at, std::min<std::size_t>(1024, bytes.size() - at)));
  }
  return XXH3_64bits(segments.data(), segments.size() * sizeof(std::uint64_t));
}

TEST(Checksum, OfContentIsTheHashOfItsSegmentsHashes) {
  const std::vector<Byte> bytes = test::random_bytes(5000, 1);
  for (const std::size_t size : {1u, 2u, 1023u, 1024u, 1025u, 2048u, 4095u, 5000u}) {
    const std::vector<Byte> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    for (const CpuLevel level : supported_cpu_levels()) {
      EXPECT_EQ(content_checksum(part, level), hash_of_hashes(part)) << size << ' ' << name(level);
    }
  }
}

TEST(Checksum, OfContentReachesTheLargestBlock) {
  const std::vector<Byte> bytes = test::few_letters(kMaxBlockBytes, 26, 2);
  for (const CpuLevel level : supported_cpu_levels()) {
    EXPECT_EQ(content_checksum(bytes, level), hash_of_hashes(bytes)) << name(level);
  }
}

TEST(Checksum, OfContentAtAnyAlignment) {
  const std::vector<Byte> bytes = test::random_bytes(4200, 5);
  for (std::size_t at = 0; at <= 64; ++at) {
    const Bytes part = Bytes(bytes).subspan(at, 4096);
    for (const CpuLevel level : supported_cpu_levels()) {
      EXPECT_EQ(content_checksum(part, level), hash_of_hashes({part.begin(), part.end()}))
          << at << ' ' << name(level);
    }
  }
}

TEST(Checksum, OfHeadersAndSectionsIsXxh3) {
  const std::vector<Byte> bytes = test::random_bytes(300, 3);
  EXPECT_EQ(checksum64(bytes), XXH3_64bits(bytes.data(), bytes.size()));
  EXPECT_EQ(checksum32(bytes), static_cast<std::uint32_t>(checksum64(bytes)));
  EXPECT_EQ(checksum64({}), 0x2D06800538D394C2u);  // published value for no input and seed 0
}

TEST(Checksum, OfLongSectionsIsXxh3AtEveryAlignment) {
  const std::vector<Byte> bytes = test::random_bytes(200'000, 4);
  for (const std::size_t size : {4095u, 4096u, 4097u, 5000u, 65536u, 99'999u}) {
    for (std::size_t at = 0; at < 64; at += 13) {
      const Bytes part(bytes.data() + at, size);
      EXPECT_EQ(checksum64(part), XXH3_64bits(part.data(), part.size())) << size << ' ' << at;
    }
  }
}

TEST(Checksum, OfPiecesIsThatOfAll) {
  const std::vector<Byte> bytes = test::random_bytes(70'000, 4);
  for (const std::size_t piece : {1u, 7u, 240u, 256u, 1000u, 65'536u, 70'000u}) {
    Checksum64 checksum;
    EXPECT_EQ(checksum.value(), checksum64({}));
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      checksum.add(Bytes(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    }
    EXPECT_EQ(checksum.value(), checksum64(bytes)) << piece;
  }
}

TEST(Checksum, OfContentChangesWithEveryByte) {
  std::vector<Byte> bytes = test::random_bytes(3000, 4);
  const std::uint64_t before = content_checksum(bytes);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    bytes[at] = static_cast<Byte>(bytes[at] ^ 1);
    EXPECT_NE(content_checksum(bytes), before);
    bytes[at] = static_cast<Byte>(bytes[at] ^ 1);
  }
}

}  // namespace
}  // namespace presso::checksum_test

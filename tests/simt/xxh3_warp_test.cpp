// SPDX-License-Identifier: MIT
// Hashing by warps gives what the xxHash library gives, in the lanes that the functions promise.
#include "decompress/gpu/checksum/xxh3_warp.cuh"

#include <gtest/gtest.h>

#include <array>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "tests/support/placed_bytes.h"
#include "tests/support/test_data.h"

namespace presso::gpu::xxh3_warp_test {
namespace {

using simt::u32;
using simt::u64;
using Lanes = std::array<u64, simt::kWarpSize>;

/// What each lane of one warp returns.
template <class Body>
Lanes run_warp(Body body) {
  Lanes results{};
  const simt::Report report = simt::run({}, {}, [&] { results[simt::lane()] = body(); });
  EXPECT_TRUE(report.ok()) << report.what;
  return results;
}

Lanes same(u64 value) {
  Lanes lanes;
  lanes.fill(value);
  return lanes;
}

TEST(WarpHash, OfWordsIsTheLibrarysForEveryCount) {
  std::vector<u64> words(4096);
  std::mt19937_64 random(1);
  for (u64& word : words) word = random();
  std::vector<u32> counts = {512, 513, 640, 1023, 1024, 1025, 4095, 4096};
  for (u32 count = 1; count < 300; ++count) counts.push_back(count);
  for (const u32 count : counts) {
    const std::vector<u64> exactly(words.begin(), words.begin() + count);
    const u64 expected = XXH3_64bits(exactly.data(), count * sizeof(u64));
    EXPECT_EQ(run_warp([&] { return warp_xxh3_words(exactly.data(), count); }), same(expected))
        << count;
  }
}

TEST(WarpHash, OfBytesIsTheLibrarysAtEveryAddress) {
  const std::vector<Byte> bytes = presso::test::random_bytes(2100, 2);
  u32 round = 0;
  for (u32 size = 0; size <= bytes.size(); size += size < 260 ? 1 : 37) {
    const presso::test::PlacedBytes placed(Bytes(bytes).first(size), round++ % 16);
    const u64 expected = XXH3_64bits(bytes.data(), size);
    EXPECT_EQ(run_warp([&] { return warp_xxh3(placed.data(), size); }), same(expected)) << size;
  }
}

TEST(WarpHash, OfOneSegmentIsInAllLanes) {
  const std::vector<Byte> bytes = presso::test::random_bytes(3072, 3);
  for (u32 remainder = 0; remainder < 16; ++remainder) {
    const presso::test::PlacedBytes placed(bytes, remainder);
    for (u32 at = 0; at < bytes.size(); at += 1024) {
      const u64 expected = XXH3_64bits(bytes.data() + at, 1024);
      const xxh3::UnalignedSource source{placed.data(), static_cast<u32>(bytes.size())};
      EXPECT_EQ(run_warp([&] { return warp_segment_hash(source, at, xxh3::segment_keys()); }),
                same(expected));
      if (remainder != 0) continue;
      const xxh3::ReadonlySource aligned{placed.data()};
      EXPECT_EQ(run_warp([&] { return warp_segment_hash(aligned, at, xxh3::segment_keys()); }),
                same(expected));
    }
  }
}

TEST(WarpHash, OfEightSegmentsIsInTheirQuads) {
  const std::vector<Byte> bytes = presso::test::random_bytes(9 * 1024, 4);
  const presso::test::PlacedBytes placed(bytes, 0);
  const Lanes hashes = run_warp([&] {
    return warp_segment_hashes(xxh3::ReadonlySource{placed.data()}, 1024, xxh3::segment_keys());
  });
  for (u32 lane = 0; lane < simt::kWarpSize; ++lane) {
    EXPECT_EQ(hashes[lane], XXH3_64bits(bytes.data() + 1024 * (1 + lane / 4), 1024)) << lane;
  }
}

TEST(WarpHash, FinishesQuadsWithSumsFromElsewhere) {
  const std::vector<Byte> bytes = presso::test::random_bytes(1024, 5);
  const presso::test::PlacedBytes placed(bytes, 0);
  const Lanes hashes = run_warp([&] {
    const xxh3::Pair sums =
        xxh3::segment_sums(xxh3::ReadonlySource{placed.data()}, 0, xxh3::segment_keys());
    return xxh3::finish_quad(sums, xxh3::kSegmentBytes);
  });
  EXPECT_EQ(hashes, same(XXH3_64bits(bytes.data(), bytes.size())));
}

/// Which segment each quad is given is the caller's choice.
template <u32 kCount>
void expect_hashes_apart() {
  const std::vector<Byte> bytes = presso::test::random_bytes(8 * 1024, 6);
  const presso::test::PlacedBytes placed(bytes, 0);
  const auto segment = [&](u32 quad) { return placed.data() + (7 - quad % kCount) * 1024; };
  const Lanes hashes =
      run_warp([&] { return warp_segment_hashes_apart<kCount>(segment(xxh3::lane_quad())); });
  for (u32 lane = 0; lane < simt::kWarpSize; ++lane) {
    EXPECT_EQ(hashes[lane], XXH3_64bits(segment(lane / 4), 1024)) << lane;
  }
}

TEST(WarpHash, OfSegmentsApartIsInTheirQuads) {
  expect_hashes_apart<4>();
  expect_hashes_apart<8>();
}

}  // namespace
}  // namespace presso::gpu::xxh3_warp_test

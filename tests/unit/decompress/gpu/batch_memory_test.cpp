// SPDX-License-Identifier: MIT
// The parts of a batch's temporary memory lie apart, in their alignment, and within its size.
#include "decompress/gpu/batch/batch_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "decompress/gpu/bit/unpacked_block.h"

namespace presso::gpu::batch_memory_test {
namespace {

constexpr std::uint64_t kKib = 1024;

/// Every combination that changes the parts.
std::vector<BatchOptions> all_options() {
  std::vector<BatchOptions> all;
  for (const bool verify : {false, true}) {
    for (const bool bit_blocks : {false, true}) {
      for (const Strategy strategy : {Strategy::kAuto, Strategy::kMultiRound}) {
        all.push_back({strategy, verify, bit_blocks});
      }
    }
  }
  return all;
}

TEST(BatchMemory, PartsDoNotOverlap) {
  for (const BatchOptions& options : all_options()) {
    for (const std::uint32_t blocks : {1u, 2u, 3u, 64u, 1000u, 70'000'000u}) {
      const BatchMemory memory(blocks, options);
      const std::uint64_t segments = BatchMemory::segments_of_batch(blocks, 256 * kKib * blocks);
      EXPECT_EQ(memory.plans(), BatchMemory::kAlignment);
      EXPECT_GE(memory.unpacked(), memory.plans() + blocks * sizeof(BlockPlan));
      const std::uint64_t unpacked = memory.has_unpacked() ? kUnpackedCells * segments : 0;
      EXPECT_EQ(memory.records(segments), memory.unpacked() + kUnpackedCellBytes * unpacked);
      const std::uint64_t cells = memory.has_records() ? kSurveyCells * segments : 0;
      EXPECT_EQ(memory.hashes(segments), memory.records(segments) + kSurveyCellBytes * cells);
      const std::uint64_t hashes = memory.has_hashes() ? 8 * segments : 0;
      EXPECT_EQ(memory.bytes(segments), memory.hashes(segments) + hashes);
      EXPECT_EQ(memory.plans() % BatchMemory::kAlignment, 0u);
      EXPECT_EQ(memory.unpacked() % BatchMemory::kAlignment, 0u);
      EXPECT_EQ(memory.records(segments) % kSurveyCellBytes, 0u);
    }
  }
}

TEST(BatchMemory, HasRoomForWhatItWasAskedFor) {
  for (const BatchOptions& options : all_options()) {
    const BatchMemory memory(100, options);
    for (const std::uint64_t segments : {100u, 101u, 12345u}) {
      const bool any = memory.has_hashes() || memory.has_records() || memory.has_unpacked();
      EXPECT_EQ(memory.segments_in(memory.bytes(segments)), any ? segments : 0);
      EXPECT_EQ(memory.segments_in(memory.bytes(segments) - 1), any ? segments - 1 : 0);
    }
  }
}

/// A Bit block has room for all that it can have, whatever its size is.
TEST(BatchMemory, HasRoomForEveryUnpackedBlock) {
  for (std::uint32_t plain_bytes = 1; plain_bytes <= kMaxBlockBytes;
       plain_bytes += 1 + plain_bytes / 50) {
    const std::uint32_t sequences = (plain_bytes + 2) / 3;
    EXPECT_LE(UnpackedBlock::bytes(plain_bytes, sequences, plain_bytes),
              unpacked_bytes_of(plain_bytes))
        << plain_bytes;
  }
}

/// Whatever the sizes of blocks are, all of their segments are counted.
TEST(BatchMemory, CountsEnoughSegments) {
  const std::array<std::array<std::uint32_t, 4>, 4> batches{
      {{1, 1, 1, 1}, {1024, 1025, 1, 2047}, {262144, 262144, 262144, 1}, {4u << 20, 3, 3, 3}}};
  for (const auto& sizes : batches) {
    std::uint64_t plain_bytes = 0, segments = 0;
    for (const std::uint32_t size : sizes) {
      plain_bytes += size;
      segments += claimed_segments_of(size);
    }
    EXPECT_LE(segments, BatchMemory::segments_of_batch(4, plain_bytes));
  }
}

TEST(BatchMemory, CostsLittle) {
  const std::uint64_t plain_bytes = std::uint64_t{1} << 30;
  const std::uint64_t segments = BatchMemory::segments_of_batch(4096, plain_bytes);
  const BatchMemory tokens(4096, {Strategy::kAuto, true, false});
  EXPECT_LT(tokens.bytes(segments), plain_bytes / 9);
  const BatchMemory records(4096, {});
  EXPECT_LT(records.bytes(segments), plain_bytes * 3);
}

}  // namespace
}  // namespace presso::gpu::batch_memory_test

// SPDX-License-Identifier: MIT
// The suite of columns in the emulator; and what other kernels do with a vector: take its values
// from registers.
#include <gtest/gtest.h>

#include "tests/simt/emulated_columns.h"

namespace presso::gpu::test {
namespace {

using presso::test::PlacedBytes;

/// A fused kernel: counts the values of vector 0 in a range and adds them up, from registers.
struct CountAndSum {
  u32 count = 0;
  u64 sum = 0;
};
CountAndSum count_between(const IntegerBlock& block, u64 least, u64 most) {
  CountAndSum result;
  const simt::Launch shape{1, kWarpSize, staging_words<u64>() * sizeof(u32)};
  const simt::Report report = simt::run(shape, {}, [&] {
    IntegerVector<u64> of;
    auto* const staging = reinterpret_cast<u32*>(simt::shared_memory());
    if (open_vector(block, 0, staging, of) != ErrorCode::kOk) return;
    for_each_value(of, [&](u32 step, u64 value) {
      const bool is_row = step * kWarpSize + simt::lane() < of.n;
      const bool hit = is_row && least <= value && value <= most;
      const u32 hits = simt::ballot(hit);
      if (simt::lane() == 0) result.count += simt::popcount(hits);
      if (hit) result.sum += value;
    });
  });
  EXPECT_TRUE(report.ok()) << report.what;
  return result;
}

TEST(IntegerVectors, HandTheirValuesToOtherKernelsInRegisters) {
  // 40 values 7 * (i % 8), width 6, base 1000: by the definition of lane packing.
  std::vector<u32> words(kWarpSize);
  for (u32 i = 0; i < 40; ++i) words[i % kWarpSize] |= (7 * (i % 8)) << (6 * (i / kWarpSize));
  std::vector<Byte> payload = {0, 0, 0, 0, 0, 6, 0, 0};
  append_value(payload, u64{1000});
  for (const u32 word : words) append_value(payload, word);
  IntegerBlock block;
  const PlacedBytes placed(payload, 0);
  block.payload = {placed.data(), static_cast<u32>(payload.size()), 0};
  block.parameters = {8, true, false, 40, 1};
  const CountAndSum all = count_between(block, 0, ~u64{0});
  EXPECT_EQ(all.count, 40u);
  EXPECT_EQ(all.sum, 40 * 1000 + 7 * 28 * 5);
  const CountAndSum some = count_between(block, 1007, 1020);
  EXPECT_EQ(some.count, 10u);
  EXPECT_EQ(some.sum, 5 * (1007 + 1014));
}

}  // namespace

ColumnBackend& column_backend() {
  static EmulatedColumnBackend backend;
  return backend;
}

}  // namespace presso::gpu::test

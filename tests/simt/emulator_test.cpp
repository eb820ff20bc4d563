// SPDX-License-Identifier: MIT
#include "tests/simt/emulator.h"

#include <gtest/gtest.h>

#include "decompress/gpu/simt.h"

namespace presso::simt {
namespace {

TEST(Emulator, RunsEveryLaneOfEveryBlockOnce) {
  std::vector<int> seen(3 * 64);
  const Report report = run({.grid = 3, .block_threads = 64, .shared_bytes = 0}, {}, [&] {
    ++seen[block_index() * block_threads() + warp_in_block() * kWarpSize + lane()];
  });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_EQ(seen, std::vector<int>(3 * 64, 1));
}

TEST(Emulator, Sums) {
  std::vector<u32> sums(64);
  const Report report = run({.grid = 1, .block_threads = 64, .shared_bytes = 256}, {}, [&] {
    auto* shared = reinterpret_cast<u32*>(shared_memory());
    sums[thread_in_block()] = inclusive_sum(lane() + 1);
    shared[thread_in_block()] = ballot(lane() < 4);
    block_sync();
    ASSERT_EQ(shared[63 - thread_in_block()], 15u);
    ASSERT_EQ(block_sync_count(lane() == 3), 2u);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  for (u32 i = 0; i < 64; ++i) EXPECT_EQ(sums[i], (i % 32 + 1) * (i % 32 + 2) / 2);
}

}  // namespace
}  // namespace presso::simt

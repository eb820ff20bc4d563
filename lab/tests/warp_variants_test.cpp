// SPDX-License-Identifier: MIT
// The laboratory's strategies of the warp decoder for the suites of tests/simt
// (warp_decoder_test.cpp, warp_damage_test.cpp): sc, one kernel a round, and counters of rounds;
// and what only the kernels of rounds can meet.
#include <gtest/gtest.h>

#include "lab/gpu/multi_kernel.cuh"
#include "lab/gpu/sequential.cuh"
#include "lab/tests/counted_rounds.h"
#include "tests/simt/hand_blocks.h"
#include "tests/simt/warp_launch.h"

namespace presso::test {
namespace {

/// Lists, then rounds until every reference is done.
template <class Policy>
Outcome decode_by_kernels(const BlockCase& block, u32 misalignment, u32 seed) {
  const DeviceBlock device(block, misalignment);
  Outcome outcome{kPlanned, {}};
  std::vector<simt::u64> references(gpu::lab::references_of(block.header.plain_bytes));
  u32 begin = 77, end = 78;
  const gpu::lab::ReferenceLists lists{references.data(), &begin, &end,
                                       static_cast<u32>(references.size())};
  auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, options_of(seed), [&] {
    gpu::lab::list_references_body<Policy>(&device.plan(), &outcome.status, 1, lists);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  for (u32 rounds = end; rounds > 0 && outcome.status == kPlanned; --rounds) {
    report = simt::run({}, options_of(seed + rounds), [&] {
      gpu::lab::resolve_round_body<Policy>(&device.plan(), &outcome.status, 1, lists);
    });
    EXPECT_TRUE(report.ok()) << report.what;
  }
  EXPECT_TRUE(device.guarded());
  outcome.plain = device.plain();
  return outcome;
}

TEST(MultiKernel, LeavesWhatItsListsCannotHold) {
  const BlockCase block = random_sequences(1, 100, 5000);
  const DeviceBlock device(block, 0);
  std::vector<simt::u64> references(99);
  u32 status = kPlanned, begin = 5, end = 6;
  const gpu::lab::ReferenceLists lists{references.data(), &begin, &end, 99};
  const auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, {}, [&] {
    gpu::lab::list_references_body<WarpPolicy<1, 4, 1>>(&device.plan(), &status, 1, lists);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_EQ(status, u32{kPlanned});
  EXPECT_EQ(begin, end);
}

/// Too few launches: the warp decoder, enqueued after them, decodes the block as a whole.
TEST(MultiKernel, LeavesBlocksThatNeedMoreRounds) {
  using Policy = WarpPolicy<1, 4, 1>;
  const BlockCase block = random_sequences(4, 100, 5000);
  const DeviceBlock device(block, 3);
  std::vector<simt::u64> references(gpu::lab::references_of(block.header.plain_bytes));
  u32 status = kPlanned, begin = 0, end = 0;
  const gpu::lab::ReferenceLists lists{references.data(), &begin, &end,
                                       static_cast<u32>(references.size())};
  const simt::Launch with_table{.shared_bytes = sizeof(gpu::SegmentTable)};
  auto report = simt::run(with_table, {}, [&] {
    gpu::lab::list_references_body<Policy>(&device.plan(), &status, 1, lists);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  report = simt::run(
      {}, {}, [&] { gpu::lab::resolve_round_body<Policy>(&device.plan(), &status, 1, lists); });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_EQ(status, u32{kPlanned});
  EXPECT_LT(begin, end);
  report = simt::run(with_table, {}, [&] {
    gpu::warp_decoder_body<gpu::InTurn, Policy>(&device.plan(), &status, 1);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_EQ(status, 0u);
  EXPECT_TRUE(device.plain() == reference_decode(block).plain);
}

}  // namespace

std::vector<Strategy> warp_strategies() {
  using gpu::lab::Sequential;
  return {
      {"sequential", decode_with<Sequential, WarpPolicy<1, 4, 1>>},
      {"sequential, 4 bytes a lane", decode_with<Sequential, WarpPolicy<4, 1, 4>>},
      {"counted rounds", decode_counted<gpu::MultiRound<false>, CountingPolicy<1, 4, 1>>},
      {"counted rounds in teams", decode_counted<gpu::MultiRound<true>, CountingPolicy<1, 16, 4>>},
      {"a kernel a round", decode_by_kernels<WarpPolicy<1, 4, 1>>},
      {"a kernel a round, 8 bytes a lane", decode_by_kernels<WarpPolicy<4, 2, 8>>},
  };
}

}  // namespace presso::test

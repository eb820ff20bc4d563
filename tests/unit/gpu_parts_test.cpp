// SPDX-License-Identifier: MIT
// Parts of the host side of GPU decoding by themselves: the team of threads, memory under limits,
// how large slots are.
#include <gtest/gtest.h>

#include "decompress/gpu/pipeline/slot_plan.h"
#include "decompress/gpu/pipeline/team.h"
#include "tests/support/fake_device.h"

namespace presso::gpu {
namespace {

using test::FakeCounts;
using test::FakeFaults;
using test::make_fake_device;

constexpr std::uint64_t kMiB = 1u << 20;
constexpr MemoryLimits kNoLimits{};

TEST(TeamOfThreads, DoesEachPieceOnce) {
  for (const unsigned threads : {0u, 1u, 4u}) {
    Team team(threads);
    for (const std::size_t pieces : {0u, 1u, 3u, 100u}) {
      std::vector<std::atomic<int>> done(pieces);
      EXPECT_TRUE(team.run(pieces,
                           [&](std::size_t piece) -> Status {
                             ++done[piece];
                             return {};
                           })
                      .ok());
      for (const auto& count : done) EXPECT_EQ(count, 1);
    }
  }
}

TEST(TeamOfThreads, ReportsTheLowestPieceThatFailed) {
  Team team(4);
  for (int again = 0; again < 50; ++again) {
    const Status failed = team.run(40, [](std::size_t piece) -> Status {
      if (piece % 7 != 3) return {};
      return make_error(ErrorCode::kIo, std::to_string(piece));
    });
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().what, "3");
  }
  EXPECT_TRUE(team.run(3, [](std::size_t) { return Status(); }).ok());
}

TEST(TeamOfThreads, CoversBytesWithoutGapOrOverlap) {
  Team team(3);
  for (const std::uint64_t bytes : {0u, 1u, 10u, 11u, 99u}) {
    std::vector<std::atomic<int>> touched(bytes);
    EXPECT_TRUE(run_over_bytes(team, bytes, 10, [&](std::uint64_t begin, std::uint64_t end) {
                  for (std::uint64_t at = begin; at < end; ++at) ++touched[at];
                  return Status();
                }).ok());
    for (const auto& count : touched) EXPECT_EQ(count, 1);
  }
}

TEST(MemoryUnderLimits, CountsWhatIsHeldOnly) {
  const auto counts = std::make_shared<FakeCounts>();
  const auto device = make_fake_device(counts);
  Memory memory(*device, {1000, 500});
  auto first = memory.allocate(600);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(memory.allocate(401).error().code, ErrorCode::kDeviceMemory);
  EXPECT_TRUE(memory.allocate(400).ok());
  EXPECT_EQ(memory.allocate_pinned(501).error().code, ErrorCode::kOutOfMemory);
  EXPECT_TRUE(memory.allocate_pinned(500).ok());
  first->reset();
  EXPECT_TRUE(memory.allocate(1000).ok());
  EXPECT_EQ(counts->device_bytes, 0u);
}

TEST(MemoryUnderLimits, ARefusalCountsForNothing) {
  FakeFaults faults;
  faults.device_memory = 100;
  faults.pinned_memory = 100;
  const auto device = make_fake_device(std::make_shared<FakeCounts>(), faults);
  Memory memory(*device, {1000, 1000});
  EXPECT_EQ(memory.allocate(900).error().code, ErrorCode::kDeviceMemory);
  EXPECT_EQ(memory.allocate_pinned(900).error().code, ErrorCode::kOutOfMemory);
  EXPECT_TRUE(memory.allocate(100).ok());
  EXPECT_TRUE(memory.allocate_pinned(100).ok());
}

class SlotPlans : public ::testing::Test {
 protected:
  SlotPlan plan(const WorkHint& hint, const GpuOptions& options = {},
                const MemoryLimits& limits = kNoLimits) {
    return plan_slots(options, hint, limits, 0, *device_);
  }
  std::uint64_t device_bytes(const SlotPlan& made) {
    return made.slots * made.capacity.device_bytes(*device_, {});
  }

  std::unique_ptr<Device> device_ = make_fake_device(std::make_shared<FakeCounts>());
};

TEST_F(SlotPlans, GrowWithTheWork) {
  EXPECT_EQ(plan({}).capacity.plain_bytes, 64 * kMiB);
  EXPECT_EQ(plan({100 * kMiB, 25 * kMiB}).capacity.plain_bytes, 8 * kMiB);
  EXPECT_EQ(plan({1024 * kMiB, 256 * kMiB}).capacity.plain_bytes, 16 * kMiB);
  EXPECT_EQ(plan({100'000 * kMiB, 25'000 * kMiB}).capacity.plain_bytes, 64 * kMiB);
}

TEST_F(SlotPlans, AreNoMoreThanTheWorkNeeds) {
  EXPECT_EQ(plan({kMiB, kMiB / 4}).slots, 1u);
  EXPECT_LE(plan({kMiB, kMiB / 4}).capacity.plain_bytes, kMiB);
  EXPECT_EQ(plan({20 * kMiB, 5 * kMiB}).slots, 3u);
  EXPECT_EQ(plan({kMiB, kMiB / 4, 2}).slots, 2u) << "two files may overlap";
  EXPECT_EQ(plan({}).slots, GpuOptions().slots);
}

TEST_F(SlotPlans, HoldStoredBytesByTheRatio) {
  const SlotCapacity dense = plan({1000 * kMiB, 100 * kMiB}).capacity;
  const SlotCapacity loose = plan({1000 * kMiB, 1000 * kMiB}).capacity;
  EXPECT_LT(dense.stored_bytes, dense.plain_bytes / 5);
  EXPECT_GE(loose.stored_bytes, loose.plain_bytes);
}

TEST_F(SlotPlans, FitTheLimits) {
  const WorkHint hint{1000 * kMiB, 300 * kMiB};
  for (const std::uint64_t limit : {2000, 200, 40, 12, 5}) {
    SCOPED_TRACE(limit);
    const SlotPlan device = plan(hint, {}, {limit * kMiB, ~std::uint64_t{0}});
    EXPECT_LE(device_bytes(device), limit * kMiB);
    const SlotPlan pinned = plan(hint, {}, {~std::uint64_t{0}, limit * kMiB});
    EXPECT_LE(pinned.slots * pinned.capacity.pinned_bytes(), limit * kMiB);
    EXPECT_GE(pinned.capacity.plain_bytes, kMiB);
  }
}

TEST_F(SlotPlans, NeedLittlePinnedMemoryWhereNothingComesBack) {
  WorkHint hint{1000 * kMiB, 100 * kMiB};
  const std::uint64_t with = plan(hint).capacity.pinned_bytes();
  hint.keeps_output = false;
  EXPECT_LT(plan(hint).capacity.pinned_bytes(), with / 4);
}

TEST_F(SlotPlans, AnEmptySlotGrowsToHoldABlock) {
  const SlotCapacity grown = grown_for({}, 1000, 20'000);
  EXPECT_GE(grown.blocks, 1u);
  EXPECT_GE(grown.stored_bytes, 1000u);
  EXPECT_GE(grown.plain_bytes, 20'000u);
}

}  // namespace
}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// Parts of the host side of GPU decoding by themselves: the team of threads, dictionaries of
// members, memory under limits, how large slots and batches are and what goes into one.
#include <gtest/gtest.h>

#include "decompress/gpu/pipeline/batch_sizes.h"
#include "decompress/gpu/pipeline/member_dictionaries.h"
#include "decompress/gpu/pipeline/slot_batch.h"
#include "decompress/gpu/runtime/team.h"
#include "tests/support/gpu_runs.h"

namespace presso::gpu::gpu_parts_test {
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

class Dictionaries : public ::testing::Test {
 protected:
  bool enter(std::size_t member) {
    const std::vector<ArchiveMember>& members = index_->members();
    return dictionaries_.enter(members, members[member], team_).ok();
  }
  /// What the member's own section decodes to.
  std::vector<Byte> expected(std::size_t member) const {
    const StoredSection& section = index_->members()[member].dictionaries.front();
    return content(*Dictionary::decode(section.payload.bytes()));
  }
  static std::vector<Byte> content(const std::shared_ptr<const Dictionary>& dictionary) {
    const Bytes bytes = dictionary->content();
    return {bytes.begin(), bytes.end()};
  }

  test::ManyMembers many_;  // three with a dictionary each, and an empty one
  MemoryRandomAccess file_{many_.file};
  Result<ArchiveIndex> index_ = ArchiveIndex::open(file_);
  Team team_{2};
  MemberDictionaries dictionaries_;
};

TEST_F(Dictionaries, AreThoseOfTheMemberEnteredLastInAnyOrder) {
  EXPECT_EQ(dictionaries_.find(1), nullptr);
  for (const std::size_t member : {0u, 1u, 2u, 3u, 1u, 1u, 0u, 2u, 3u}) {
    SCOPED_TRACE(member);
    ASSERT_TRUE(enter(member));
    EXPECT_EQ(dictionaries_.find(2), nullptr);
    if (member == 3) {
      EXPECT_EQ(dictionaries_.find(1), nullptr);
    } else {
      EXPECT_EQ(content(dictionaries_.find(1)), expected(member));
    }
  }
}

TEST_F(Dictionaries, AreNotDecodedAgainWhileTheyAreInUse) {
  ASSERT_TRUE(enter(0) && enter(1));
  const auto first = dictionaries_.find(1);
  ASSERT_TRUE(enter(1));
  EXPECT_EQ(dictionaries_.find(1), first);
  ASSERT_TRUE(enter(2));
  EXPECT_NE(dictionaries_.find(1), first);
}

/// Decoded along with the one before it, but refused only where it is entered.
TEST_F(Dictionaries, ABadOneIsItsMembersError) {
  std::vector<ArchiveMember> members;
  for (const std::size_t member : {0u, 1u, 2u}) {
    members.push_back({});
    StoredSection section;
    const StoredSection& of = index_->members()[member].dictionaries.front();
    section.header = of.header;
    section.file_offset = 100 + member;
    section.payload.append(of.payload.bytes());
    if (member == 2) section.payload.data()[0] ^= 1;
    members.back().dictionaries.push_back(std::move(section));
  }
  EXPECT_TRUE(dictionaries_.enter(members, members[0], team_).ok());
  EXPECT_TRUE(dictionaries_.enter(members, members[1], team_).ok());
  for (int again = 0; again < 2; ++again) {
    const Status bad = dictionaries_.enter(members, members[2], team_);
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().byte_offset, 102u);
  }
  EXPECT_TRUE(dictionaries_.enter(members, members[1], team_).ok());
}

TEST(MemoryUnderLimits, CountsWhatIsHeldOnly) {
  const auto counts = std::make_shared<FakeCounts>();
  const auto device = make_fake_device(counts).device;
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
  const auto device = make_fake_device(std::make_shared<FakeCounts>(), faults).device;
  Memory memory(*device, {1000, 1000});
  EXPECT_EQ(memory.allocate(900).error().code, ErrorCode::kDeviceMemory);
  EXPECT_EQ(memory.allocate_pinned(900).error().code, ErrorCode::kOutOfMemory);
  EXPECT_TRUE(memory.allocate(100).ok());
  EXPECT_TRUE(memory.allocate_pinned(100).ok());
}

TEST(MemoryThatIsKept, IsGivenOutAgainWhereItFits) {
  const auto counts = std::make_shared<FakeCounts>();
  const auto device = make_fake_device(counts).device;
  constexpr std::uint64_t kPiece = 1 << 20;
  {
    Memory memory(*device, {4 * kPiece, 0}, {3 * kPiece, 0});
    auto first = memory.allocate(kPiece);
    ASSERT_TRUE(first.ok());
    Byte* const there = first->get();
    first->reset();
    EXPECT_EQ(counts->device_bytes, kPiece);
    // Of memory that is far too large for it nothing is taken.
    auto small = memory.allocate(kPiece / 2);
    ASSERT_TRUE(small.ok());
    EXPECT_NE(small->get(), there);
    auto again = memory.allocate(kPiece - kPiece / 8);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->get(), there);
    EXPECT_EQ(again->bytes(), kPiece);
    small->reset();
    again->reset();
    EXPECT_EQ(counts->device_bytes, kPiece + kPiece / 2);
    // What is kept goes where the limit would be passed, and what is too large is not kept.
    auto large = memory.allocate(4 * kPiece);
    ASSERT_TRUE(large.ok());
    EXPECT_EQ(counts->device_bytes, 4 * kPiece);
    large->reset();
    EXPECT_EQ(counts->device_bytes, 0u);
    EXPECT_TRUE(memory.allocate(kPiece).ok());
    EXPECT_EQ(counts->device_bytes, kPiece);
  }
  EXPECT_EQ(counts->device_bytes, 0u);
}

TEST(MemoryThatIsKept, GoesWhereTheDeviceHasNoMore) {
  FakeFaults faults;
  faults.device_memory = 1000;
  const auto device = make_fake_device(std::make_shared<FakeCounts>(), faults).device;
  Memory memory(*device, {1 << 20, 0}, {1 << 20, 0});
  EXPECT_TRUE(memory.allocate(100).ok());
  EXPECT_TRUE(memory.allocate(950).ok());
  EXPECT_EQ(memory.allocate(1001).error().code, ErrorCode::kDeviceMemory);
}

class SlotPlans : public ::testing::Test {
 protected:
  SlotPlan plan(const WorkHint& hint, const GpuOptions& options = {},
                const MemoryLimits& limits = kNoLimits) {
    return plan_slots(options, {hint}, {limits, 0, *fake_.decoder});
  }
  SlotPlan plan_into_device(std::uint64_t plain_bytes, std::uint64_t stored_bytes,
                            const MemoryLimits& limits = kNoLimits) {
    return plan_slots({}, {{plain_bytes, stored_bytes}, true}, {limits, 0, *fake_.decoder});
  }
  std::uint64_t device_bytes(const SlotPlan& made) {
    return made.slots * made.capacity.device_bytes(*fake_.decoder, {});
  }

  DecodingDevice fake_ = make_fake_device(std::make_shared<FakeCounts>());
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

TEST_F(SlotPlans, AreLargerWhereNothingComesThroughThem) {
  const WorkHint out{1024 * kMiB, 256 * kMiB}, pinned{1024 * kMiB, 256 * kMiB, 1, false};
  EXPECT_EQ(plan(out).capacity.plain_bytes, 16 * kMiB);
  EXPECT_EQ(plan(pinned).capacity.plain_bytes, 32 * kMiB);
  EXPECT_EQ(plan(pinned).capacity.output_bytes, 32 * kMiB);
}

TEST_F(SlotPlans, IntoDeviceMemoryGoByStoredBytes) {
  // Text, XML, logs, of 8 GiB each.
  EXPECT_EQ(plan_into_device(8192 * kMiB, 4096 * kMiB).capacity.plain_bytes, 64 * kMiB);
  EXPECT_EQ(plan_into_device(8192 * kMiB, 1365 * kMiB).capacity.plain_bytes / kMiB, 192u);
  EXPECT_EQ(plan_into_device(8192 * kMiB, 456 * kMiB).capacity.plain_bytes, 512 * kMiB);
  // Less work, so that batches overlap.
  EXPECT_EQ(plan_into_device(1024 * kMiB, 57 * kMiB).capacity.plain_bytes, 256 * kMiB);
  EXPECT_EQ(plan_into_device(100 * kMiB, 50 * kMiB).capacity.plain_bytes, 25 * kMiB);
  EXPECT_EQ(plan_into_device(100 * kMiB, 50 * kMiB).slots, GpuOptions().slots);
}

TEST_F(SlotPlans, IntoDeviceMemoryNeedLittleOfTheirOwn) {
  const SlotPlan logs = plan_into_device(8192 * kMiB, 456 * kMiB);
  EXPECT_EQ(logs.capacity.output_bytes, 64 * kMiB);
  EXPECT_FALSE(logs.capacity.keeps_output);
  EXPECT_LT(logs.capacity.pinned_bytes(), 48 * kMiB);
  EXPECT_LT(logs.capacity.device_bytes(*fake_.decoder, {}), 160 * kMiB);
}

TEST_F(SlotPlans, IntoDeviceMemoryFitTheLimits) {
  for (const std::uint64_t limit : {2000, 300, 64, 12, 5}) {
    SCOPED_TRACE(limit);
    const SlotPlan device =
        plan_into_device(8192 * kMiB, 456 * kMiB, {limit * kMiB, ~std::uint64_t{0}});
    EXPECT_LE(device_bytes(device), limit * kMiB);
    const SlotPlan pinned =
        plan_into_device(8192 * kMiB, 4096 * kMiB, {~std::uint64_t{0}, limit * kMiB});
    EXPECT_LE(pinned.slots * pinned.capacity.pinned_bytes(), limit * kMiB);
    EXPECT_GE(pinned.capacity.plain_bytes, kMiB);
    for (const SlotPlan& made : {device, pinned}) {
      EXPECT_LE(made.capacity.output_bytes, made.capacity.plain_bytes);
    }
  }
}

TEST_F(SlotPlans, JoinedServeBoth) {
  const SlotPlan through = plan({1000 * kMiB, 500 * kMiB});
  const SlotPlan device = plan_into_device(1000 * kMiB, 60 * kMiB);
  EXPECT_FALSE(covers(through, device));
  EXPECT_FALSE(covers(device, through));
  const SlotPlan both = joined(through, device);
  EXPECT_TRUE(covers(both, through));
  EXPECT_TRUE(covers(both, device));
  const SlotPlan none{0, {}};
  EXPECT_EQ(joined(none, device).capacity, device.capacity);
}

TEST_F(SlotPlans, AnEmptySlotGrowsToHoldABlock) {
  const SlotCapacity grown = grown_for({}, 1000, 20'000);
  EXPECT_GE(grown.blocks, 1u);
  EXPECT_GE(grown.stored_bytes, 1000u);
  EXPECT_GE(grown.plain_bytes, 20'000u);
}

std::vector<std::uint64_t> all_of(BatchSizes sizes, std::uint64_t bytes) {
  std::vector<std::uint64_t> batches;
  while (bytes > 0) {
    batches.push_back(std::min(bytes, sizes.next()));
    sizes.took(batches.back());
    bytes -= batches.back();
  }
  return batches;
}

using Batches = std::vector<std::uint64_t>;

TEST(SizesOfBatches, GrowAtFirstAndShrinkAtLast) {
  EXPECT_EQ(all_of({32, 256, 1024}, 1024), (Batches{32, 64, 128, 256, 256, 144, 72, 36, 36}));
  EXPECT_EQ(all_of({8, 64, 100}, 100), (Batches{8, 16, 32, 22, 11, 11}));
  EXPECT_EQ(all_of({8, 64, 8}, 8), (Batches{8}));
  EXPECT_EQ(all_of({8, 64, 3}, 3), (Batches{3}));
}

TEST(SizesOfBatches, OnlyGrowWhereTheEndIsNotKnown) {
  EXPECT_EQ(all_of({8, 64, 0}, 200), (Batches{8, 16, 32, 64, 64, 16}));
  EXPECT_EQ(all_of({8, 64, 20}, 160), (Batches{8, 12, 32, 64, 44})) << "more than expected";
}

TEST(SizesOfBatches, AreThoseOfSlotsWhereTheUserSaysHowLarge) {
  EXPECT_EQ(all_of(BatchSizes::of_slots(100, 350, true), 350), (Batches{100, 100, 100, 50}));
  EXPECT_EQ(BatchSizes::of_slots(64 * kMiB, 0, false).next(), 8 * kMiB);
  EXPECT_EQ(BatchSizes::of_slots(2 * kMiB, 0, false).next(), kMiB);
  EXPECT_EQ(BatchSizes::of_slots(1000, 0, false).next(), 1000u);
}

/// Of blocks that are all alike.
class SlotBatches : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kStored = 160, kPlain = 1024;

  SlotBatch make(BatchRules rules) {
    SlotCapacity capacity;
    capacity.stored_bytes = 100 * kStored;
    capacity.plain_bytes = 50 * kPlain;
    capacity.output_bytes = 5 * kPlain;
    capacity.blocks = 40;
    return {capacity, staging_.data(), refuse_, std::move(rules)};
  }
  static BatchPlace place(std::uint64_t number) {
    BatchPlace place;
    place.number = number;
    place.out_offset = number * kPlain;
    place.plain_bytes = kPlain;
    return place;
  }
  /// How many blocks from number `first` on go in.
  static std::uint32_t fill(SlotBatch& batch, std::uint64_t first) {
    while (*batch.add_block(place(first), kStored)) ++first;
    return batch.block_count();
  }

  std::vector<Byte> staging_ = std::vector<Byte>(100 * kStored);
  SlotBatch::Grow refuse_ = [](std::uint64_t, std::uint64_t) -> Result<Byte*> {
    return make_error(ErrorCode::kOutOfMemory);
  };
};

TEST_F(SlotBatches, EndWhereTheSlotOrItsOutputIsFull) {
  SlotBatch through = make({});
  EXPECT_EQ(fill(through, 0), 5u);
  EXPECT_FALSE(through.is_direct());
  SlotBatch direct = make({.is_direct = [](const BatchPlace&) { return true; }});
  EXPECT_EQ(fill(direct, 0), 40u);
  EXPECT_TRUE(direct.is_direct());
}

TEST_F(SlotBatches, EndWhereTheyHaveEnoughButNeverEmpty) {
  SlotBatch three = make({.enough_bytes = 3 * kPlain + 7});
  EXPECT_EQ(fill(three, 0), 3u);
  SlotBatch one = make({.enough_bytes = 1});
  EXPECT_EQ(fill(one, 0), 1u);
}

TEST_F(SlotBatches, AreDirectOrNotByTheirFirstBlock) {
  const auto but_the_third = [](const BatchPlace& place) { return place.number != 2; };
  SlotBatch direct = make({.is_direct = but_the_third});
  EXPECT_EQ(fill(direct, 0), 2u);
  EXPECT_TRUE(direct.is_direct());
  SlotBatch through = make({.is_direct = but_the_third});
  EXPECT_EQ(fill(through, 2), 5u);
  EXPECT_FALSE(through.is_direct());
}

TEST_F(SlotBatches, OfDirectBlocksHaveNoGap) {
  SlotBatch batch = make({.is_direct = [](const BatchPlace&) { return true; }});
  ASSERT_TRUE(*batch.add_block(place(3), kStored));
  EXPECT_FALSE(*batch.add_block(place(5), kStored));
  EXPECT_TRUE(*batch.add_block(place(4), kStored));
}

TEST_F(SlotBatches, FindBlocksInPiecesOfPinnedMemory) {
  SlotBatch batch = make({.is_direct = [](const BatchPlace&) { return true; }});
  for (std::uint64_t number = 0; number < 5; ++number) {
    ASSERT_TRUE(*batch.add_block(place(number), kStored));
  }
  EXPECT_EQ(batch.stored(4), staging_.data() + 4 * kStored);
  const std::vector<Byte> one(3 * kStored), other(2 * kStored);
  batch.take_from({{one.data(), 0, 3 * kStored}, {other.data(), 3 * kStored, 2 * kStored}});
  EXPECT_EQ(batch.stored(2), one.data() + 2 * kStored);
  EXPECT_EQ(batch.stored(3), other.data());
  EXPECT_EQ(batch.stored(4), other.data() + kStored);
  batch.cut(4);
  ASSERT_EQ(batch.pieces().size(), 2u);
  EXPECT_EQ(batch.pieces()[1].bytes, kStored);
  batch.cut(2);
  ASSERT_EQ(batch.pieces().size(), 1u);
  EXPECT_EQ(batch.pieces()[0].bytes, 2 * kStored);
}

}  // namespace
}  // namespace presso::gpu::gpu_parts_test

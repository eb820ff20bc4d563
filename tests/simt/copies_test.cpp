// SPDX-License-Identifier: MIT
// Asynchronous and bulk copies in the emulator: bytes are there after the wait and not before.
#include <gtest/gtest.h>

#include <numeric>

#include "decompress/gpu/simt/simt.h"

namespace presso::simt::copies_test {
namespace {

class Copies : public ::testing::Test {
 protected:
  Copies() { std::iota(source_, source_ + sizeof source_, Byte{0}); }

  /// What happens when one warp with 1 KiB of shared memory runs `body`.
  Report run_warp(const std::function<void()>& body) {
    return run({.block_threads = 32, .shared_bytes = 1024}, {}, body);
  }
  /// The same for lane 0 alone.
  Failure failure_of(const std::function<void()>& body) {
    return run_warp([&] {
             if (lane() == 0) body();
           })
        .failure;
  }

  alignas(16) Byte source_[1024];
};

/// One copy, in a phase of a barrier that one lane arrives at.
void copy_in_a_phase(u64* barrier, void* to, const void* from, u32 bytes) {
  bulk_expect(barrier, bytes);
  bulk_copy(barrier, to, from, bytes);
  mbarrier_arrive(barrier);
}

using AsyncCopies = Copies;
using Mbarriers = Copies;
using BulkCopies = Copies;

TEST_F(AsyncCopies, LandAtTheWait) {
  const Report report = run_warp([&] {
    Byte* shared = shared_memory();
    copy_async_16(shared + 16 * lane(), source_ + 16 * lane());
    copy_async_commit();
    EXPECT_EQ(shared[16 * lane() + 3], 0xEF);
    copy_async_wait<0>();
    EXPECT_EQ(shared[16 * lane() + 3], source_[16 * lane() + 3]);
    warp_sync();
    EXPECT_EQ(std::memcmp(shared, source_, 512), 0);
  });
  EXPECT_TRUE(report.ok()) << report.what;
}

TEST_F(AsyncCopies, OfOtherLanesAreNotThereBeforeTheirWait) {
  const Report report = run_warp([&] {
    Byte* shared = shared_memory();
    copy_async_4(shared + 4 * lane(), source_ + 4 * lane());
    copy_async_commit();
    warp_sync();
    EXPECT_EQ(shared[4 * (lane() ^ 1)], 0xEF);
    warp_sync();
    copy_async_wait<0>();
    warp_sync();
    EXPECT_EQ(shared[4 * (lane() ^ 1)], source_[4 * (lane() ^ 1)]);
  });
  EXPECT_TRUE(report.ok()) << report.what;
}

TEST_F(AsyncCopies, LeaveTheYoungestGroupsInFlight) {
  const Report report = run_warp([&] {
    if (lane() != 0) return;
    Byte* shared = shared_memory();
    const auto first_bytes = [&] {
      return std::vector<int>{shared[0], shared[16], shared[32], shared[48]};
    };
    for (u32 group = 0; group < 3; ++group) {
      copy_async_8(shared + 16 * group, source_ + 16 * group + 8);
      copy_async_commit();
    }
    copy_async_8(shared + 48, source_ + 56);  // of no group yet
    copy_async_wait<2>();
    EXPECT_EQ(first_bytes(), (std::vector<int>{8, 0xEF, 0xEF, 0xEF}));
    copy_async_wait<1>();
    EXPECT_EQ(first_bytes(), (std::vector<int>{8, 24, 0xEF, 0xEF}));
    copy_async_wait<0>();
    EXPECT_EQ(first_bytes(), (std::vector<int>{8, 24, 40, 0xEF}));
    copy_async_commit();
    copy_async_wait<0>();
    EXPECT_EQ(first_bytes(), (std::vector<int>{8, 24, 40, 56}));
  });
  EXPECT_TRUE(report.ok()) << report.what;
}

TEST_F(AsyncCopies, CheckAlignmentAndTarget) {
  EXPECT_EQ(failure_of([&] { copy_async_8(shared_memory(), source_); }), Failure::kNone);
  EXPECT_EQ(failure_of([&] { copy_async_8(shared_memory() + 4, source_); }), Failure::kBadCall);
  EXPECT_EQ(failure_of([&] { copy_async_4(shared_memory(), source_ + 2); }), Failure::kBadCall);
  EXPECT_EQ(failure_of([&] { copy_async_16(shared_memory() + 1008, source_); }), Failure::kNone);
  EXPECT_EQ(failure_of([&] { copy_async_16(shared_memory() + 1024, source_); }), Failure::kBadCall);
  EXPECT_EQ(failure_of([&] { copy_async_16(source_, source_ + 16); }), Failure::kBadCall);
}

TEST_F(AsyncCopies, FailWhereAnotherIsOnItsWayToTheSamePlace) {
  const auto twice = [&](std::size_t second, bool commits, bool waits) {
    return failure_of([&] {
      copy_async_16(shared_memory(), source_);
      if (commits) copy_async_commit();
      if (waits) copy_async_wait<0>();
      copy_async_4(shared_memory() + second, source_);
    });
  };
  for (const bool commits : {false, true}) {
    EXPECT_EQ(twice(12, commits, false), Failure::kBadCall);
    EXPECT_EQ(twice(16, commits, false), Failure::kNone);
  }
  EXPECT_EQ(twice(12, true, true), Failure::kNone);
  EXPECT_EQ(twice(12, false, true), Failure::kBadCall);
}

TEST_F(AsyncCopies, FailWhereTheSourceChangesOnTheWay) {
  EXPECT_EQ(failure_of([&] {
              copy_async_4(shared_memory(), source_);
              copy_async_commit();
              source_[1] ^= 1;
              copy_async_wait<0>();
            }),
            Failure::kSourceChanged);
}

TEST_F(BulkCopies, LandAtTheWaitAndAreSeenByAllLanes) {
  for (u32 seed = 0; seed < 6; ++seed) {
    const Report report = run({.block_threads = 64, .shared_bytes = 1024}, {.seed = seed}, [&] {
      auto* barrier = reinterpret_cast<u64*>(shared_memory());
      Byte* target = shared_memory() + 16;
      if (thread_in_block() == 0) mbarrier_init(barrier, 1);
      block_sync();
      for (u32 phase = 0; phase < 3; ++phase) {
        if (thread_in_block() == 0) {
          copy_in_a_phase(barrier, target, source_ + 16 * phase, 256);
        }
        mbarrier_wait(barrier, phase & 1);
        EXPECT_EQ(std::memcmp(target, source_ + 16 * phase, 256), 0);
        block_sync();
      }
    });
    EXPECT_TRUE(report.ok()) << report.what;
  }
}

TEST_F(BulkCopies, AreNotThereBeforeTheWait) {
  const Report report = run_warp([&] {
    if (lane() != 0) return;
    auto* barrier = reinterpret_cast<u64*>(shared_memory());
    mbarrier_init(barrier, 1);
    copy_in_a_phase(barrier, shared_memory() + 16, source_, 64);
    EXPECT_EQ(shared_memory()[16], 0xEF);
    mbarrier_wait(barrier, 0);
    EXPECT_EQ(shared_memory()[17], 1);
    mbarrier_wait(barrier, 0);  // a phase that is over does not wait again
  });
  EXPECT_TRUE(report.ok()) << report.what;
}

TEST_F(BulkCopies, ShareAPhaseThatTheirSumWasAnnouncedFor) {
  const Report report = run({.block_threads = 64, .shared_bytes = 1024}, {}, [&] {
    auto* barrier = reinterpret_cast<u64*>(shared_memory());
    Byte* target = shared_memory() + 16;
    if (thread_in_block() == 0) mbarrier_init(barrier, 1);
    block_sync();
    if (thread_in_block() == 32) {
      bulk_expect(barrier, 96);
      bulk_copy(barrier, target, source_ + 32, 32);
      bulk_copy(barrier, target + 32, source_ + 128, 64);
      mbarrier_arrive(barrier);
    }
    mbarrier_wait(barrier, 0);
    EXPECT_EQ(target[0], 32);
    EXPECT_EQ(target[32], 128);
  });
  EXPECT_TRUE(report.ok()) << report.what;
}

TEST_F(BulkCopies, CheckTheirBarrierSizesAndPlaces) {
  const auto failure_with = [&](u32 bytes, u32 to, u32 from) {
    return failure_of([&, bytes, to, from] {
      auto* barrier = reinterpret_cast<u64*>(shared_memory());
      mbarrier_init(barrier, 1);
      copy_in_a_phase(barrier, shared_memory() + to, source_ + from, bytes);
    });
  };
  EXPECT_EQ(failure_with(16, 16, 0), Failure::kNone);
  EXPECT_EQ(failure_with(0, 16, 0), Failure::kBadCall);
  EXPECT_EQ(failure_with(24, 16, 0), Failure::kBadCall);
  EXPECT_EQ(failure_with(16, 24, 0), Failure::kBadCall);
  EXPECT_EQ(failure_with(16, 16, 8), Failure::kBadCall);
  EXPECT_EQ(failure_with(1024, 16, 0), Failure::kBadCall);
  EXPECT_EQ(failure_of([&] {
              copy_in_a_phase(reinterpret_cast<u64*>(shared_memory()), shared_memory() + 16,
                              source_, 16);
            }),
            Failure::kBadCall)
      << "barrier not initialised";
}

TEST_F(BulkCopies, ThatAreTooLargeForTheirPhaseFail) {
  EXPECT_EQ(failure_of([&] {
              auto* barrier = reinterpret_cast<u64*>(shared_memory());
              mbarrier_init(barrier, 1);
              bulk_expect(barrier, 16);
              bulk_copy(barrier, shared_memory() + 16, source_, 32);
            }),
            Failure::kBadCall);
}

/// Each warp but the last hands what it wrote to the last, in four phases.
TEST_F(Mbarriers, EndAPhaseWhenAllHaveArrived) {
  constexpr u32 kWriters = 3;
  for (u32 seed = 0; seed < 20; ++seed) {
    const Report report =
        run({.block_threads = 32 * (kWriters + 1), .shared_bytes = 1024}, {.seed = seed}, [&] {
          auto* full = reinterpret_cast<u64*>(shared_memory());
          auto* free = full + 1;
          auto* values = reinterpret_cast<u32*>(shared_memory() + 64);
          if (thread_in_block() == 0) mbarrier_init(full, kWriters), mbarrier_init(free, 1);
          block_sync();
          for (u32 phase = 0; phase < 4; ++phase) {
            if (warp_in_block() < kWriters) {
              if (phase > 0) mbarrier_wait(free, (phase - 1) % 2);
              values[thread_in_block()] = phase + thread_in_block();
              warp_sync();
              if (lane() == 0) mbarrier_arrive(full);
            } else {
              mbarrier_wait(full, phase % 2);
              for (u32 i = lane(); i < 32 * kWriters; i += 32) EXPECT_EQ(values[i], phase + i);
              warp_sync();
              if (lane() == 0) mbarrier_arrive(free);
            }
          }
        });
    EXPECT_TRUE(report.ok()) << report.what;
  }
}

TEST_F(Mbarriers, CountNoMoreArrivalsThanAPhaseHasWhileBytesAreMissing) {
  EXPECT_EQ(failure_of([&] {
              auto* barrier = reinterpret_cast<u64*>(shared_memory());
              mbarrier_init(barrier, 1);
              bulk_expect(barrier, 16);
              mbarrier_arrive(barrier);
              mbarrier_arrive(barrier);
            }),
            Failure::kBadCall);
  EXPECT_EQ(failure_of([&] { mbarrier_init(reinterpret_cast<u64*>(shared_memory()), 0); }),
            Failure::kBadCall);
}

}  // namespace
}  // namespace presso::simt::copies_test

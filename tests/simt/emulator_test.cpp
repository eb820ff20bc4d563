// SPDX-License-Identifier: MIT
// The emulator itself: who runs when, and that every misuse which a GPU would answer with undefined
// behaviour or a hang comes back as a failure that names the place in the source.
#include "decompress/gpu/simt/emulator/emulator.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "decompress/gpu/simt/emulator/emulator_block.h"
#include "decompress/gpu/simt/simt.h"

#if defined(__SANITIZE_ADDRESS__)
#define PRESSO_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PRESSO_TEST_ASAN 1
#endif
#endif
#ifdef PRESSO_TEST_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace presso::simt::emulator_test {
namespace {

using Lines = std::vector<unsigned>;

/// Every order, and a few seeds of the random one.
std::vector<Options> all_orders() {
  std::vector<Options> options = {{.order = Order::kForward}, {.order = Order::kReverse}};
  for (u32 seed = 1; seed <= 8; ++seed) options.push_back({.seed = seed});
  return options;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// "emulator_test.cpp:123", as a report names the place.
std::string place(unsigned line) {
  return "emulator_test.cpp:" + std::to_string(line);
}

// --- what runs

TEST(Emulator, RunsEveryLaneOfEveryBlockOnce) {
  for (const Options& options : all_orders()) {
    std::vector<int> seen(3 * 64);
    const Report report = run({.grid = 3, .block_threads = 64}, options, [&] {
      EXPECT_EQ(thread_in_block(), warp_in_block() * kWarpSize + lane());
      EXPECT_EQ(grid_blocks(), 3u);
      ++seen[block_index() * block_threads() + thread_in_block()];
    });
    EXPECT_TRUE(report.ok()) << report.what;
    EXPECT_EQ(seen, std::vector<int>(3 * 64, 1));
  }
}

TEST(Emulator, RunsTheLargestBlock) {
  std::vector<u32> sums(32);
  const Report report = run({.block_threads = 1024}, {}, [&] {
    const u32 sum = inclusive_sum(thread_in_block());
    if (lane() == kWarpSize - 1) sums[warp_in_block()] = sum;
    EXPECT_EQ(block_sync_count(true), 1024u);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  for (u32 warp = 0; warp < 32; ++warp) EXPECT_EQ(sums[warp], 32 * (32 * warp) + 31 * 32 / 2);
}

TEST(Emulator, RefusesLaunchesThatNoDeviceTakes) {
  for (const Launch& launch : {Launch{.grid = 0}, Launch{.block_threads = 0},
                               Launch{.block_threads = 33}, Launch{.block_threads = 1056}}) {
    EXPECT_EQ(run(launch, {}, [] { FAIL() << "a lane ran"; }).failure, Failure::kBadLaunch);
  }
}

/// The order in which lanes come by between two barriers.
std::vector<u32> order_of_lanes(const Options& options) {
  std::vector<u32> order;
  const Report report = run({.block_threads = 128}, options, [&] {
    block_sync();
    order.push_back(thread_in_block());
    block_sync();
  });
  EXPECT_TRUE(report.ok()) << report.what;
  return order;
}

TEST(Emulator, DrawsTheOrderOfLanesFromTheSeed) {
  const auto first = order_of_lanes({.seed = 5});
  EXPECT_EQ(first, order_of_lanes({.seed = 5}));
  EXPECT_NE(first, order_of_lanes({.seed = 6}));
  std::vector<u32> sorted = first;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, order_of_lanes({.order = Order::kForward}));
  std::reverse(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, order_of_lanes({.order = Order::kReverse}));
}

TEST(Emulator, InterleavesWarpsInRandomOrder) {
  const auto order = order_of_lanes({.seed = 5});
  int changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    changes += order[i] / kWarpSize != order[i - 1] / kWarpSize;
  }
  EXPECT_GT(changes, 3) << "warps ran one after another";
}

// The bug: each lane reads what the lane before it wrote, without a warp_sync between. In forward
// order it goes unnoticed.
TEST(Emulator, ShowsAMissingBarrierInSomeOrder) {
  const auto wrong_lanes = [](const Options& options) {
    int wrong = 0;
    const Report report = run({.shared_bytes = 32}, options, [&] {
      Byte* shared = shared_memory();
      shared[lane()] = static_cast<Byte>(lane());
      if (lane() > 0 && shared[lane() - 1] != lane() - 1) ++wrong;
    });
    EXPECT_TRUE(report.ok()) << report.what;
    return wrong;
  };
  EXPECT_EQ(wrong_lanes({.order = Order::kForward}), 0);
  EXPECT_EQ(wrong_lanes({.order = Order::kReverse}), 31);
  EXPECT_GT(wrong_lanes({.seed = 1}), 0);
}

TEST(Emulator, KeepsEachLanesVariablesAcrossCollectives) {
  std::vector<u64> results(96);
  const Report report = run({.block_threads = 96}, {}, [&] {
    u64 local[16];
    for (u32 i = 0; i < 16; ++i) local[i] = thread_in_block() * 100 + i;
    for (u32 i = 0; i < 200; ++i) local[i % 16] += ballot(lane() == i % 32) != 0 ? 1 : 1000;
    block_sync();
    for (const u64 value : local) results[thread_in_block()] += value;
  });
  EXPECT_TRUE(report.ok()) << report.what;
  for (u64 i = 0; i < 96; ++i) EXPECT_EQ(results[i], i * 1600 + 120 + 200);
}

TEST(Emulator, CountsCollectivesAndBarriers) {
  const Report report = run({.grid = 2, .block_threads = 64}, {}, [] {
    warp_sync();
    block_sync();
  });
  EXPECT_EQ(report.collectives, 2u * 2 * 2);
  EXPECT_EQ(report.barriers, 2u);
}

// --- shared memory

TEST(SharedMemory, IsAlignedAndFilledAgainForEachBlock) {
  const Report report = run({.grid = 3, .shared_bytes = 1000}, {}, [] {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(shared_memory()) % 128, 0u);
    for (u32 i = lane(); i < 1000; i += kWarpSize) {
      EXPECT_EQ(shared_memory()[i], 0xA5);
      shared_memory()[i] = 1;
    }
  });
  EXPECT_TRUE(report.ok()) << report.what;
}

#ifdef PRESSO_TEST_ASAN
TEST(SharedMemory, EndsWhereTheLaunchSays) {
  const Report report = run({.shared_bytes = 1000}, {}, [] {
    EXPECT_FALSE(__asan_address_is_poisoned(shared_memory() + 999));
    EXPECT_TRUE(__asan_address_is_poisoned(shared_memory() + 1000));
    EXPECT_TRUE(__asan_address_is_poisoned(shared_memory() - 1));
  });
  EXPECT_TRUE(report.ok()) << report.what;
}
#endif

// --- collectives that not all lanes of a warp reach

TEST(Divergence, LanesAtDifferentCollectivesFailWithBothPlaces) {
  for (const Options& options : all_orders()) {
    unsigned here = 0, there = 0;
    const Report report = run({.grid = 2, .block_threads = 64}, options, [&] {
      if (warp_in_block() == 1 && lane() >= 5) {
        here = __LINE__, ballot(true);
      } else if (warp_in_block() == 1) {
        there = __LINE__, shuffle(1u, 0);
      }
    });
    EXPECT_EQ(report.failure, Failure::kMismatch);
    ASSERT_EQ(report.lines.size(), 2u) << report.what;
    EXPECT_EQ(std::min(report.lines[0], report.lines[1]), here);
    EXPECT_EQ(std::max(report.lines[0], report.lines[1]), there);
    EXPECT_TRUE(contains(report.what, "ballot at ")) << report.what;
    EXPECT_TRUE(contains(report.what, "shuffle at ")) << report.what;
    EXPECT_TRUE(contains(report.what, "of warp 1 of block ")) << report.what;
    EXPECT_TRUE(contains(report.what, place(here))) << report.what;
  }
}

TEST(Divergence, TheSameCallOnAnotherLineIsAnotherCollective) {
  const Report report = run({}, {}, [] {
    if (lane() % 2 == 0) {
      warp_sync();
    } else {
      warp_sync();
    }
  });
  EXPECT_EQ(report.failure, Failure::kMismatch) << report.what;
}

TEST(Divergence, AWarpSplitOverABlockBarrierFails) {
  unsigned barrier = 0;
  const Report report = run({.block_threads = 64}, {.order = Order::kForward}, [&] {
    if (thread_in_block() != 35) {
      barrier = __LINE__, block_sync();
    } else {
      warp_sync();
    }
  });
  EXPECT_EQ(report.failure, Failure::kMismatch);
  EXPECT_EQ(report.lines, (Lines{barrier, barrier + 2})) << report.what;
}

TEST(Divergence, ACollectiveAfterALaneExitedFails) {
  for (const Options& options : all_orders()) {
    unsigned line = 0;
    const Report report = run({.block_threads = 64}, options, [&] {
      if (thread_in_block() == 40) return;
      line = __LINE__, any(true);
    });
    EXPECT_EQ(report.failure, Failure::kExitedLane);
    EXPECT_EQ(report.lines, Lines{line}) << report.what;
    EXPECT_TRUE(contains(report.what, "lane 8 of warp 1")) << report.what;
  }
}

TEST(Divergence, ExitedLanesAreLeftOutWhereTheOptionSaysSo) {
  for (Options options : all_orders()) {
    options.allow_exited_lanes = true;
    std::vector<u32> votes(64), sums(64);
    const Report report = run({.block_threads = 64}, options, [&] {
      if (lane() % 4 == 1) return;
      votes[thread_in_block()] = ballot(true);
      sums[thread_in_block()] = inclusive_sum(1);
    });
    EXPECT_TRUE(report.ok()) << report.what;
    for (u32 i = 0; i < 64; ++i) {
      const bool left = i % 4 == 1;
      EXPECT_EQ(votes[i], left ? 0u : 0xDDDDDDDDu);
      EXPECT_EQ(sums[i], left ? 0u : (i % 32) / 4 * 3 + (i % 4 == 0 ? 1 : i % 4));
    }
  }
}

// --- block barriers

TEST(BlockBarrier, DoesNotWaitForLanesThatHaveExited) {
  for (const Options& options : all_orders()) {
    u32 count = 0;
    const Report report = run({.block_threads = 128}, options, [&] {
      if (warp_in_block() == 2 || thread_in_block() == 3) return;
      count = block_sync_count(true);
      block_sync();
    });
    EXPECT_TRUE(report.ok()) << report.what;
    EXPECT_EQ(count, 95u);
  }
}

TEST(BlockBarrier, IsCompletedByTheExitOfTheLastWarpThatItMissed) {
  const Report report = run({.block_threads = 96}, {.order = Order::kForward}, [] {
    if (warp_in_block() == 2) return;
    block_sync();
  });
  EXPECT_TRUE(report.ok()) << report.what;
}

void split_barrier() {
  if (warp_in_block() == 0) {
    block_sync();
  } else {
    block_sync();
  }
}

TEST(BlockBarrier, OnTwoLinesFailsUnlessAllowed) {
  const Report refused = run({.block_threads = 64}, {}, split_barrier);
  EXPECT_EQ(refused.failure, Failure::kMismatch);
  EXPECT_EQ(refused.lines.size(), 2u) << refused.what;
  const Report allowed =
      run({.block_threads = 64}, {.allow_split_block_sync = true}, split_barrier);
  EXPECT_TRUE(allowed.ok()) << allowed.what;
}

TEST(BlockBarrier, OfTwoKindsFails) {
  const Report report = run({.block_threads = 64}, {.allow_split_block_sync = true}, [] {
    if (warp_in_block() == 0) {
      block_sync();
    } else {
      block_sync_or(true);
    }
  });
  EXPECT_EQ(report.failure, Failure::kMismatch) << report.what;
}

// --- named barriers

// Warp 0 fills a buffer twice, warps 1 and 2 read it: "full" is barrier 1, "empty" barrier 2.
TEST(NamedBarrier, HandsABufferFromProducerToConsumers) {
  for (const Options& options : all_orders()) {
    std::vector<u32> got(2 * 64);
    const Report report = run({.block_threads = 96, .shared_bytes = 128}, options, [&] {
      auto* buffer = reinterpret_cast<u32*>(shared_memory());
      for (u32 round = 0; round < 2; ++round) {
        if (warp_in_block() == 0) {
          if (round > 0) named_barrier_sync(2, 96);
          buffer[lane()] = 1000 * round + lane();
          named_barrier_arrive(1, 96);
        } else {
          named_barrier_sync(1, 96);
          got[round * 64 + thread_in_block() - 32] = buffer[lane() ^ 1];
          if (round == 0) named_barrier_arrive(2, 96);
        }
      }
    });
    EXPECT_TRUE(report.ok()) << report.what;
    for (u32 i = 0; i < 128; ++i) EXPECT_EQ(got[i], 1000 * (i / 64) + ((i % 32) ^ 1));
  }
}

TEST(NamedBarrier, RefusesNumbersAndCountsThatTheHardwareDoesNotHave) {
  const auto failure_of = [](u32 id, u32 threads) {
    return run({.block_threads = 64}, {}, [=] { named_barrier_sync(id, threads); }).failure;
  };
  EXPECT_EQ(failure_of(1, 64), Failure::kNone);
  EXPECT_EQ(failure_of(0, 64), Failure::kBadCall);
  EXPECT_EQ(failure_of(16, 64), Failure::kBadCall);
  EXPECT_EQ(failure_of(1, 0), Failure::kBadCall);
  EXPECT_EQ(failure_of(1, 48), Failure::kBadCall);
  EXPECT_EQ(failure_of(1, 96), Failure::kBadCall);
}

TEST(NamedBarrier, WithDifferentCountsFails) {
  const Report report =
      run({.block_threads = 96}, {}, [] { named_barrier_sync(3, warp_in_block() == 0 ? 64 : 96); });
  EXPECT_EQ(report.failure, Failure::kMismatch) << report.what;
}

// --- deadlocks

TEST(Deadlock, OfTwoBarriersNamesBothPlacesAndTheLanes) {
  for (const Options& options : all_orders()) {
    unsigned block_line = 0, named_line = 0;
    const Report report = run({.grid = 4, .block_threads = 96}, options, [&] {
      if (warp_in_block() == 0) {
        block_line = __LINE__, block_sync();
      } else if (warp_in_block() == 1) {
        named_line = __LINE__, named_barrier_sync(7, 96);
      }
    });
    EXPECT_EQ(report.failure, Failure::kDeadlock);
    EXPECT_EQ(report.lines, (Lines{block_line, named_line})) << report.what;
    EXPECT_TRUE(contains(report.what, "lanes 0-31 of warp 0: block_sync at ")) << report.what;
    EXPECT_TRUE(contains(report.what, place(block_line))) << report.what;
    EXPECT_TRUE(contains(report.what, "warp 1: named_barrier_sync 7 at ")) << report.what;
    EXPECT_TRUE(contains(report.what, "lanes 0-31 of warp 2: exited")) << report.what;
    EXPECT_TRUE(contains(report.what, "barrier 7: 32 of 96 threads have arrived")) << report.what;
  }
}

TEST(Deadlock, OfAWaitForACopyThatNobodyBegins) {
  unsigned line = 0;
  const Report report = run({.block_threads = 64, .shared_bytes = 64}, {}, [&] {
    auto* barrier = reinterpret_cast<u64*>(shared_memory());
    if (thread_in_block() == 0) mbarrier_init(barrier, 1);
    block_sync();
    if (thread_in_block() == 9) line = __LINE__, mbarrier_wait(barrier, 0);
  });
  EXPECT_EQ(report.failure, Failure::kDeadlock);
  EXPECT_EQ(report.lines, Lines{line}) << report.what;
  EXPECT_TRUE(contains(report.what, "lane 9 of warp 0: mbarrier_wait at ")) << report.what;
}

TEST(Deadlock, OfASpinOnAnAtomicThatNobodyChanges) {
  for (const Order order : {Order::kRandom, Order::kForward, Order::kReverse}) {
    u32 flag = 0;
    unsigned spin = 0, wait = 0;
    const Report report = run({.block_threads = 64}, {.order = order, .spin_limit = 10'000}, [&] {
      if (warp_in_block() == 1) {
        spin = __LINE__ + 1;
        while (atomic_or(&flag, 0) == 0) {
        }
      }
      wait = __LINE__, block_sync();
    });
    EXPECT_EQ(report.failure, Failure::kDeadlock);
    EXPECT_EQ(report.lines, (Lines{wait, spin})) << report.what;
  }
}

TEST(Deadlock, IsNotSeenWhereAnotherWarpEndsTheSpin) {
  for (const Options& options : all_orders()) {
    u32 flag = 0;
    const Report report = run({.block_threads = 64}, options, [&] {
      if (warp_in_block() == 0) {
        while (atomic_cas(&flag, 32, 32) != 32) {
        }
      } else {
        atomic_add(&flag, 1);
      }
    });
    EXPECT_TRUE(report.ok()) << report.what;
  }
}

// --- failing well

struct CountsLiving {
  explicit CountsLiving(int& living) : living_(living) { ++living_; }
  ~CountsLiving() { --living_; }
  int& living_;
};

TEST(Failures, UnwindEveryLaneAndLeaveTheEmulatorUsable) {
  int living = 0;
  const Report report = run({.grid = 2, .block_threads = 128}, {}, [&] {
    const CountsLiving object(living);
    const std::vector<int> memory(100);
    block_sync();
    if (warp_in_block() == 1 && lane() == 4) throw std::runtime_error("lane four");
    block_sync();
  });
  EXPECT_EQ(report.failure, Failure::kException);
  EXPECT_TRUE(contains(report.what, "lane 4 of warp 1 of block ")) << report.what;
  EXPECT_TRUE(contains(report.what, "lane four")) << report.what;
  EXPECT_EQ(living, 0);
  EXPECT_TRUE(run({.block_threads = 128}, {}, [] { block_sync(); }).ok());
}

TEST(Failures, EndTheRunAtTheFirstBlockThatFails) {
  std::vector<u32> seen;
  const Report report = run({.grid = 5}, {.order = Order::kForward}, [&] {
    if (lane() == 0) seen.push_back(block_index());
    if (block_index() == 2 && lane() == 1) return;
    warp_sync();
  });
  EXPECT_EQ(report.failure, Failure::kExitedLane);
  EXPECT_EQ(seen, (std::vector<u32>{0, 1, 2}));
}

}  // namespace
}  // namespace presso::simt::emulator_test

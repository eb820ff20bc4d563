// SPDX-License-Identifier: MIT
// Every primitive of simt.h in the emulator against a plain model of what PTX says it does.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>

#include "decompress/gpu/simt/simt.h"

namespace presso::simt::primitives_test {
namespace {

constexpr u32 kThreads = 96;

std::vector<u32> random_values(u32 seed) {
  std::mt19937 random(seed);
  std::vector<u32> values(kThreads);
  for (u32& value : values) value = static_cast<u32>(random()) >> (random() % 32);
  return values;
}

/// Runs `lane_result` on every lane, in several orders, and compares with `model(thread)`.
void expect_lanes(const std::function<u64()>& lane_result, const std::function<u64(u32)>& model) {
  for (u32 seed = 0; seed < 4; ++seed) {
    const Options options{.order = seed == 0 ? Order::kReverse : Order::kRandom, .seed = seed};
    std::vector<u64> results(kThreads);
    const Report report = run({.block_threads = kThreads}, options, [&] {
      // Twice, since a second turn must not disturb what is read of the first.
      const u64 first = lane_result();
      const u64 second = lane_result();
      EXPECT_EQ(first, second);
      results[thread_in_block()] = first;
    });
    EXPECT_TRUE(report.ok()) << report.what;
    for (u32 i = 0; i < kThreads; ++i) {
      EXPECT_EQ(results[i], model(i)) << "thread " << i << ", seed " << seed;
    }
  }
}

/// The values of a thread's warp folded together.
template <class Step>
u32 fold_warp(const std::vector<u32>& values, u32 thread, u32 start, Step step) {
  const auto first = values.begin() + thread / kWarpSize * kWarpSize;
  return std::accumulate(first, first + kWarpSize, start, step);
}

TEST(Votes, SeeEveryLaneOfTheirWarp) {
  auto values = random_values(1);
  for (u32 i = 0; i < kWarpSize; ++i) values[32 + i] |= 1, values[64 + i] &= ~1u;
  const auto vote = [&](u32 thread) {
    u32 mask = 0;
    for (u32 i = 0; i < kWarpSize; ++i) mask |= (values[thread / 32 * 32 + i] & 1) << i;
    return mask;
  };
  const auto mine = [&] { return (values[thread_in_block()] & 1) != 0; };
  expect_lanes([&] { return ballot(mine()); }, vote);
  expect_lanes([&] { return any(mine()); }, [&](u32 thread) { return vote(thread) != 0; });
  expect_lanes([&] { return all(mine()); }, [&](u32 thread) { return vote(thread) == ~0u; });
}

TEST(Shuffles, ReadAnotherLane) {
  const auto values = random_values(2);
  const auto value = [&] { return values[thread_in_block()]; };
  const auto at = [&](u32 thread, u32 from) { return values[thread / 32 * 32 + from]; };
  expect_lanes([&] { return shuffle(value(), 5); }, [&](u32 t) { return at(t, 5); });
  expect_lanes([&] { return shuffle(value(), lane() * 7); },
               [&](u32 t) { return at(t, t % 32 * 7 % 32); });
  for (const u32 distance : {0u, 1u, 16u, 31u, 32u}) {
    expect_lanes([&] { return shuffle_up(value(), distance); },
                 [&](u32 t) { return at(t, t % 32 >= distance ? t % 32 - distance : t % 32); });
    expect_lanes([&] { return shuffle_down(value(), distance); },
                 [&](u32 t) { return at(t, t % 32 + distance < 32 ? t % 32 + distance : t % 32); });
  }
  for (const u32 mask : {1u, 2u, 21u, 31u}) {
    expect_lanes([&] { return shuffle_xor(value(), mask); },
                 [&](u32 t) { return at(t, t % 32 ^ mask); });
  }
}

TEST(Shuffles, Carry64BitsAndSigns) {
  const auto wide = [](u32 thread) { return 0x0123456789ABCDEFull * (thread + 1); };
  expect_lanes([&] { return shuffle_xor(wide(thread_in_block()), 1); },
               [&](u32 t) { return wide(t ^ 1); });
  expect_lanes([] { return static_cast<u64>(shuffle(-1 - static_cast<int>(lane()), 3) + 100); },
               [](u32) { return 96; });
}

TEST(Sums, AddUpTheLanesBelow) {
  const auto values = random_values(3);
  expect_lanes([&] { return inclusive_sum(values[thread_in_block()]); },
               [&](u32 t) {
                 return std::accumulate(values.begin() + t / 32 * 32, values.begin() + t + 1, 0u);
               });
}

TEST(Reductions, FoldTheWarp) {
  const auto values = random_values(4);
  const auto value = [&] { return values[thread_in_block()]; };
  expect_lanes([&] { return reduce_add(value()); },
               [&](u32 t) { return fold_warp(values, t, 0, std::plus<u32>()); });
  expect_lanes([&] { return reduce_or(value()); },
               [&](u32 t) { return fold_warp(values, t, 0, std::bit_or<u32>()); });
  expect_lanes([&] { return reduce_min(value()); },
               [&](u32 t) {
                 return fold_warp(values, t, ~0u, [](u32 a, u32 b) { return std::min(a, b); });
               });
  expect_lanes(
      [&] { return reduce_max(value()); },
      [&](u32 t) { return fold_warp(values, t, 0, [](u32 a, u32 b) { return std::max(a, b); }); });
}

TEST(BlockVotes, SeeTheWholeBlock) {
  expect_lanes([] { return block_sync_count(thread_in_block() % 3 == 0); },
               [](u32) { return kThreads / 3; });
  expect_lanes([] { return block_sync_or(thread_in_block() == 77); }, [](u32) { return 1; });
  expect_lanes([] { return block_sync_or(false); }, [](u32) { return 0; });
}

TEST(BlockSync, ShowsEveryWriteBeforeIt) {
  for (u32 seed = 0; seed < 6; ++seed) {
    const Report report =
        run({.block_threads = kThreads, .shared_bytes = kThreads}, {.seed = seed}, [] {
          Byte* shared = shared_memory();
          for (u32 round = 0; round < 5; ++round) {
            shared[thread_in_block()] = static_cast<Byte>(round + lane());
            block_sync();
            const u32 other = kThreads - 1 - thread_in_block();
            EXPECT_EQ(shared[other], round + other % 32);
            block_sync();
          }
        });
    EXPECT_TRUE(report.ok()) << report.what;
  }
}

/// Every lane calls `update(&word)` once; the word's end value.
template <class T>
T after_updates(T start, const std::function<void(T*)>& update) {
  T word = start;
  const Report report = run({.grid = 2, .block_threads = kThreads}, {}, [&] { update(&word); });
  EXPECT_TRUE(report.ok()) << report.what;
  return word;
}

TEST(Atomics, UpdateOneWordFromAllLanes) {
  const auto thread = [] { return block_index() * kThreads + thread_in_block(); };
  EXPECT_EQ(after_updates<u32>(7, [](u32* at) { atomic_add(at, 2); }), 7 + 2 * 2 * kThreads);
  EXPECT_EQ(after_updates<u32>(0, [](u32* at) { atomic_or(at, 1u << lane()); }), ~0u);
  EXPECT_EQ(after_updates<u32>(99, [&](u32* at) { atomic_min(at, thread() + 3); }), 3u);
  EXPECT_EQ(after_updates<u32>(99, [&](u32* at) { atomic_max(at, thread()); }), 191u);
  EXPECT_EQ(after_updates<u64>(1ull << 40, [](u64* at) { atomic_add(at, u64{1} << 33); }),
            (1ull << 40) + (192ull << 33));
  EXPECT_EQ(after_updates<u64>(~0ull, [&](u64* at) { atomic_min(at, (u64{thread()} + 1) << 32); }),
            1ull << 32);
  EXPECT_EQ(after_updates<u64>(0, [&](u64* at) { atomic_max(at, u64{thread()} << 32); }),
            191ull << 32);
}

TEST(Atomics, ReturnTheValueBefore) {
  std::vector<int> tickets(2 * kThreads);
  after_updates<u32>(0, [&](u32* at) { ++tickets[atomic_add(at, 1)]; });
  EXPECT_EQ(tickets, std::vector<int>(2 * kThreads, 1));
  const Report report = run({}, {}, [] {
    u32 word = 5;
    EXPECT_EQ(atomic_exchange(&word, 6), 5u);
    EXPECT_EQ(atomic_cas(&word, 5, 9), 6u);
    EXPECT_EQ(atomic_cas(&word, 6, 9), 6u);
    EXPECT_EQ(atomic_or(&word, 2), 9u);
    EXPECT_EQ(atomic_min(&word, 3), 11u);
    EXPECT_EQ(atomic_max(&word, 1), 3u);
    EXPECT_EQ(word, 3u);
    u64 wide = u64{5} << 32;
    EXPECT_EQ(atomic_cas(&wide, u64{5}, u64{9}), u64{5} << 32);
    EXPECT_EQ(atomic_cas(&wide, u64{5} << 32, u64{9}), u64{5} << 32);
    EXPECT_EQ(wide, u64{9});
  });
  EXPECT_TRUE(report.ok()) << report.what;
}

TEST(Memory, LoadsAndStoresWholeWords) {
  alignas(16) Byte bytes[16];
  std::iota(bytes, bytes + 16, Byte{1});
  EXPECT_EQ(load_readonly(bytes + 2), 3);
  EXPECT_EQ(load_readonly(reinterpret_cast<const u32*>(bytes)), 0x04030201u);
  const Vec4 all = load_streaming(reinterpret_cast<const Vec4*>(bytes));
  EXPECT_EQ(all.w, 0x100F0E0Du);
  Vec4 copy{};
  store_streaming(&copy, all);
  EXPECT_EQ(copy.x, all.x);
  EXPECT_EQ(copy.z, all.z);
}

TEST(Arithmetic, CountsAndFindsBits) {
  EXPECT_EQ(popcount(0xF00F0001u), 9u);
  EXPECT_EQ(find_first_set(0), 0u);
  EXPECT_EQ(find_first_set(1), 1u);
  EXPECT_EQ(find_first_set(0x80000000u), 32u);
  EXPECT_EQ(count_leading_zeros(0), 32u);
  EXPECT_EQ(count_leading_zeros(1), 31u);
  EXPECT_EQ(count_leading_zeros(~0u), 0u);
}

TEST(Arithmetic, ShiftsPermutesAndMultiplies) {
  EXPECT_EQ(funnel_shift_right(0x11223344u, 0xAABBCCDDu, 0), 0x11223344u);
  EXPECT_EQ(funnel_shift_right(0x11223344u, 0xAABBCCDDu, 8), 0xDD112233u);
  EXPECT_EQ(funnel_shift_right(0x11223344u, 0xAABBCCDDu, 40), 0xDD112233u) << "shift modulo 32";
  EXPECT_EQ(funnel_shift_left(0x11223344u, 0xAABBCCDDu, 0), 0xAABBCCDDu);
  EXPECT_EQ(funnel_shift_left(0x11223344u, 0xAABBCCDDu, 8), 0xBBCCDD11u);
  EXPECT_EQ(funnel_shift_left(0x11223344u, 0xAABBCCDDu, 40), 0xBBCCDD11u) << "shift modulo 32";
  EXPECT_EQ(bit_reverse(1), 0x80000000u);
  EXPECT_EQ(bit_reverse(0xA0000003u), 0xC0000005u);
  EXPECT_EQ(byte_permute(0x33221100u, 0x77665544u, 0x7530), 0x77553300u);
  EXPECT_EQ(byte_permute(0x33228011u, 0x77665544u, 0x9801), 0x80111180u) << "no signs";
  EXPECT_EQ(dot4(0xFF020304u, 0xFF0A0B0Cu, 5), 255u * 255 + 2 * 10 + 3 * 11 + 4 * 12 + 5);
  EXPECT_EQ(dot4(0x01010101u, 0xFFFFFFFFu, ~0u), 4u * 255 - 1) << "wraps";
  EXPECT_EQ(multiply_high(0xFFFFFFFFu, 0xFFFFFFFFu), 0xFFFFFFFEu);
  const u64 before = clock();
  EXPECT_GT(clock(), before);
}

}  // namespace
}  // namespace presso::simt::primitives_test

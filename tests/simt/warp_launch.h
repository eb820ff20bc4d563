// SPDX-License-Identifier: MIT
// Runs the warp decoder on one block in the emulator, in every strategy.
#pragma once

#include <gtest/gtest.h>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "decompress/gpu/warp/warp_decoder.cuh"
#include "tests/simt/block_case.h"
#include "lab/gpu/multi_kernel.cuh"

namespace presso::test {

using gpu::kFailed;
using gpu::kPlanned;
using gpu::RoundCounters;
using gpu::WarpPolicy;
using simt::u32;

/// What a kernel left.
struct Outcome {
  u32 status = 0;
  std::vector<Byte> plain;
  RoundCounters counters{};
};

using Launch = Outcome (*)(const BlockCase& block, u32 misalignment, u32 seed);

inline simt::Options options_of(u32 seed) {
  const simt::Order order = seed % 4 == 0   ? simt::Order::kReverse
                            : seed % 4 == 1 ? simt::Order::kForward
                                            : simt::Order::kRandom;
  return {.order = order, .seed = seed};
}

template <class Resolve, class Policy>
Outcome decode_with(const BlockCase& block, u32 misalignment, u32 seed) {
  const DeviceBlock device(block, misalignment);
  Outcome outcome{kPlanned, {}, {}};
  const auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, options_of(seed), [&] {
    gpu::warp_decoder_body<Resolve, Policy>(&device.plan(), &outcome.status, 1, &outcome.counters);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_TRUE(device.guarded());
  outcome.plain = device.plain();
  return outcome;
}

/// Lists, then rounds until every reference is done.
template <class Policy>
Outcome decode_by_kernels(const BlockCase& block, u32 misalignment, u32 seed) {
  const DeviceBlock device(block, misalignment);
  Outcome outcome{kPlanned, {}, {}};
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

struct Strategy {
  const char* name;
  Launch launch;
  bool trusts_the_rule = false;
};

inline const Strategy kStrategies[] = {
    {"sequential", decode_with<gpu::Sequential, WarpPolicy<1, 4, 1>>},
    {"sequential, 4 bytes a lane", decode_with<gpu::Sequential, WarpPolicy<4, 1, 4>>},
    {"in turn", decode_with<gpu::InTurn, WarpPolicy<1, 8, 1>>},
    {"in turn, 2 and 8 bytes a lane", decode_with<gpu::InTurn, WarpPolicy<2, 4, 8>>},
    {"in turn, 4 and 16 bytes a lane", decode_with<gpu::InTurn, WarpPolicy<4, 2, 16>>},
    {"multi-round", decode_with<gpu::MultiRound<false>, WarpPolicy<1, 4, 1, true>>},
    {"multi-round, 2 bytes a lane", decode_with<gpu::MultiRound<false>, WarpPolicy<8, 1, 2>>},
    {"multi-round, 16 bytes a lane", decode_with<gpu::MultiRound<false>, WarpPolicy<16, 2, 16>>},
    {"multi-round in teams", decode_with<gpu::MultiRound<true>, WarpPolicy<1, 16, 4, true>>},
    {"dependency-free", decode_with<gpu::DependencyFree, WarpPolicy<1, 4, 1>>, true},
    {"dependency-free, 4 bytes", decode_with<gpu::DependencyFree, WarpPolicy<4, 4, 4>>, true},
    {"a kernel a round", decode_by_kernels<WarpPolicy<1, 4, 1>>},
    {"a kernel a round, 8 bytes a lane", decode_by_kernels<WarpPolicy<4, 2, 8>>},
};

}  // namespace presso::test

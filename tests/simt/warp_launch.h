// SPDX-License-Identifier: MIT
// Runs the warp decoder on one block in the emulator, by a strategy of the test program.
#pragma once

#include <gtest/gtest.h>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "decompress/gpu/warp/warp_decoder.cuh"
#include "tests/simt/block_case.h"

namespace presso::test {

using gpu::kFailed;
using gpu::kPlanned;
using gpu::WarpPolicy;
using simt::u32;

/// What a kernel left.
struct Outcome {
  u32 status = 0;
  std::vector<Byte> plain;
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
  Outcome outcome{kPlanned, {}};
  const auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, options_of(seed), [&] {
    gpu::warp_decoder_body<Resolve, Policy>(&device.plan(), &outcome.status, 1);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_TRUE(device.guarded());
  outcome.plain = device.plain();
  return outcome;
}

struct Strategy {
  const char* name;
  Launch launch;
  bool trusts_the_rule = false;
};

/// The strategies that warp_decoder_test.cpp and warp_damage_test.cpp test; each test program has
/// its own.
std::vector<Strategy> warp_strategies();

}  // namespace presso::test

// SPDX-License-Identifier: MIT
// Runs the decoder that counts rounds on one block in the emulator.
#pragma once

#include "lab/gpu/counting_decoder.cuh"
#include "tests/simt/warp_launch.h"

namespace presso::test {

template <u32 kCopyBytes, u32 kCopiesInFlight, u32 kMatchBytes>
using CountingPolicy = WarpPolicy<kCopyBytes, kCopiesInFlight, kMatchBytes, gpu::lab::RoundCounter>;

struct CountedOutcome {
  Outcome outcome;
  gpu::lab::RoundCounters counters{};
};

template <class Resolve, class Policy>
CountedOutcome count_rounds(const BlockCase& block, u32 misalignment, u32 seed) {
  const DeviceBlock device(block, misalignment);
  CountedOutcome counted{{kPlanned, {}}};
  const auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, options_of(seed), [&] {
    gpu::lab::counting_decoder_body<Resolve, Policy>(&device.plan(), &counted.outcome.status, 1,
                                                     &counted.counters);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_TRUE(device.guarded());
  counted.outcome.plain = device.plain();
  return counted;
}

template <class Resolve, class Policy>
Outcome decode_counted(const BlockCase& block, u32 misalignment, u32 seed) {
  return count_rounds<Resolve, Policy>(block, misalignment, seed).outcome;
}

}  // namespace presso::test

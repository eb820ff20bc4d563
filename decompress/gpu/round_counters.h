// SPDX-License-Identifier: MIT
// What multi-round resolution counts of a block (catalogue S7.20), under the rule of rounds that
// resolve.cuh states. Groups are the decoder's steps of 32 sequences. Host and device.
#pragma once

#include <cstdint>

namespace presso::gpu {

struct RoundCounters {
  /// Each resolves the first pending match of a step.
  static constexpr std::uint32_t kMaxRounds = 32;  // allow(bare-32): host code knows no warps

  std::uint32_t groups;              ///< also those without matches, which take no round
  std::uint32_t rounds[kMaxRounds];  ///< [r - 1]: groups that took r rounds
  std::uint32_t bytes[kMaxRounds];   ///< [r - 1]: match bytes resolved in round r
};

}  // namespace presso::gpu

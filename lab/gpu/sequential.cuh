// SPDX-License-Identifier: MIT
// A strategy for the warp decoder (resolve.cuh) without any parallelism among matches: sc of the
// thesis (sources: S7.5), which the others are compared with.
#pragma once

#include "decompress/gpu/warp/resolve.cuh"

namespace presso::gpu::lab {

/// One match after another, each by the whole warp.
struct Sequential {
  static constexpr bool kFirstWaveInCopy = false;

  template <class Policy>
  static PRESSO_DEVICE void resolve(const BlockPlan&, const BlockMemory& memory,
                                    const PendingMatches& group, typename Policy::Counter&) {
    detail::copy_in_turn<Policy>(memory, group.mine, group.pending);
  }
};

}  // namespace presso::gpu::lab

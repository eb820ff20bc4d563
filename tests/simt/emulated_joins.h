// SPDX-License-Identifier: MIT
// The kernels of joins and lookups in the emulator, a launcher for join_steps.h and lookup_steps.h.
// `Run`: as of EmulatedStrings.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "decompress/gpu/simt/simt.h"
#include "presso/error.h"

namespace presso::gpu::test {

template <class Run>
class EmulatedJoins {
 public:
  explicit EmulatedJoins(Run run) : run_(std::forward<Run>(run)) {}

  Status fill(void* at, int byte, std::uint64_t bytes) {
    std::memset(at, byte, bytes);
    return {};
  }

  template <class Body>
  Status run(std::uint64_t blocks, std::uint32_t shared_bytes,
             const typename Body::Arguments& arguments) {
    if (blocks == 0) return {};
    constexpr std::uint64_t kResident = 3;
    if (!Body::kWholeGrid) blocks = std::min(blocks, kResident);
    return run_(Body::kName, static_cast<std::uint32_t>(blocks), Body::kThreads / simt::kWarpSize,
                shared_bytes, [&] { Body::run(arguments); });
  }

 private:
  Run run_;
};

}  // namespace presso::gpu::test

// SPDX-License-Identifier: MIT
// Runs kernels in the emulator as a test of faults wants it: each with lanes in another order, each
// launch counted, and none any more from the launch on that EmulatedFaults names.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "presso/error.h"
#include "tests/simt/emulated_launches.h"
#include "tests/simt/emulated_query_device.h"

namespace presso::test {

/// One launch at a time: threads that load tables have blocks checked while the caller's kernels
/// run. Copies count in the same EmulatedFaults.
class Launches {
 public:
  Launches(std::shared_ptr<EmulatedFaults> faults, std::uint32_t seed)
      : faults_(std::move(faults)),
        run_(seed, seed % 3 == 0   ? simt::Order::kReverse
                   : seed % 3 == 1 ? simt::Order::kForward
                                   : simt::Order::kRandom) {}

  /// Calls `body` in each lane. Errors: kDeviceLost, where the test wants it, and where the
  /// emulator objects, with the name of the step and the emulator's reason.
  Status operator()(std::string_view step, std::uint32_t grid, std::uint32_t warps,
                    std::size_t shared_bytes, const std::function<void()>& body) {
    const std::lock_guard lock(faults_->launching);
    ++faults_->launched;
    if (faults_->launches++ >= faults_->launch) return make_error(ErrorCode::kDeviceLost);
    if (grid == 0) return {};
    return run_(step, grid, warps, shared_bytes, body);
  }

 private:
  std::shared_ptr<EmulatedFaults> faults_;
  gpu::test::EmulatedLaunches run_;
};

}  // namespace presso::test

// SPDX-License-Identifier: MIT
// Runs kernels in the emulator one after another, each with lanes in another order; a failure is an
// error that names the kernel.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "decompress/gpu/simt/simt.h"
#include "presso/error.h"

namespace presso::gpu::test {

class EmulatedLaunches {
 public:
  explicit EmulatedLaunches(std::uint32_t seed, simt::Order order = simt::Options().order) {
    options_.seed = seed;
    options_.order = order;
  }

  Status operator()(std::string_view step, std::uint32_t grid, std::uint32_t warps,
                    std::size_t shared_bytes, const std::function<void()>& body) {
    const simt::Launch shape{grid, warps * simt::kWarpSize, shared_bytes};
    const simt::Report report = simt::run(shape, options_, body);
    ++options_.seed;
    if (report.ok()) return {};
    return make_error(ErrorCode::kDeviceLost, std::string(step) + ": " + report.what);
  }

 private:
  simt::Options options_;
};

}  // namespace presso::gpu::test

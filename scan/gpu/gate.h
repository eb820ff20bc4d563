// SPDX-License-Identifier: MIT
// Kernels that are enqueued before it is known whether they are wanted: each looks at a number that
// an earlier kernel left, and ends at once unless it lies between two bounds. So one engine can
// stand in for another without the host waiting for the GPU.
#pragma once

#include <cstdint>

#include "format/host_device.h"

namespace presso::gpu {

struct Gate {
  const std::uint32_t* d_value = nullptr;  ///< nullptr: open
  std::uint32_t least = 0;
  std::uint32_t most = 0xFFFFFFFF;
};

PRESSO_DEVICE bool is_open(const Gate& gate) {
  return gate.d_value == nullptr || (*gate.d_value >= gate.least && *gate.d_value <= gate.most);
}

}  // namespace presso::gpu

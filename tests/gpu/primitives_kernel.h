// SPDX-License-Identifier: MIT
// Runs primitives_body on the current device, host memory to host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/error.h"

namespace presso::gpu {

struct ProbeResults {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> streamed;
};

Result<ProbeResults> probe_on_device(const std::vector<std::uint32_t>& input);

}  // namespace presso::gpu

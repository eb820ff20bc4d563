// SPDX-License-Identifier: MIT
// The number of no row in answers of joins on a GPU (presso/device_join.h). It includes nothing but
// what code that is compiled at run time may include.
#pragma once

#include <cstdint>

namespace presso::gpu {

/// The row number that means "no row": the partner of a probe row of a left or full join, or of a
/// build row of a right or full join, that has no match.
constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// Lane packing (FORMAT.md 16.1): how coding 4 (integers) and coding 5 (tokens) lay out up to 1,024
// values of w bits so that the 32 lanes of a warp, or the lanes of a vector register, each shift
// through a stream of 32-bit words of their own. Value i is value i / 32 of lane i mod 32; lane l's
// word j stands at word 32 * j + l. Rows stay in order: a step of all lanes is 32 consecutive rows.
#pragma once

#include <cstdint>

#include "format/host_device.h"

namespace presso {

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kVectorRows = 1024;

/// 32-bit words that n values (1..kVectorRows) of `width` bits (0..32) take.
PRESSO_HD constexpr std::uint32_t lane_words(std::uint32_t n, std::uint32_t width) {
  const std::uint32_t steps = (n + kLanes - 1) / kLanes;
  return (steps * width + 31) / 32 * kLanes;
}

/// The same for widths up to 64: above 32 the low 32 bits of all values come first, then the rest.
PRESSO_HD constexpr std::uint32_t packed_words(std::uint32_t n, std::uint32_t width) {
  return width <= 32 ? lane_words(n, width) : lane_words(n, 32) + lane_words(n, width - 32);
}

}  // namespace presso

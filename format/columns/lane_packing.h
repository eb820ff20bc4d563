// SPDX-License-Identifier: MIT
// Lane packing (FORMAT.md 16.1): how the codings for integers and for tokens lay out up to 1,024
// values of w bits. The values are dealt out to 32 lanes, streams of bits in 32-bit words: value i
// is value i / 32 of lane i mod 32, and word j of lane l stands at word 32 * j + l. So the threads
// of a GPU's warp, or the elements of a vector register, each shift through a lane of their own,
// all loads are contiguous, and rows stay in order: one step of all lanes gives 32 consecutive
// rows. This file has only the sizes. A layout of this kind is in "The FastLanes Compression
// Layout" (Afroozeh and Boncz, 2023), with another order of rows.
#pragma once

#include <cstdint>

#include "format/host_device.h"

namespace presso {

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kVectorRows = 1024;  ///< the most values that are packed together

/// How many vectors a block of `rows` rows has, and how many rows one of them has.
PRESSO_HD constexpr std::uint32_t vectors_of(std::uint32_t rows) {
  return (rows + kVectorRows - 1) / kVectorRows;
}
PRESSO_HD constexpr std::uint32_t vector_rows(std::uint32_t rows, std::uint32_t vector) {
  const std::uint32_t left = rows - vector * kVectorRows;
  return left < kVectorRows ? left : kVectorRows;
}
/// The 32-bit words that `n` values (1 to kVectorRows) of `width` bits (0 to 32) take.
PRESSO_HD constexpr std::uint32_t lane_words(std::uint32_t n, std::uint32_t width) {
  const std::uint32_t steps = (n + kLanes - 1) / kLanes;
  return (steps * width + 31) / 32 * kLanes;
}

/// Like lane_words(), for widths up to 64: above 32 bits, the low 32 bits of all values come
/// first, then the rest.
PRESSO_HD constexpr std::uint32_t packed_words(std::uint32_t n, std::uint32_t width) {
  return width <= 32 ? lane_words(n, width) : lane_words(n, 32) + lane_words(n, width - 32);
}

}  // namespace presso

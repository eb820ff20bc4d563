// SPDX-License-Identifier: MIT
// One or a few short literals laid out for a GPU that looks at eight planes of bits, plane k
// holding bit k of each byte: each byte of a literal is a mask for each plane. Host code, no CUDA.
// Test: tests/simt/plane_scan_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "presso/error.h"

namespace presso::gpu {

constexpr std::uint32_t kMostPlanePlaces = 8;

/// One byte of a literal, as a mask for each plane. A place that is all zeroes changes nothing.
struct PlanePlace {
  std::uint32_t flips[8] = {};  ///< for each plane ~0 where the byte's bit is 0
  std::uint32_t any_case = 0;   ///< ~0: plane 5, the case of letters, does not count
  std::uint32_t to_end = 0;     ///< bytes of the literal after this one
  std::uint32_t ends = 0;       ///< ~0 for the last byte of a literal
  std::uint32_t reserved = 0;
};

/// The table, all of it in the kernel's argument: it has no image. Trivially copyable.
struct PlaneTableView {
  PlanePlace places[kMostPlanePlaces];  ///< literal after literal, each in the text's order
  std::uint32_t count = 0;              ///< beyond: places that change nothing
};

/// Lays literals out. Error: kInvalidArgument where there are none, one is empty or holds a '\n',
/// or they have more than kMostPlanePlaces bytes together.
Result<PlaneTableView> lay_out_planes(const std::vector<std::string>& literals,
                                      bool ignore_ascii_case);

}  // namespace presso::gpu

// SPDX-License-Identifier: MIT
// The coding for planes (coding 6, FORMAT.md 18): numbers cut into planes, the lowest bytes of all
// rows, then the next ones, and so on, each coded as bytes. Before that, numbers may become codes
// of a dictionary or the integers of decimals, and differences to the number before. No function is
// here; encoder and decoder share these names.
#pragma once

#include "presso/bytes.h"

namespace presso {

/// What the numbers in the planes stand for. The values are stored in files.
enum class PlaneMap : Byte {
  kNone = 0,        ///< the values themselves
  kDecimals = 1,    ///< doubles: integers times powers of ten
  kDictionary = 2,  ///< codes of entries
};
constexpr Byte kPlaneMapMask = 3;
constexpr Byte kPlaneSteps = 4;  ///< numbers are differences to the one before
constexpr Byte kAllPlaneForms = 7;
constexpr Byte kConstantPlane = 255;  ///< in place of a coding: one byte that all rows have
constexpr std::uint32_t kMaxPlanes = 8;

}  // namespace presso

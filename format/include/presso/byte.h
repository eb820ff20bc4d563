// SPDX-License-Identifier: MIT
// The type of a byte, alone: kernels that are compiled at run time have no standard library, which
// the rest of presso/bytes.h needs.
#pragma once

#include <cstdint>

namespace presso {

/// The type of all byte data in presso.
using Byte = std::uint8_t;

}  // namespace presso

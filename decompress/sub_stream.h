// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace presso {

/// Where a sub-stream of a Bit-coded payload begins. Lists of them have one entry more, for the
/// end.
struct SubStream {
  std::uint32_t bit;      ///< its first bit, counted in the payload
  std::uint32_t literal;  ///< sub-blocks: literals before it; lanes: unused
};

}  // namespace presso

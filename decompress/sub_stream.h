// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace presso {

/// Where a sub-stream of a Bit-coded payload begins. A list of them has one more, where they end.
struct SubStream {
  std::uint32_t bit;      ///< of the payload
  std::uint32_t literal;  ///< sub-blocks: literals before; lanes: nothing
};

}  // namespace presso

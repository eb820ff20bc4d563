// SPDX-License-Identifier: MIT
// Which numbers registers of 32 bits hold.
#pragma once

#include <cstdint>
#include <limits>

#include "scan/compute/graph.h"

namespace presso::gpu {

inline bool is_narrow(std::int64_t value) {
  return value == static_cast<std::int32_t>(value);
}

/// Whether the node's values may need more than 32 bits.
inline bool is_wide(const query::Node& node) {
  if (node.physical == query::Physical::kBool) return false;
  if (node.physical == query::Physical::kDouble) return true;
  return !node.range.known || node.range.least < std::numeric_limits<std::int32_t>::min() ||
         node.range.most > std::numeric_limits<std::int32_t>::max();
}

}  // namespace presso::gpu
